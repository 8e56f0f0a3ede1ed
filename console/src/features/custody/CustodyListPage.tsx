import { getRouteApi } from '@tanstack/react-router';
import { CustodiesDocument, type CustodyRowFragment, type ReleaseStatus } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import type { Search } from '../../lib/url-state.ts';
import { Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { CustodyLabel } from '../../ui/EntityStates.tsx';
import { Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { CUSTODY_TYPES } from './custody-types.ts';
import { t } from './labels.ts';

const route = getRouteApi('/custody');
const STATUSES: readonly ReleaseStatus[] = ['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED'];
const STEPS = ['SOURCE', 'BUILD', 'SCAN', 'APPROVE', 'DEPLOY', 'RUN'] as const;

type View = Search<{ status: ReleaseStatus; name: string; after: string }>;

/** Every release with its six links, newest first. */
export function CustodyListPage() {
  const view = route.useSearch();
  const { status, name, after } = view;
  const navigate = route.useNavigate();
  const filter = { ...(status && { status }), ...(name && { name }) };
  const releases = useLiveQuery(CustodiesDocument, { filter, after: after ?? null }, CUSTODY_TYPES);
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = status || name ? () => void navigate({ search: {} }) : undefined;
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <>
      <PageHead title={t('custodies.title')}>{t('custodies.lead')}</PageHead>
      <Filters>
        <TextFilter
          label={t('releases.find')}
          value={name ?? ''}
          find={(words) => change({ name: words === '' ? undefined : words })}
        />
        {STATUSES.map((one) => (
          <Chip key={one} pressed={status === one} onPress={() => change({ status: status === one ? undefined : one })}>
            {t(`release.${one}`)}
          </Chip>
        ))}
      </Filters>
      <QueryResult of={releases} skeleton={<SkeletonRows rows={12} />} fault={t('custodies.fault')}>
        {({ releases: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState clear={clear}>{t(clear ? 'releases.filtered' : 'custodies.never')}</EmptyState>
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
    cell: ({ custody }: CustodyRowFragment) => <CustodyLabel state={stateOf(custody, step)} />,
  })),
];

const stateOf = ({ steps }: CustodyRowFragment['custody'], wanted: (typeof STEPS)[number]) =>
  steps.find(({ step }) => step === wanted)?.state ?? 'MISSING';

function Rows({ rows }: { readonly rows: readonly CustodyRowFragment[] }) {
  const navigate = route.useNavigate();
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (releaseId) => void navigate({ to: '/custody/$releaseId', params: { releaseId } }),
  );
  return <DataTable label={t('custodies.title')} columns={columns()} rows={rows} cursor={cursor} labelled />;
}
