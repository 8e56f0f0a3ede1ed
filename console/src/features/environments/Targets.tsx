import type { TargetRowFragment } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { AgentLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Link } from '../../ui/Link.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Where releases run here, how it is, and by which agents. A row opens its target beside the page. */
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

/** What was said of a target's health last, and when. */
export function HealthText({ health: { detail, checkedAt } }: { readonly health: TargetRowFragment['health'] }) {
  if (checkedAt === null) return <span className="quiet">{t('target.unlooked')}</span>;
  return (
    <span className="soft">
      {detail ?? t('target.looked')} <RelativeTime at={checkedAt} as="relative" />
    </span>
  );
}

const columns = (open: (id: string) => void): Column<TargetRowFragment>[] => [
  { name: t('environments.target'), cell: ({ name }) => name },
  { name: t('target.driver'), cell: ({ driver }) => <span className="soft">{t(`driver.${driver}`)}</span> },
  { name: t('environments.state'), cell: ({ state }) => <TargetLabel state={state} /> },
  {
    name: t('target.health'),
    cell: ({ health }) => <HealthText health={health} />,
  },
  {
    name: t('environments.agent'),
    cell: ({ agent }) =>
      agent === null ? (
        <span className="quiet">{t('environments.unassigned')}</span>
      ) : (
        <span className="row">
          <Link look="name" to="/agents/$id" params={{ id: agent.id }}>
            {agent.name}
          </Link>
          <AgentLabel state={agent.state} />
        </span>
      ),
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
