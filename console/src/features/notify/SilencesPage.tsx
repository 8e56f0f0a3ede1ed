import { getRouteApi } from '@tanstack/react-router';
import {
  EndNotificationPolicyDocument,
  NotificationPoliciesDocument,
  type NotificationPolicyKind,
  type NotificationPolicyRowFragment,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { fieldsOf, parseJson } from '../../lib/json.ts';
import { useNow } from '../../lib/now.ts';
import { usePageView } from '../../lib/url-state.ts';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { labelOr, t } from './labels.ts';
import { matcherText } from './MatcherFields.tsx';
import { NotifyLayout } from './NotifyLayout.tsx';
import { mayAdminister, mayOperate } from './permissions.ts';
import { OPERATORS } from './rule-draft.ts';
import { CreateInterval, CreateSilence } from './SilenceForm.tsx';

const route = getRouteApi('/notify/silences');

/** Kinds of policies, each with the name of its dialog. */
const KINDS = [
  ['SILENCE', 'silence'],
  ['MAINTENANCE', 'maintenance'],
  ['TIME_INTERVAL', 'interval'],
] as const satisfies readonly (readonly [NotificationPolicyKind, string])[];

type Ask = (typeof KINDS)[number][1];

const mayCreate = (ask: Ask): boolean => (ask === 'interval' ? mayAdminister() : mayOperate());

/** Page of what keeps messages back: silences and planned maintenance, and the times to which rules refer. */
export function SilencesPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const policies = useLiveQuery(NotificationPoliciesDocument, {}, ['NotificationPolicy']);
  const { ask } = view;
  const close = () => set({ ask: undefined });
  return (
    <NotifyLayout
      tab="silences"
      actions={
        mayOperate()
          ? [
              {
                id: 'silence.create',
                keys: 'c',
                title: t('silences.create.silence'),
                weight: 'primary',
                run: () => set({ ask: 'silence' }),
              },
            ]
          : []
      }
    >
      <QueryResult of={policies} skeleton={<SkeletonRows rows={4} />} fault={t('silences.fault')}>
        {({ notificationPolicies }) =>
          KINDS.map(([kind, name]) => (
            <TableSection
              key={kind}
              title={t(`silences.plural.${name}`)}
              side={
                mayCreate(name) && (
                  <Button size="small" weight="plain" onClick={() => set({ ask: name })}>
                    <Icon name="plus" size={14} />
                    {t(`silences.create.${name}`)}
                  </Button>
                )
              }
              columns={columns(kind)}
              rows={notificationPolicies.filter((policy) => policy.kind === kind)}
              empty={t(`silences.empty.${name}`)}
              labelled
            />
          ))
        }
      </QueryResult>
      {ask !== undefined &&
        mayCreate(ask) &&
        (ask === 'interval' ? <CreateInterval close={close} /> : <CreateSilence kind={ask} close={close} />)}
    </NotifyLayout>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const rowsOf = (value: unknown) => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Matchers of a policy's document, in one line. */
const matchersIn = (document: Readonly<Record<string, unknown>>): string =>
  matcherText(
    rowsOf(document.matchers).map(({ path, op, value }) => ({
      path: textOf(path),
      op: OPERATORS.find((one) => one.toLowerCase() === op) ?? 'EQ',
      values: [value].flat().map(String),
    })),
  );

/** Hours of a time interval, in one line. */
const hoursIn = (document: Readonly<Record<string, unknown>>): string =>
  rowsOf(document.periods)
    .map(({ weekdays, times }) => {
      const days = Array.isArray(weekdays)
        ? listText(weekdays.map((day) => labelOr(`interval.day.${String(day).toUpperCase()}`, String(day))))
        : t('interval.everyDay');
      const hours = rowsOf(times).map(({ from, to }) => t('interval.range', { from: textOf(from), to: textOf(to) }));
      return [days, ...hours].join(' · ');
    })
    .join('; ');

const columns = (kind: NotificationPolicyKind): Column<NotificationPolicyRowFragment>[] => [
  { name: t('silence.name'), className: 'breaks', cell: ({ name }) => name },
  {
    name: t(kind === 'TIME_INTERVAL' ? 'interval.hours' : 'silence.matchers'),
    className: 'breaks soft',
    cell: ({ document }) => {
      const facts = fieldsOf(parseJson(document));
      return kind === 'TIME_INTERVAL' ? hoursIn(facts) : matchersIn(facts);
    },
  },
  {
    name: t(kind === 'SILENCE' ? 'reason' : kind === 'MAINTENANCE' ? 'maintenance.starts' : 'interval.zone'),
    className: 'breaks soft',
    cell: ({ document }) => {
      const { reason, timeZone, startsAt } = fieldsOf(parseJson(document));
      return kind === 'MAINTENANCE' ? <RelativeTime at={textOf(startsAt)} as="relative" /> : textOf(reason ?? timeZone);
    },
  },
  ...(kind === 'TIME_INTERVAL'
    ? []
    : [
        {
          name: t('silence.ends'),
          number: true,
          cell: ({ endsAt }: NotificationPolicyRowFragment) => optional(endsAt, t('none'), (at) => <End at={at} />),
        },
      ]),
  ...(mayOperate() ? [actionsColumn<NotificationPolicyRowFragment>((policy) => <EndButton policy={policy} />)] : []),
];

/** End of a policy; one that is over is said to be. */
function End({ at }: { readonly at: string }) {
  const isOver = new Date(at) <= useNow();
  return isOver ? <StateLabel look="missing">{t('silence.over')}</StateLabel> : <RelativeTime at={at} as="relative" />;
}

const EndButton = ({ policy: { id, kind, name } }: { readonly policy: NotificationPolicyRowFragment }) => (
  <RowAction
    label={t(`silences.end.${kind}`, { name })}
    document={EndNotificationPolicyDocument}
    input={{ id }}
    title={t(`silences.end.${kind}`, { name })}
    lead={t(`silence.end.lead.${kind}`)}
    verb={t(`silences.endVerb.${kind}`)}
    done={t('silence.ended', { name })}
    refetch={[NotificationPoliciesDocument]}
  >
    {t(`silences.endVerb.${kind}`)}
  </RowAction>
);
