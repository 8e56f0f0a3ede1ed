import type {
  MatcherOperator,
  NotificationActionInput,
  NotificationMatcherInput,
  NotificationRuleDetailFragment,
  NotificationRuleDraftInput,
} from '../../generated/operations.ts';
import type { FieldProblem } from '../../lib/problem.ts';

export const OPERATORS = [
  'EQ',
  'NE',
  'IN',
  'NIN',
  'PREFIX',
  'REGEX',
  'NREGEX',
  'GTE',
  'LTE',
  'EXISTS',
  'SEMVER',
  'CIDR',
] as const satisfies readonly MatcherOperator[];

/** Condition as it is written: the values of `IN` and `NIN` are separated by commas. */
export type MatcherRow = {
  readonly key: number;
  readonly path: string;
  readonly op: MatcherOperator;
  readonly values: string;
};

type Digest = NonNullable<NotificationRuleDetailFragment['actions'][number]['digest']>;

/** Roles that the product has. */
export const RECIPIENT_ROLES = ['approver', 'release-manager', 'operator', 'admin', 'viewer'] as const;

/** People whom an action tells in place of a channel. */
export type RecipientsRow = NonNullable<NotificationRuleDetailFragment['actions'][number]['recipients']>;

/** Action as it is written; an empty text is left out. */
export type ActionRow = {
  readonly key: number;
  readonly channelId: string;
  readonly recipients: RecipientsRow | null;
  readonly templateKey: string;
  readonly locale: string;
  readonly max: string;
  readonly windowMinutes: string;
  readonly throttleKey: string;
  /** Paths of a group. */
  readonly groupBy: string;
  readonly wait: string;
  readonly interval: string;
  readonly repeat: string;
  /** Times of day of a digest, which takes the place of a group. */
  readonly digestTimes: string;
  readonly digestZone: string;
  /** Parts of a digest that only the graph changes. */
  readonly digest: Pick<Digest, 'sendsFirst'> & Pick<Digest['schedule'], 'weekdays' | 'daysOfMonth'>;
  /** Ids of time intervals. */
  readonly muted: readonly string[];
  readonly active: readonly string[];
};

export type RuleDraft = {
  readonly name: string;
  readonly priority: string;
  readonly isEnabled: boolean;
  readonly continues: boolean;
  readonly matchers: readonly MatcherRow[];
  readonly actions: readonly ActionRow[];
};

/** Key of a new row, after those of the others. */
const nextKey = (rows: readonly { readonly key: number }[]): number => Math.max(-1, ...rows.map(({ key }) => key)) + 1;

export const emptyMatcher = (rows: readonly MatcherRow[]): MatcherRow => ({
  key: nextKey(rows),
  path: rows.length === 0 ? 'kind' : 'attributes.',
  op: 'EQ',
  values: '',
});

/** People with whom an action begins. */
export const APPROVERS: RecipientsRow = {
  __typename: 'NotificationRecipients',
  approvers: true,
  userIds: [],
  users: [],
  roles: [],
};

/** Digest of every day, whose first message goes out at once. */
const EVERY_DAY = { sendsFirst: true, weekdays: null, daysOfMonth: null };

export const emptyAction = (rows: readonly ActionRow[]): ActionRow => ({
  key: nextKey(rows),
  channelId: '',
  recipients: null,
  templateKey: 'generic',
  locale: '',
  max: '',
  windowMinutes: '',
  throttleKey: '',
  groupBy: '',
  wait: '30',
  interval: '300',
  repeat: '14400',
  digestTimes: '',
  digestZone: 'UTC',
  digest: EVERY_DAY,
  muted: [],
  active: [],
});

const isList = (op: MatcherOperator): boolean => op === 'IN' || op === 'NIN';

const words = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

export const matcherRows = (matchers: readonly NotificationMatcherInput[]): MatcherRow[] =>
  matchers.map(({ path, op, values }, key) => ({ key, path, op, values: values.join(', ') }));

export const matcherInputs = (rows: readonly MatcherRow[]): NotificationMatcherInput[] =>
  rows.map(({ path, op, values }) => ({ path: path.trim(), op, values: isList(op) ? words(values) : [values] }));

