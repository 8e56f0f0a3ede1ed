import { getRouteApi } from '@tanstack/react-router';
import {
  EndNotificationPolicyDocument,
  NotificationPoliciesDocument,
  type NotificationPolicyKind,
  type NotificationPolicyRowFragment,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { mayAdminister, mayOperate } from '../../lib/notify-permissions.ts';
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
import { CreateFlapping, CreateInhibition } from './ConditionForm.tsx';
import { CreateInterval, CreateQuietHours } from './HoursForm.tsx';
import { t } from './labels.ts';
import { NotifyLayout } from './NotifyLayout.tsx';
import { policyText, startOf } from './policy-text.ts';
import { CreateSilence } from './SilenceForm.tsx';

const route = getRouteApi('/notify/silences');

/** Kinds of policies, each with the name of its dialog. */
const KINDS = [
  ['SILENCE', 'silence'],
  ['MAINTENANCE', 'maintenance'],
  ['TIME_INTERVAL', 'interval'],
  ['QUIET_HOURS', 'quietHours'],
  ['INHIBITION', 'inhibition'],
  ['FLAPPING', 'flapping'],
] as const satisfies readonly (readonly [NotificationPolicyKind, string])[];

type Ask = (typeof KINDS)[number][1];

const mayCreate = (ask: Ask): boolean => (ask === 'silence' || ask === 'maintenance' ? mayOperate() : mayAdminister());

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
      {ask !== undefined && mayCreate(ask) && <CreatePolicy ask={ask} close={close} />}
    </NotifyLayout>
  );
}

type CreatePolicyProps = { readonly ask: Ask; readonly close: () => void };

function CreatePolicy({ ask, close }: CreatePolicyProps) {
  if (ask === 'interval') return <CreateInterval close={close} />;
  if (ask === 'quietHours') return <CreateQuietHours close={close} />;
  if (ask === 'inhibition') return <CreateInhibition close={close} />;
  if (ask === 'flapping') return <CreateFlapping close={close} />;
  return <CreateSilence kind={ask} close={close} />;
}

/** Whether policies of a kind end by themselves. */
const isWindow = (kind: NotificationPolicyKind): boolean => kind === 'SILENCE' || kind === 'MAINTENANCE';

/** Heads of the two columns that differ between the kinds. */
const HEADS = {
  SILENCE: ['silence.matchers', 'reason'],
  MAINTENANCE: ['silence.matchers', 'maintenance.starts'],
  TIME_INTERVAL: ['interval.hours', 'interval.zone'],
  QUIET_HOURS: ['interval.hours', 'interval.zone'],
  INHIBITION: ['silence.matchers', 'inhibition.equal'],
  FLAPPING: ['silence.matchers', 'flapping.limit'],
} as const satisfies Readonly<Record<NotificationPolicyKind, readonly string[]>>;

const columns = (kind: NotificationPolicyKind): Column<NotificationPolicyRowFragment>[] => [
  { name: t('silence.name'), className: 'breaks', cell: ({ name }) => name },
  { name: t(HEADS[kind][0]), className: 'breaks soft', cell: ({ document }) => policyText(kind, document).what },
  {
    name: t(HEADS[kind][1]),
    className: 'breaks soft',
    cell: ({ document }) =>
      kind === 'MAINTENANCE' ? <RelativeTime at={startOf(document)} as="relative" /> : policyText(kind, document).more,
  },
  ...(isWindow(kind)
    ? [
        {
          name: t('silence.ends'),
          number: true,
          cell: ({ endsAt }: NotificationPolicyRowFragment) => optional(endsAt, t('none'), (at) => <End at={at} />),
        },
      ]
    : []),
  ...(mayOperate() ? [actionsColumn<NotificationPolicyRowFragment>((policy) => <EndButton policy={policy} />)] : []),
];

/** End of a policy; one that is over is said to be. */
function End({ at }: { readonly at: string }) {
  const isOver = new Date(at) <= useNow();
  return isOver ? <StateLabel look="missing">{t('silence.over')}</StateLabel> : <RelativeTime at={at} as="relative" />;
}

const EndButton = ({ policy: { id, kind, name } }: { readonly policy: NotificationPolicyRowFragment }) => (
  <RowAction
    label={t(isWindow(kind) ? 'silence.end.name' : 'component.remove', { name })}
    document={EndNotificationPolicyDocument}
    input={{ id }}
    title={t(isWindow(kind) ? 'silence.end.name' : 'component.remove', { name })}
    lead={t(kind === 'TIME_INTERVAL' ? 'interval.remove.lead' : 'silence.end.lead')}
    verb={t(isWindow(kind) ? 'silence.end' : 'silence.remove')}
    done={t('silence.ended', { name })}
    refetch={[NotificationPoliciesDocument]}
  >
    {t(isWindow(kind) ? 'silence.end' : 'silence.remove')}
  </RowAction>
);
