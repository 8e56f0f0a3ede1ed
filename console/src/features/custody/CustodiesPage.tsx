import { getRouteApi } from '@tanstack/react-router';
import { CustodiesDocument, type CustodyRowFragment, type ReleaseStatus } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLive } from '../../lib/graph.ts';
import type { Search } from '../../lib/url-state.ts';
import { Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Filters, Find } from '../../ui/Filters.tsx';
import { Head } from '../../ui/Head.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { CustodyMark } from '../../ui/Status.tsx';
import { CHANGES_CUSTODY } from './watched.ts';
import { t } from './words.ts';

const route = getRouteApi('/custody');
const STATUSES: readonly ReleaseStatus[] = ['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED'];
const STEPS = ['SOURCE', 'BUILD', 'SCAN', 'APPROVE', 'DEPLOY', 'RUN'] as const;

type View = Search<{ status: ReleaseStatus; name: string; after: string }>;

/** Every release with its six links, newest first. */
export function CustodiesPage() {
  const view = route.useSearch();
  const { status, name, after } = view;
  const navigate = route.useNavigate();
  const filter = { ...(status && { status }), ...(name && { name }) };
  const releases = useLive(CustodiesDocument, { filter, after: after ?? null }, CHANGES_CUSTODY);
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = status || name ? () => void navigate({ search: {} }) : undefined;
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <>
      <Head title={t('custodies.title')}>{t('custodies.lead')}</Head>
      <Filters>
        <Find
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
      <States of={releases} skeleton={<SkeletonRows rows={12} />} fault={t('custodies.fault')}>
        {({ releases: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <Empty clear={clear}>{t(clear ? 'releases.filtered' : 'custodies.never')}</Empty>
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
      </States>
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
    cell: ({ custody }: CustodyRowFragment) => <CustodyMark state={stateOf(custody, step)} />,
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
