import { getRouteApi } from '@tanstack/react-router';
import { CustodiesDocument, type CustodyRowFragment } from '../../generated/operations.ts';
import { filterChanges } from '../../lib/filter-changes.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { CustodyLabel } from '../../ui/EntityStates.tsx';
import { ChipGroup, Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CUSTODY_TYPES } from './custody-types.ts';
import { t } from './labels.ts';

const route = getRouteApi('/custody');
const STEPS = ['SOURCE', 'BUILD', 'SCAN', 'APPROVE', 'DEPLOY', 'RUN'] as const;

/** Releases with the six links of their chain of custody, newest first. */
export function CustodyListPage() {
  const view = route.useSearch();
  const { status, name, after } = view;
  const navigate = route.useNavigate();
  const { change, clear } = filterChanges(view, (search) => void navigate({ search }), {});
  const filter = { ...(status && { status }), ...(name && { name }) };
  const releases = useLiveQuery(CustodiesDocument, { filter, after: after ?? null }, CUSTODY_TYPES);
  return (
    <>
      <PageHead title={t('custodies.title')}>{t('custodies.lead')}</PageHead>
      <Filters clear={clear}>
        <TextFilter label={t('releases.find')} value={name} find={(words) => change({ name: words })} />
        <ChipGroup
          value={status}
          options={['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED']}
          label={(one) => t(`release.${one}`)}
          choose={(one) => change({ status: one })}
        />
      </Filters>
      <ListResult
        of={releases}
        rows={(data) => data.releases}
        fault={t('custodies.fault')}
        empty={t(clear ? 'releases.filtered' : 'custodies.never')}
        clear={clear}
        skeleton={12}
        label={t('custodies.title')}
        columns={columns()}
        open={(releaseId) => void navigate({ to: '/custody/$releaseId', params: { releaseId } })}
        pages={{ after, go: (next) => change({ after: next }) }}
        labelled
      />
    </>
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
