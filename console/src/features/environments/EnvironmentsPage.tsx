import { getRouteApi } from '@tanstack/react-router';
import { type EnvironmentRowFragment, EnvironmentsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DeploymentLink, EnvironmentLink, ReleaseLink, TargetLink } from '../../ui/EntityLink.tsx';
import { JobLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { CreateEnvironment } from './EnvironmentForm.tsx';
import { t } from './labels.ts';
import { RunningReleaseLabels } from './RunningRelease.tsx';
import { AssignedAgent } from './Targets.tsx';
import { VersionMatrix } from './VersionMatrix.tsx';

const route = getRouteApi('/environments');

/** The promotion path in order: what runs in each environment, what is on its way, and the targets under it. */
export function EnvironmentsPage() {
  const environments = useLiveQuery(EnvironmentsDocument, {}, ['Environment', 'Target', 'Agent', 'Deployment']);
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const create = (open: boolean) => void navigate({ search: open ? { ask: 'create' } : {}, replace: true });
  const administers = hasScope('orch:admin');
  return (
    <>
      <PageHead
        title={t('environments.title')}
        actions={
          administers
            ? [{ id: 'environment.create', keys: 'c', title: t('environment.create'), run: () => create(true) }]
            : []
        }
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
    cell: (environment) => <EnvironmentLink environment={environment} />,
  },
  {
    name: t('environments.column.kind'),
    className: 'soft',
    cell: ({ stageKind }) => t(`kind.${stageKind}`),
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
      <ReleaseLink release={release} />
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
  return (
    <span className="row">
      <JobLabel status={activeDeployment.status} landing={null} />
      <DeploymentLink deployment={activeDeployment} />
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
        <DataTable
          label={t('environments.targets', { name })}
          labelled
          rows={targets}
          columns={[
            {
              name: t('environments.target'),
              width: '30%',
              cell: (target) => <TargetLink target={target} environmentId={environmentId} />,
            },
            { name: t('environments.state'), width: '20%', cell: ({ state }) => <TargetLabel state={state} /> },
            { name: t('environments.agent'), cell: ({ agent }) => <AssignedAgent agent={agent} /> },
          ]}
        />
      )}
    </Section>
  );
}
