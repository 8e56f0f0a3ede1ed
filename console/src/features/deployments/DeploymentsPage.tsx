import { getRouteApi } from '@tanstack/react-router';
import {
  type DeploymentRowFragment,
  type DeploymentStatus,
  DeploymentsDocument,
  type DeploymentsQuery,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { countTargets } from '../../lib/target-counts.ts';
import type { Search } from '../../lib/url-state.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { JobLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { Filters } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Duration, Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/deployments');
const STATUSES: readonly DeploymentStatus[] = [
  'IN_PROGRESS',
  'PAUSED',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'ROLLED_BACK',
];

type View = Search<{ status: DeploymentStatus; env: string; after: string }>;

/** Every deployment, newest first: what the job says and what landed stand in two columns. */
export function DeploymentsPage() {
  const view = route.useSearch();
  const { status, env, after } = view;
  const navigate = route.useNavigate();
  const filter = { ...(status && { status }), ...(env && { environmentId: env }) };
  const deployments = useLiveQuery(DeploymentsDocument, { filter, after: after ?? null }, [
    'Deployment',
    'Environment',
  ]);
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = status || env ? () => void navigate({ search: {} }) : undefined;
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );

  return (
    <>
      <PageHead title={t('deployments.title')}>{t('deployments.lead')}</PageHead>
      <Narrow view={view} change={change} environments={deployments.data?.environments ?? []} />
      <QueryResult of={deployments} skeleton={<SkeletonRows rows={12} />} fault={t('deployments.fault')}>
        {({ deployments: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState clear={clear}>{t(clear ? 'deployments.filtered' : 'deployments.never')}</EmptyState>
            ) : (
              <Rows rows={edges.map(({ node }) => node)} />
            )}
            <Pager
              after={after}
              end={pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined}
              go={(next) => change({ after: next })}
            />
          </>
        )}
      </QueryResult>
    </>
  );
}

/** What narrows the list, all of it in the URL. */
function Narrow({
  view,
  change,
  environments,
}: {
  readonly view: View;
  readonly change: (next: View) => void;
  readonly environments: DeploymentsQuery['environments'];
}) {
  return (
    <Filters>
      {STATUSES.map((status) => (
        <Chip
          key={status}
          pressed={view.status === status}
          onPress={() => change({ status: view.status === status ? undefined : status })}
        >
          {t(`job.${status}`)}
        </Chip>
      ))}
      {environments.map(({ id, name }) => (
        <Chip key={id} pressed={view.env === id} onPress={() => change({ env: view.env === id ? undefined : id })}>
          {name}
        </Chip>
      ))}
    </Filters>
  );
}

const columns = (): Column<DeploymentRowFragment>[] => [
  {
    name: t('deployments.column.what'),
    cell: ({ id, release, environment, kind }) => (
      <>
        <Link look="name" data-open="" to="/deployments/$id" params={{ id }}>
          {t('arrow', { what: `${release.name} ${release.semver}`, where: environment.name })}
        </Link>{' '}
        {kind === 'ROLLBACK' && <Badge>{t('rollback.badge')}</Badge>}
      </>
    ),
  },
  {
    name: t('deployments.column.job'),
    cell: ({ status, landingVerification, pauseReason }) => (
      <JobLabel status={status} landing={landingVerification} paused={pauseReason} />
    ),
  },
  { name: t('deployments.column.landing'), cell: (row) => <Landing row={row} /> },
  { name: t('deployments.column.cause'), cell: ({ failureReason }) => <span className="soft">{failureReason}</span> },
  { name: t('deployments.column.who'), cell: ({ launchedBy }) => launchedBy.displayName },
  { name: t('deployments.column.started'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: t('deployments.column.took'),
    number: true,
    cell: ({ startedAt, createdAt, completedAt }) => <Duration from={startedAt ?? createdAt} until={completedAt} />,
  },
];

/** The verdict, and how many targets it is true of. */
function Landing({ row: { targets, landingVerification } }: { readonly row: DeploymentRowFragment }) {
  const { verified, total } = countTargets(targets);
  return (
    <span className="row">
      <VerdictLabel verdict={landingVerification} />
      <span className="quiet">{t('of', { n: verified, of: total })}</span>
    </span>
  );
}

function Rows({ rows }: { readonly rows: readonly DeploymentRowFragment[] }) {
  const navigate = route.useNavigate();
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (id) => void navigate({ to: '/deployments/$id', params: { id } }),
  );
  return <DataTable label={t('deployments.title')} columns={columns()} rows={rows} cursor={cursor} />;
}
