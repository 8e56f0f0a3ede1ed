import { type SyncJobRowFragment, type SyncJobState, SyncJobsDocument } from '../../generated/operations.ts';
import { SYNC_JOB_STATES } from '../../lib/enums.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import type { ListView } from '../../lib/url-state.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { SelectFilter } from '../../ui/Filters.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { type NamedSite, siteName } from './site-name.ts';
import { SYNC_ENTITIES } from './sync-entities.ts';

const LOOKS: Looks<SyncJobState> = {
  QUEUED: 'queued-waiting',
  EXPORTED: 'signed-muted',
  APPLIED: 'verified',
  DUPLICATE: 'signed-muted',
  CONFLICT: 'mismatch',
  REFUSED: 'failed',
};

type SyncJobsProps = {
  readonly list: ListView & {
    readonly view: { readonly state?: SyncJobState | undefined };
    readonly set: (next: { readonly state: SyncJobState | undefined; readonly after: undefined }) => void;
  };
  readonly sites: readonly NamedSite[];
};

/** Jobs of this site and of others, the newest first. */
export function SyncJobs({ list, sites }: SyncJobsProps) {
  const { state, after } = list.view;
  const answer = useLiveQuery(SyncJobsDocument, { state: state ?? null, after: after ?? null }, SYNC_ENTITIES);
  const choose = (next: string | undefined) =>
    list.set({ state: SYNC_JOB_STATES.find((one) => one === next), after: undefined });
  return (
    <ListSection
      title={t('sync.jobs')}
      bare
      of={answer}
      rows={({ syncJobs }) => syncJobs}
      list={list}
      skeleton={4}
      filters={
        <SelectFilter
          label={t('sync.job.state')}
          value={state}
          options={SYNC_JOB_STATES.map((value) => ({ value, label: t(`sync.state.${value}`) }))}
          choose={choose}
        />
      }
      fault={t('sync.jobs.fault')}
      empty={t(state === undefined ? 'sync.jobs.none' : 'sync.jobs.none.filtered')}
      columns={columns(sites)}
      labelled
    />
  );
}

const columns = (sites: readonly NamedSite[]): Column<SyncJobRowFragment>[] => [
  { name: t('sync.key'), className: 'breaks', cell: ({ key }) => key },
  { name: t('sync.kind'), cell: ({ kind }) => t(`sync.kind.${kind}`) },
  {
    name: t('sync.from'),
    className: 'breaks',
    cell: ({ siteId }) => siteName(siteId, sites),
  },
  {
    name: t('sync.job.state'),
    className: 'breaks',
    cell: ({ state, refusal }) => (
      <span>
        <StateLabel look={LOOKS[state]}>{t(`sync.state.${state}`)}</StateLabel> <span className="soft">{refusal}</span>
      </span>
    ),
  },
  { name: t('sync.bundle'), number: true, cell: ({ sequence }) => optional(sequence, t('sync.bundle.none'), count) },
  { name: t('sync.created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
];
