import type { AgentState, TargetRowFragment } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { AgentLink } from '../../ui/EntityLink.tsx';
import { AgentLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { optional } from '../../ui/optional.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Targets of an environment, their health and their agents. A row opens its target beside the page. */
export function Targets({
  targets,
  chosen,
  open,
  create,
}: {
  readonly targets: readonly TargetRowFragment[];
  readonly chosen: string | undefined;
  readonly open: (id: string) => void;
  readonly create: () => void;
}) {
  const cursor = useCursor(
    targets.map(({ id }) => id),
    open,
    chosen === undefined ? undefined : { id: chosen, choose: open },
  );
  return (
    <Section
      title={t('targets.title')}
      count={count(targets.length)}
      bare
      side={
        hasScope('orch:admin') ? (
          <Button size="small" weight="plain" onClick={create}>
            <Icon name="plus" size={14} />
            {t('target.create')}
          </Button>
        ) : (
          <span className="small quiet">{t('admin.rule')}</span>
        )
      }
    >
      {targets.length === 0 ? (
        <EmptyState>{t('environments.none')}</EmptyState>
      ) : (
        <DataTable label={t('targets.title')} columns={columns(open)} rows={targets} cursor={cursor} labelled />
      )}
    </Section>
  );
}

/** Last health report of a target, and its time. */
export function HealthText({ health: { detail, checkedAt } }: { readonly health: TargetRowFragment['health'] }) {
  if (checkedAt === null) return <span className="quiet">{t('target.unlooked')}</span>;
  return (
    <span className="soft">
      {detail ?? t('target.looked')} <RelativeTime at={checkedAt} as="relative" />
    </span>
  );
}

/** The agent of a target and its state, or that none is assigned. */
export const AssignedAgent = ({
  agent,
}: {
  readonly agent: { readonly id: string; readonly name: string; readonly state: AgentState } | null;
}) =>
  optional(agent, t('environments.unassigned'), (assigned) => (
    <span className="row">
      <AgentLink agent={assigned} />
      <AgentLabel state={assigned.state} />
    </span>
  ));

const columns = (open: (id: string) => void): Column<TargetRowFragment>[] => [
  { name: t('environments.target'), cell: ({ name }) => name },
  { name: t('target.driver'), className: 'soft', cell: ({ driver }) => t(`driver.${driver}`) },
  { name: t('environments.state'), cell: ({ state }) => <TargetLabel state={state} /> },
  {
    name: t('target.health'),
    cell: ({ health }) => <HealthText health={health} />,
  },
  {
    name: t('environments.agent'),
    cell: ({ agent }) => <AssignedAgent agent={agent} />,
  },
  {
    name: t('target.verbs'),
    hidden: true,
    number: true,
    cell: ({ id, name }) => (
      <span>
        {' '}
        <Button
          size="small"
          weight="plain"
          data-open=""
          onClick={() => open(id)}
          aria-label={t('target.open', { name })}
        >
          {t('target.open.short')}
        </Button>
      </span>
    ),
  },
];