const actionRow = (action: NotificationRuleDetailFragment['actions'][number], key: number): ActionRow => ({
  key,
  channelId: action.channelId ?? '',
  recipients: action.recipients,
  templateKey: action.templateKey,
  locale: action.locale ?? '',
  max: String(action.throttle?.max ?? ''),
  windowMinutes: action.throttle ? String(action.throttle.windowSeconds / 60) : '',
  throttleKey: action.throttle?.key.join(', ') ?? '',
  groupBy: action.groupBy.join(', '),
  wait: String(action.groupWaitSeconds),
  interval: String(action.groupIntervalSeconds),
  repeat: String(action.repeatIntervalSeconds),
  digestTimes: action.digest?.schedule.times.join(', ') ?? '',
  digestZone: action.digest?.timeZone ?? 'UTC',
  digest: action.digest === null ? EVERY_DAY : { sendsFirst: action.digest.sendsFirst, ...action.digest.schedule },
  muted: action.mutedDuring,
  active: action.activeDuring,
});

const recipientsInput = ({ approvers, userIds, roles }: RecipientsRow) => ({
  approvers,
  userIds: [...userIds],
  roles: [...roles],
});

const actionInput = (row: ActionRow): NotificationActionInput => ({
  ...(row.recipients ? { recipients: recipientsInput(row.recipients) } : { channelId: row.channelId }),
  templateKey: row.templateKey,
  ...(row.locale && { locale: row.locale.trim() }),
  ...(row.max && {
    throttle: {
      max: Number(row.max),
      windowSeconds: Math.round(Number(row.windowMinutes || 60) * 60),
      key: words(row.throttleKey),
    },
  }),
  groupBy: words(row.groupBy),
  groupWaitSeconds: Number(row.wait),
  groupIntervalSeconds: Number(row.interval),
  repeatIntervalSeconds: Number(row.repeat),
  ...(row.digestTimes && {
    digest: {
      schedule: {
        times: words(row.digestTimes),
        weekdays: row.digest.weekdays,
        daysOfMonth: row.digest.daysOfMonth,
      },
      timeZone: row.digestZone,
      sendsFirst: row.digest.sendsFirst,
    },
  }),
  mutedDuring: [...row.muted],
  activeDuring: [...row.active],
});

/** Draft of a saved rule, or an empty one whose first matcher asks for a kind. */
export const draftOf = (rule: NotificationRuleDetailFragment | undefined): RuleDraft =>
  rule === undefined
    ? {
        name: '',
        priority: '100',
        isEnabled: true,
        continues: true,
        matchers: [emptyMatcher([])],
        actions: [emptyAction([])],
      }
    : {
        name: rule.name,
        priority: String(rule.priority),
        isEnabled: rule.isEnabled,
        continues: rule.continues,
        matchers: matcherRows(rule.matchers),
        actions: rule.actions.map(actionRow),
      };

/** Parts of a rule as the graph takes them. A field that is no number is refused there by its name. */
export const ruleInput = ({ name, priority, isEnabled, continues, matchers, actions }: RuleDraft) => ({
  name,
  priority: Number(priority),
  isEnabled,
  continues,
  matchers: matcherInputs(matchers),
  actions: actions.map(actionInput),
});

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Fields of a draft that are no numbers and must be. */
export const draftProblems = ({ priority, actions }: RuleDraft): FieldProblem[] =>
  [
    ['priority', priority] as const,
    ...actions.flatMap(({ max, windowMinutes, groupBy, wait, interval, repeat }, at) => {
      const fields = [
        ...(max === '' ? [] : [['throttle.max', max] as const, ['throttle.window', windowMinutes || '60'] as const]),
        ...(groupBy === ''
          ? []
          : [
              ['groupWaitSeconds', wait] as const,
              ['groupIntervalSeconds', interval] as const,
              ['repeatIntervalSeconds', repeat] as const,
            ]),
      ];
      return fields.map(([name, text]) => [`actions.${at}.${name}`, text] as const);
    }),
  ].flatMap(([field, text]) => (isNumber(text) ? [] : [{ field, message: text, code: 'NO_NUMBER' }]));

/** Draft as it is tried: without a name it is one all the same, and an action without a channel is left out. */
export const triedRule = (draft: RuleDraft, id: string | undefined): NotificationRuleDraftInput => {
  const { name, ...input } = ruleInput(draft);
  return {
    ...input,
    actions: input.actions.filter(({ channelId }) => channelId !== ''),
    ...(name && { name }),
    ...(id !== undefined && { ruleId: id }),
  };
};

/** Refusals under the names of the form's fields. */
export const ruleProblems = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) => ({
    ...problem,
    field: problem.field
      .replace(/^rule\./, '')
      .replace(/^(\w*[mM]atchers\.\d+)\.values(\.\d+)?$/, '$1.values')
      .replace(/\.throttle\.windowSeconds$/, '.throttle.window')
      .replace(/\.throttle\.key(\.\d+)?$/, '.throttle.key')
      .replace(/\.groupBy\.\d+$/, '.groupBy')
      .replace(/\.digest\.schedule.*$/, '.digest'),
  }));
