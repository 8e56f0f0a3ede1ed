import { getRouteApi } from '@tanstack/react-router';
import { type EnvironmentRowFragment, EnvironmentsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { DeploymentLink, EnvironmentLink, ReleaseLink, TargetLink } from '../../ui/EntityLink.tsx';
import { DeploymentStatusLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { CreateEnvironment } from './EnvironmentForm.tsx';
import { t } from './labels.ts';
import { RunningReleaseLabels } from './RunningReleaseLabels.tsx';
import { AssignedAgent } from './Targets.tsx';
import { VersionMatrix } from './VersionMatrix.tsx';

const route = getRouteApi('/environments');

/** Promotion path in order: what runs in each environment, what is on its way, and the targets under it. */
export function EnvironmentsPage() {
  const environments = useLiveQuery(EnvironmentsDocument, {}, ['Environment', 'Target', 'Agent', 'Deployment']);
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const administers = hasScope('orch:admin');
  return (
    <>
      <PageHead
        title={t('environments.title')}
        actions={
          administers
            ? [
                {
                  id: 'environment.create',
                  keys: 'c',
                  title: t('environment.create'),
                  run: () => set({ ask: 'create' }),
                },
              ]
            : []
        }
      >
        {t('environments.lead')}
      </PageHead>
      <QueryResult of={environments} skeleton={<SkeletonRows rows={4} />} fault={t('environments.fault')}>
        {({ environments: rows }) =>
          rows.length === 0 ? (
            <EmptyState>{t('environments.empty')}</EmptyState>
          ) : (
            <>
              <VersionMatrix />
              <TableSection title={t('environments.path')} bare columns={columns()} rows={rows} labelled />
              {rows.map((row) => (
                <Targets key={row.id} environment={row} />
              ))}
            </>
          )
        }
      </QueryResult>
      {administers && view.ask === 'create' && environments.data !== undefined && (
        <CreateEnvironment
          orderIndex={Math.max(0, ...environments.data.environments.map(({ orderIndex }) => orderIndex)) + 10}
          close={() => set({ ask: undefined })}
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
  { name: t('environments.column.kind'), className: 'soft', cell: ({ stageKind }) => t(`kind.${stageKind}`) },
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
        {separationOfDuties === 'AUTHOR' && <span className="quiet">, {t('environments.separationOfDuties')}</span>}
      </span>
    ),
  },
  { name: t('environments.column.strategy'), cell: ({ defaultStrategy }) => t(`strategy.${defaultStrategy}`) },
];

function Runs({ row }: { readonly row: EnvironmentRowFragment }) {
  if (row.products.length > 1)
    return (
      <span className="row">
        {t('environment.products.n', { n: row.products.length })}
        <RunningReleaseLabels environment={row} />
      </span>
    );
  if (row.currentDeployment === null)
    return (
      <span className="row">
        <span className="quiet">{t('launch.noRelease')}</span>
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

/** Deployments under way, one of each product at most. */
const Active = ({ row: { products } }: { readonly row: EnvironmentRowFragment }) =>
  products
    .flatMap(({ activeDeployment }) => activeDeployment ?? [])
    .map((deployment) => (
      <span key={deployment.id} className="row">
        <DeploymentStatusLabel status={deployment.status} landing={null} paused={deployment.pauseReason} />
        <DeploymentLink deployment={deployment} />
      </span>
    ));

type TargetsProps = { readonly environment: EnvironmentRowFragment };

function Targets({ environment: { id: environmentId, name, targets } }: TargetsProps) {
  return (
    <TableSection
      title={t('environments.targets', { name })}
      empty={t('environments.none')}
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
  );
}
