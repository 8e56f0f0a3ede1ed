import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type ReleaseRowFragment, type ReleaseStatus, ReleasesDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { csv, download } from '../../lib/download.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import type { Search } from '../../lib/url-state.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ReleaseLabel } from '../../ui/EntityStates.tsx';
import { Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Time } from '../../ui/Time.tsx';
import { CreateRelease, isReleaseKept } from './CreateRelease.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/releases');
const STATUSES: readonly ReleaseStatus[] = ['DRAFT', 'FINALIZED', 'READY', 'DEPRECATED'];

type View = Search<{ status: ReleaseStatus; name: string; after: string }>;

/** Every release, newest first. */
export function ReleasesPage() {
  const view = route.useSearch();
  const { status, name, after } = view;
  const navigate = route.useNavigate();
  const [creating, setCreating] = useState(isReleaseKept);
  const filter = { ...(status && { status }), ...(name && { name }) };
  const releases = useLiveQuery(ReleasesDocument, { filter, after: after ?? null }, ['Release', 'Deployment']);
  const create = hasScope('orch:operate') ? () => setCreating(true) : undefined;
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = status || name ? () => void navigate({ search: {} }) : undefined;
  useCommands([
    ...(create
      ? [{ id: 'release.create', group: 'act' as const, keys: 'c', title: t('release.create'), run: create }]
      : []),
    ...(clear
      ? [{ id: 'filter.clear', group: 'move' as const, keys: 'Escape', title: t('filter.clear'), run: clear }]
      : []),
  ]);

  return (
    <>
      <PageHead title={t('releases.title')} verbs={create && <Create create={create} />}>
        {t('releases.lead')}
      </PageHead>
      <Narrow view={view} change={change} />
      <QueryResult of={releases} skeleton={<SkeletonRows rows={12} />} fault={t('releases.fault')}>
        {({ releases: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <Nothing clear={clear} create={create} />
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
      {creating && <CreateRelease close={() => setCreating(false)} />}
    </>
  );
}

function Create({ create }: { readonly create: () => void }) {
  return (
    <Button weight="primary" onClick={create}>
      {t('release.create')}
    </Button>
  );
}

/** What narrows the list, all of it in the URL. */
function Narrow({ view, change }: { readonly view: View; readonly change: (next: View) => void }) {
  return (
    <Filters>
      <TextFilter
        label={t('releases.find')}
        value={view.name ?? ''}
        find={(words) => change({ name: words === '' ? undefined : words })}
      />
      {STATUSES.map((status) => (
        <Chip
          key={status}
          pressed={view.status === status}
          onPress={() => change({ status: view.status === status ? undefined : status })}
        >
          {t(`release.${status}`)}
        </Chip>
      ))}
    </Filters>
  );
}

/** No release: none at all, or none that the filters let through. */
function Nothing({
  clear,
  create,
}: {
  readonly clear: (() => void) | undefined;
  readonly create: (() => void) | undefined;
}) {
  if (clear) return <EmptyState clear={clear}>{t('releases.filtered')}</EmptyState>;
  return <EmptyState verb={create && <Create create={create} />}>{t('releases.never')}</EmptyState>;
}

const columns = (): Column<ReleaseRowFragment>[] => [
  {
    name: t('releases.column.release'),
    cell: ({ id, name, semver }) => (
      <Link look="name" data-open="" to="/releases/$id" params={{ id }}>
        {name} {semver}
      </Link>
    ),
  },
  {
    name: t('releases.column.status'),
    cell: ({ status, hold }) => (
      <span className="row">
        <ReleaseLabel status={status} />
        {hold !== null && <Badge tone="attention">{t('release.held')}</Badge>}
      </span>
    ),
  },
  { name: t('releases.column.runs'), cell: (release) => <span className="soft">{runsIn(release)}</span> },
  { name: t('releases.column.components'), number: true, cell: ({ components }) => count(components.length) },
  {
    name: t('releases.column.digest'),
    cell: ({ gatedDigestSet }) =>
      gatedDigestSet === null ? <span className="quiet">{t('release.open')}</span> : <Digest value={gatedDigestSet} />,
  },
  { name: t('releases.column.author'), cell: ({ createdBy }) => createdBy.displayName },
  { name: t('releases.column.created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const runsIn = ({ landscape }: ReleaseRowFragment): string =>
  landscape
    .filter(({ isCurrent }) => isCurrent)
    .map(({ environment }) => environment.name)
    .join(', ');

function Rows({ rows }: { readonly rows: readonly ReleaseRowFragment[] }) {
  const navigate = route.useNavigate();
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (id) => void navigate({ to: '/releases/$id', params: { id } }),
  );
  useCommands([{ id: 'releases.csv', group: 'act', title: t('releases.csv'), run: () => exportRows(rows) }]);
  return <DataTable label={t('releases.title')} columns={columns()} rows={rows} cursor={cursor} />;
}

function exportRows(rows: readonly ReleaseRowFragment[]): void {
  const head = ['id', 'name', 'semver', 'status', 'gatedDigestSet', 'createdAt', 'createdBy', 'runsIn'];
  const lines = rows.map((row) => [
    row.id,
    row.name,
    row.semver,
    row.status,
    row.gatedDigestSet ?? '',
    row.createdAt,
    row.createdBy.id,
    runsIn(row),
  ]);
  download('releases.csv', 'text/csv', csv(head, lines));
}
