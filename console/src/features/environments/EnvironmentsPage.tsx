import { getRouteApi } from '@tanstack/react-router';
import { type EnvironmentRowFragment, EnvironmentsDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { AgentLabel, JobLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { CreateEnvironment } from './EnvironmentForm.tsx';
import { t } from './labels.ts';
import { RunningReleaseLabels } from './RunningRelease.tsx';
import { VersionMatrix } from './VersionMatrix.tsx';

const route = getRouteApi('/environments');

/** The promotion path in order: what runs in each environment, what is on its way, and the targets under it. */
export function EnvironmentsPage() {
  const environments = useLiveQuery(EnvironmentsDocument, {}, ['Environment', 'Target', 'Agent', 'Deployment']);
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const create = (open: boolean) => void navigate({ search: open ? { ask: 'create' } : {}, replace: true });
  const administers = hasScope('orch:admin');
  useCommands(
    administers
      ? [
          {
            id: 'environment.create',
            group: 'act',
            keys: 'c',
            title: t('environment.create'),
            run: () => create(true),
          },
        ]
      : [],
  );
  return (
    <>
      <PageHead
        title={t('environments.title')}
        verbs={administers && <Button onClick={() => create(true)}>{t('environment.create')}</Button>}
      >
        {t('environments.lead')}
      </PageHead>
      <QueryResult of={environments} skeleton={<SkeletonRows rows={4} />} fault={t('environments.fault')}>
        {({ environments: rows }) =>
          rows.length === 0 ? (
            <EmptyState>{t('landscape.none')}</EmptyState>
          ) : (
            <>
              <VersionMatrix />
              <Section title={t('environments.path')} count={count(rows.length)} bare>
                <DataTable label={t('environments.path')} columns={columns()} rows={rows} labelled />
              </Section>
              {rows.map((row) => (
                <Targets key={row.id} environment={row} />
              ))}
            </>
          )
        }
      </QueryResult>
      {administers && ask === 'create' && environments.data !== undefined && (
        <CreateEnvironment
          orderIndex={Math.max(0, ...environments.data.environments.map(({ orderIndex }) => orderIndex)) + 10}
          close={() => create(false)}
        />
      )}
    </>
  );
}

const columns = (): Column<EnvironmentRowFragment>[] => [
  {
    name: t('environments.column.name'),
    cell: ({ id, name }) => (
      <Link look="name" to="/environments/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    name: t('environments.column.kind'),
    cell: ({ stageKind }) => <span className="soft">{t(`kind.${stageKind}`)}</span>,
  },
  { name: t('environments.column.runs'), cell: (row) => <Runs row={row} /> },
  { name: t('environments.column.active'), cell: (row) => <Active row={row} /> },
  {
    name: t('environments.column.targets'),
    number: true,
    cell: ({ targets }) =>
      t('of', { n: targets.filter(({ state }) => state === 'HEALTHY').length, of: targets.length }),
  },
  {
    name: t('environments.column.approvals'),
    number: true,
    cell: ({ requiredApprovals, separationOfDuties }) => (
      <span>
        {count(requiredApprovals)}
        {separationOfDuties === 'AUTHOR' && <span className="quiet">, {t('environments.sod')}</span>}
      </span>
    ),
  },
  { name: t('environments.column.strategy'), cell: ({ defaultStrategy }) => t(`strategy.${defaultStrategy}`) },
];

function Runs({ row }: { readonly row: EnvironmentRowFragment }) {
  if (row.currentDeployment === null)
    return (
      <span className="row">
        <span className="quiet">{t('launch.nothing')}</span>
        <RunningReleaseLabels environment={row} />
      </span>
    );
  const { release, completedAt } = row.currentDeployment;
  return (
    <span className="row" style={{ flexWrap: 'wrap' }}>
      <Link look="name" to="/releases/$id" params={{ id: release.id }}>
        {release.name} {release.semver}
      </Link>
      <RunningReleaseLabels environment={row} />
      {completedAt !== null && (
        <span className="quiet">
          <RelativeTime at={completedAt} />
        </span>
      )}
    </span>
  );
}

function Active({ row: { activeDeployment } }: { readonly row: EnvironmentRowFragment }) {
  if (activeDeployment === null) return null;
  const { id, status, release } = activeDeployment;
  return (
    <span className="row">
      <JobLabel status={status} landing={null} />
      <Link look="name" to="/deployments/$id" params={{ id }}>
        {release.name} {release.semver}
      </Link>
    </span>
  );
}

function Targets({
  environment: { id: environmentId, name, targets },
}: {
  readonly environment: EnvironmentRowFragment;
}) {
  return (
    <Section title={t('environments.targets', { name })} count={count(targets.length)}>
      {targets.length === 0 ? (
        <EmptyState>{t('environments.none')}</EmptyState>
      ) : (
        <Table
          label={t('environments.targets', { name })}
          list
          labelled
          head={[
            { name: t('environments.target'), width: '30%' },
            { name: t('environments.state'), width: '20%' },
            { name: t('environments.agent') },
          ]}
        >
          {targets.map(({ id, name: target, state, agent }) => (
            <tr key={id}>
              <th scope="row">
                <Link look="name" to="/environments/$id" params={{ id: environmentId }} search={{ target: id }}>
                  {target}
                </Link>
              </th>
              <td data-label={t('environments.state')}>
                <TargetLabel state={state} />
              </td>
              <td data-label={t('environments.agent')}>
                {agent === null ? (
                  <span className="quiet">{t('environments.unassigned')}</span>
                ) : (
                  <span className="row">
                    <Link look="name" to="/agents/$id" params={{ id: agent.id }}>
                      {agent.name}
                    </Link>
                    <AgentLabel state={agent.state} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
