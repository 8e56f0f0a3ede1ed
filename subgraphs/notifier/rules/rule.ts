import type { FieldFault } from '@landfall/kernel/core/fault';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { checkTimeZone, digestSchedule, timeZone } from './calendar.ts';
import { checkMatchers, checkPath, matchers } from './matcher.ts';
import { MAX_PATH } from './path.ts';

const DAY_SECONDS = 86_400;

const id = Type.String({ format: 'uuid' });
const paths = Type.Array(Type.String({ minLength: 1, maxLength: MAX_PATH }), { maxItems: 20, uniqueItems: true });
const intervalIds = Type.Array(id, { maxItems: 20, uniqueItems: true });

/** At most `max` messages in a window; events that agree in the values of `key` share the count. */
const throttle = Type.Object(
  {
    key: paths,
    max: Type.Integer({ minimum: 1, maximum: 10_000 }),
    windowSeconds: Type.Integer({ minimum: 1, maximum: 7 * DAY_SECONDS }),
  },
  { additionalProperties: false },
);

/** Collection of messages into one by a calendar; `sendsFirst`: the first goes out at once, the rest later. */
export const digest = Type.Object(
  {
    schedule: digestSchedule,
    /** Zone of a channel's readers; people have theirs. */ timeZone,
    sendsFirst: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type Digest = Static<typeof digest>;

/** People whom an action tells, each at addresses of their own. */
const recipients = Type.Object(
  {
    /** People who may approve the promotion that the event is about. */
    approvers: Type.Optional(Type.Boolean()),
    userIds: Type.Optional(Type.Array(id, { maxItems: 50, uniqueItems: true })),
    /** Roles, of which everybody who has one is told. */
    roles: Type.Optional(Type.Array(freeText(40), { maxItems: 10, uniqueItems: true })),
  },
  { additionalProperties: false },
);
export type Recipients = Static<typeof recipients>;

/** One way in which a rule tells: where, in which words and how often. */
export const action = Type.Object(
  {
    /** Absent where people are told. */
    channelId: Type.Optional(id),
    recipients: Type.Optional(recipients),
    templateKey: freeText(100),
    locale: Type.Optional(Type.String({ minLength: 2, maxLength: 35 })),
    /** Paths whose values make a group; `attributes` is all of them but severity and status. Without paths nothing is grouped. */
    groupBy: paths,
    throttle: Type.Optional(throttle),
    digest: Type.Optional(digest),
    /** Wait for others of the same group before the first message. */
    groupWaitSeconds: Type.Integer({ minimum: 0, maximum: DAY_SECONDS }),
    /** Least time between two messages of a group. */
    groupIntervalSeconds: Type.Integer({ minimum: 1, maximum: DAY_SECONDS }),
    /** Time after which a group that still fires and that nobody acknowledged is told again. */
    repeatIntervalSeconds: Type.Integer({ minimum: 60, maximum: 31 * DAY_SECONDS }),
    mutedDuring: intervalIds,
    activeDuring: intervalIds,
  },
  { additionalProperties: false },
);
export type Action = Static<typeof action>;

/** Rule that says who is told of which events. */
export const rule = Type.Object(
  {
    id,
    name: freeText(100),
    isEnabled: Type.Boolean(),
    /** Rules are tried from the lowest. */
    priority: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    /** All must match; a rule without matchers matches every event. */
    matchers,
    /** Whether the search goes on after this rule matched. */
    continues: Type.Boolean(),
    actions: Type.Array(action, { maxItems: 20 }),
  },
  { additionalProperties: false },
);
export type Rule = Static<typeof rule>;

const isLocale = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
};

const checkPaths = (paths: readonly string[], field: string): readonly FieldFault[] =>
  paths.flatMap((path, index) => checkPath(path, `${field}.${index}`) ?? []);

const checkTiming = ({ groupBy, throttle, digest, locale }: Action, field: string): readonly FieldFault[] => [
  ...checkPaths(groupBy, `${field}.groupBy`),
  ...checkPaths(throttle?.key ?? [], `${field}.throttle.key`),
  ...(digest ? checkTimeZone(digest.timeZone, `${field}.digest.timeZone`) : []),
  ...(digest && groupBy.length > 0
    ? [
        {
          field: `${field}.digest`,
          message: 'must not be given with groupBy: a digest collects all events of its action',
          code: 'VAL_INVALID_VALUE' as const,
        },
      ]
    : []),
  ...(locale === undefined || isLocale(locale)
    ? []
    : [
        {
          field: `${field}.locale`,
          message: `${locale} is no language tag such as de or pt-BR`,
          code: 'VAL_INVALID_FORMAT' as const,
        },
      ]),
];

const isNobody = ({ approvers = false, userIds = [], roles = [] }: Recipients): boolean =>
  !approvers && userIds.length === 0 && roles.length === 0;

const checkAddressee = ({ channelId, recipients: people }: Action, field: string) => {
  const faults: FieldFault[] = [];
  if ((channelId === undefined) === (people === undefined))
    faults.push({ field: `${field}.channelId`, message: 'or recipients, one of them', code: 'VAL_REQUIRED_FIELD' });
  if (people && isNobody(people))
    faults.push({
      field: `${field}.recipients`,
      message: 'must be approvers, user ids or roles',
      code: 'VAL_REQUIRED_FIELD',
    });
  return faults;
};

const checkAction = (action: Action, field: string): readonly FieldFault[] => [
  ...checkAddressee(action, field),
  ...checkTiming(action, field),
];

/** Faults of a rule beyond its schema. */
export const checkRule = ({ matchers, actions }: Pick<Rule, 'matchers' | 'actions'>): readonly FieldFault[] => [
  ...checkMatchers(matchers),
  ...actions.flatMap((action, index) => checkAction(action, `actions.${index}`)),
];
