import { getRouteApi } from '@tanstack/react-router';
import { CustodyListDocument, type CustodyRowFragment } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ReleaseFilters, releaseFilter } from '../../parts/ReleaseFilters.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { CustodyLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListPage } from '../../ui/ListResult.tsx';
import { CUSTODY_TYPES } from './custody-types.ts';
import { t } from './labels.ts';

const route = getRouteApi('/custody');
const STEPS = ['SOURCE', 'BUILD', 'SCAN', 'APPROVE', 'DEPLOY', 'RUN'] as const;

export function CustodyListPage() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { after } = list.view;
  const filter = releaseFilter(list.view);
  const releases = useLiveQuery(CustodyListDocument, { filter, after: after ?? null }, CUSTODY_TYPES);
  return (
    <ListPage
      title={t('custodyList.title')}
      lead={t('custodyList.lead')}
      list={list}
      filters={<ReleaseFilters list={list} />}
      of={releases}
      rows={(data) => data.releases}
      fault={t('custodyList.fault')}
      empty={t(list.clear ? 'releases.noMatch' : 'custodyList.empty')}
      columns={columns()}
      open={(releaseId) => void navigate({ to: '/custody/$releaseId', params: { releaseId } })}
      labelled
    />
  );
}

const columns = (): Column<CustodyRowFragment>[] => [
  {
    name: t('releases.column.release'),
    cell: ({ id, name, semver }) => (
      <Link look="name" data-open="" to="/custody/$releaseId" params={{ releaseId: id }}>
        {name} {semver}
      </Link>
    ),
  },
  ...STEPS.map((step) => ({
    name: t(`custody.${step}`),
    cell: ({ custody }: CustodyRowFragment) => (
      <CustodyLabel state={custody.steps.find((one) => one.step === step)?.state ?? 'MISSING'} />
    ),
  })),
];
