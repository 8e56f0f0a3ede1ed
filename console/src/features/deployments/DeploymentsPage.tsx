import { getRouteApi } from '@tanstack/react-router';
import { type DeploymentRowFragment, type DeploymentStatus, DeploymentsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { countTargets } from '../../lib/target-counts.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ProductFilter } from '../../parts/ProductFilter.tsx';
import { Badge } from '../../ui/Badge.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { releaseName } from '../../ui/EntityLink.tsx';
import { DeploymentStatusLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { ChipGroup, EnvironmentFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListPage } from '../../ui/ListResult.tsx';
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

/** Deployments, newest first, with the status and the landing verdict in two columns. */
export function DeploymentsPage() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { product, status, env, after } = list.view;
  const filter = {
    ...(product && { productId: product }),
    ...(status && { status }),
    ...(env && { environmentId: env }),
  };
  const deployments = useLiveQuery(DeploymentsDocument, { filter, after: after ?? null }, [
    'Deployment',
    'Environment',
  ]);
  const environments = new Map((deployments.data?.environments ?? []).map(({ id, name }) => [id, name]));
  return (
    <ListPage
      title={t('deployments.title')}
      lead={t('deployments.lead')}
      list={list}
      filters={
        <>
          <ProductFilter value={product} choose={(id) => list.filterBy({ product: id })} />
          <ChipGroup
            value={status}
            options={STATUSES}
            label={(one) => t(`deploymentStatus.${one}`)}
            choose={(one) => list.filterBy({ status: one })}
          />
          <EnvironmentFilter names={environments} value={env} choose={(id) => list.filterBy({ env: id })} />
        </>
      }
      of={deployments}
      rows={(data) => data.deployments}
      fault={t('deployments.fault')}
      empty={t(list.clear ? 'deployments.noMatch' : 'deployments.empty')}
      columns={columns()}
      open={(id) => void navigate({ to: '/deployments/$id', params: { id } })}
    />
  );
}

const columns = (): Column<DeploymentRowFragment>[] => [
  {
    name: t('deployments.column.what'),
    cell: ({ id, release, environment, kind }) => (
      <>
        <Link look="name" data-open="" to="/deployments/$id" params={{ id }}>
          {t('promotion.summary', { what: releaseName(release), where: environment.name })}
        </Link>{' '}
        {kind === 'ROLLBACK' && <Badge>{t('rollback.badge')}</Badge>}
      </>
    ),
  },
  {
    name: t('deployments.column.status'),
    cell: ({ status, landingVerification, pauseReason }) => (
      <DeploymentStatusLabel status={status} landing={landingVerification} paused={pauseReason} />
    ),
  },
  { name: t('deployments.column.landing'), cell: (row) => <Landing row={row} /> },
  { name: t('deployments.column.cause'), className: 'soft', cell: ({ failureReason }) => failureReason },
  { name: t('deployments.column.who'), cell: ({ launchedBy }) => launchedBy.displayName },
  { name: t('deployments.column.started'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: t('deployments.column.took'),
    number: true,
    cell: ({ startedAt, createdAt, completedAt }) => <Duration from={startedAt ?? createdAt} until={completedAt} />,
  },
];

/** Verdict, and how many targets it is true of. */
function Landing({ row: { targets, landingVerification } }: { readonly row: DeploymentRowFragment }) {
  const { verified, total } = countTargets(targets);
  return (
    <span className="row">
      <VerdictLabel verdict={landingVerification} />
      <span className="quiet">{t('of', { n: verified, of: total })}</span>
    </span>
  );
}
