import { getRouteApi } from '@tanstack/react-router';
import { SyncDocument, type SyncQuery, type SyncSiteRowFragment } from '../../generated/operations.ts';
import { mayReadAirGap, maySeal } from '../../lib/airgap-permissions.ts';
import { shortId } from '../../lib/artifact-about.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { optional } from '../../ui/optional-value.tsx';
import type { PageAction } from '../../ui/PageHead.tsx';
import { QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { AirGapLayout } from './AirGapLayout.tsx';
import { t } from './labels.ts';
import { SyncConflicts } from './SyncConflicts.tsx';
import { SyncDialogs } from './SyncDialogs.tsx';
import { SyncJobs } from './SyncJobs.tsx';
import type { NamedSite } from './site-name.ts';
import { SYNC_ENTITIES } from './sync-entities.ts';

const route = getRouteApi('/airgap/sites');

/** Names of this site and of the others. */
const named = ({ siteId }: SyncQuery['syncStatus'], sites: readonly NamedSite[]): readonly NamedSite[] =>
  siteId === null ? sites : [{ siteId, name: t('sync.own') }, ...sites];

/** Page of the sites of a tenant: bundles that went out and came in, and the jobs about which sites disagree. */
export function SyncPage() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { view, set } = list;
  const answer = useLiveQuery(SyncDocument, mayReadAirGap() ? {} : undefined, SYNC_ENTITIES);
  const open = (ask: NonNullable<typeof view.ask>) => () => set({ ask });
  const actions: PageAction[] = [
    { id: 'sync.export', title: t('sync.export'), weight: 'primary', run: open('export') },
    { id: 'sync.import', title: t('sync.import'), run: open('import') },
    { id: 'sync.addSite', title: t('sync.addSite'), run: open('site') },
  ];
  return (
    <AirGapLayout tab="sites" lead={t('sync.lead')} actions={maySeal() ? actions : []}>
      <QueryResult of={answer} skeleton={<SkeletonPage rows={4} />} fault={t('sync.fault')}>
        {({ syncStatus, syncSites }) => (
          <>
            <Figures status={syncStatus} />
            <SyncConflicts
              sites={named(syncStatus, syncSites)}
              isAll={view.resolved ?? false}
              showAll={(isAll) => set({ resolved: isAll || undefined })}
            />
            <TableSection
              title={t('sync.sites')}
              bare
              rows={syncSites}
              rowId={({ siteId }) => siteId}
              columns={siteColumns()}
              empty={t('sync.sites.none')}
              labelled
            />
            <SyncJobs list={list} sites={named(syncStatus, syncSites)} />
          </>
        )}
      </QueryResult>
      {maySeal() && view.ask !== undefined && <SyncDialogs ask={view.ask} close={() => set({ ask: undefined })} />}
    </AirGapLayout>
  );
}

const Figures = ({
  status: { siteId, sequence, queued, openConflicts },
}: {
  readonly status: SyncQuery['syncStatus'];
}) => (
  <Gauges label={t('sync.figures')}>
    <Gauge label={t('sync.conflicts')} big={count(openConflicts)} sub={t('sync.conflicts.sub')} />
    <Gauge label={t('sync.queued')} big={count(queued)} sub={t('sync.queued.sub')} />
    <Gauge label={t('sync.exported')} big={count(sequence)} sub={t('sync.exported.sub')} />
    <Gauge
      label={t('sync.own')}
      value={siteId === null ? t('sync.own.none') : <span className="code">{siteId}</span>}
      sub={t('sync.own.sub')}
    />
  </Gauges>
);

const siteColumns = (): Column<SyncSiteRowFragment>[] => [
  { name: t('sync.site'), className: 'breaks', cell: ({ name }) => name },
  { name: t('sync.site.id'), cell: ({ siteId }) => <span className="code">{shortId(siteId)}</span> },
  { name: t('sync.site.key'), cell: ({ keyId }) => <span className="code">{shortId(keyId)}</span> },
  { name: t('sync.site.sequence'), number: true, cell: ({ sequence }) => count(sequence) },
  {
    name: t('sync.site.imported'),
    cell: ({ importedAt }) => optional(importedAt, t('sync.site.imported.none'), (at) => <Time at={at} />),
  },
  {
    name: t('sync.site.added'),
    className: 'breaks',
    cell: ({ addedBy, addedAt }) => (
      <span>
        {addedBy.displayName} <Time at={addedAt} />
      </span>
    ),
  },
];
