import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type ReleaseRowFragment, ReleasesDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { csv, download } from '../../lib/download.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { ReleaseFilters, releaseFilter } from '../../parts/ReleaseFilters.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { ReleaseLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListPage } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import type { PageAction } from '../../ui/PageHead.tsx';
import { Time } from '../../ui/Time.tsx';
import { CreateRelease, hasReleaseDraft } from './CreateRelease.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/releases');

export function ReleasesPage() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { after } = list.view;
  const [creating, setCreating] = useState(hasReleaseDraft);
  const filter = releaseFilter(list.view);
  const releases = useLiveQuery(ReleasesDocument, { filter, after: after ?? null }, ['Release', 'Deployment']);
  const rows = releases.data?.releases.edges.map(({ node }) => node) ?? [];
  useCommands(rows.length > 0 ? [{ id: 'releases.csv', title: t('releases.csv'), run: () => exportRows(rows) }] : []);
  const create: PageAction = {
    id: 'release.create',
    keys: 'c',
    title: t('release.create'),
    weight: 'primary',
    run: () => setCreating(true),
  };
  const mayCreate = hasScope('orch:operate');
  return (
    <>
      <ListPage
        title={t('releases.title')}
        lead={t('releases.lead')}
        actions={mayCreate ? [create] : []}
        list={list}
        filters={<ReleaseFilters list={list} />}
        of={releases}
        rows={(data) => data.releases}
        fault={t('releases.fault')}
        empty={t(list.clear ? 'releases.noMatch' : 'releases.empty')}
        verb={
          mayCreate &&
          !list.clear && (
            <Button weight="primary" onClick={create.run}>
              {create.title}
            </Button>
          )
        }
        columns={columns()}
        open={(id) => void navigate({ to: '/releases/$id', params: { id } })}
      />
      {creating && <CreateRelease close={() => setCreating(false)} />}
    </>
  );
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
    cell: ({ status, hold, product }) => (
      <span className="row">
        <ReleaseLabel status={status} />
        {hold !== null && <Badge tone="attention">{t('release.onHold')}</Badge>}
        {product.removedAt !== null && <Badge>{t('release.productRemoved')}</Badge>}
      </span>
    ),
  },
  { name: t('releases.column.runs'), className: 'soft', cell: runsIn },
  { name: t('releases.column.components'), number: true, cell: ({ components }) => count(components.length) },
  {
    name: t('releases.column.digest'),
    cell: ({ gatedDigestSet }) => optional(gatedDigestSet, t('release.open'), (digest) => <Digest value={digest} />),
  },
  { name: t('releases.column.author'), cell: ({ createdBy }) => createdBy.displayName },
  { name: t('releases.column.created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const runsIn = ({ landscape }: ReleaseRowFragment): string =>
  landscape
    .filter(({ isCurrent }) => isCurrent)
    .map(({ environment }) => environment.name)
    .join(', ');

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
