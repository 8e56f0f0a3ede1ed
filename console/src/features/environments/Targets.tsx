import type { AgentState, TargetRowFragment } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { formatLabels } from '../../lib/label-text.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { AgentLink } from '../../ui/EntityLink.tsx';
import { AgentLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type TargetsProps = {
  readonly targets: readonly TargetRowFragment[];
  readonly chosen: string | undefined;
  readonly open: (id: string) => void;
  readonly create: () => void;
};

/** Targets of an environment, their health and their agents. A row opens its target beside the page. */
export function Targets({ targets, chosen: selected, open, create }: TargetsProps) {
  const cursor = useCursor(
    targets.map(({ id }) => id),
    open,
    selected === undefined ? undefined : { id: selected, choose: open },
  );
  return (
    <TableSection
      title={t('targets.title')}
      bare
      side={<AdminButton label={t('target.create')} plus press={create} />}
      empty={t('environments.none')}
      columns={columns(open)}
      rows={targets}
      cursor={cursor}
      labelled
    />
  );
}

export function HealthText({ health: { detail, checkedAt } }: { readonly health: TargetRowFragment['health'] }) {
  if (checkedAt === null) return <span className="quiet">{t('target.notChecked')}</span>;
  return (
    <span className="soft">
      {detail ?? t('target.checked')} <RelativeTime at={checkedAt} as="relative" />
    </span>
  );
}

type AssignedAgentProps = {
  readonly agent: { readonly id: string; readonly name: string; readonly state: AgentState } | null;
};

/** Agent of a target and its state, or that none is assigned. */
export const AssignedAgent = ({ agent }: AssignedAgentProps) =>
  optional(agent, t('environments.unassigned'), (assigned) => (
    <span className="row">
      <AgentLink agent={assigned} />
      <AgentLabel state={assigned.state} />
    </span>
  ));

const columns = (open: (id: string) => void): Column<TargetRowFragment>[] => [
  { name: t('environments.target'), cell: ({ name }) => name },
  {
    name: t('target.product'),
    cell: ({ product, labels }) => (
      <span>
        {optional(product, t('target.product.none'), ({ id, name }) => (
          <Link look="name" to="/products/$id" params={{ id }}>
            {name}
          </Link>
        ))}
        {labels.length > 0 && <span className="soft"> {formatLabels(labels)}</span>}
      </span>
    ),
  },
  { name: t('target.driver'), className: 'soft', cell: ({ driver }) => t(`driver.${driver}`) },
  { name: t('environments.state'), cell: ({ state }) => <TargetLabel state={state} /> },
  { name: t('target.health'), cell: ({ health }) => <HealthText health={health} /> },
  { name: t('environments.agent'), cell: ({ agent }) => <AssignedAgent agent={agent} /> },
  actionsColumn(({ id, name }) => (
    <span>
      {' '}
      <Button size="small" weight="plain" data-open="" onClick={() => open(id)} aria-label={t('target.open', { name })}>
        {t('target.open.short')}
      </Button>
    </span>
  )),
];
