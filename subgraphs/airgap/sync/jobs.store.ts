import type { TenantId } from '@landfall/kernel/core/ids';
import { digestColumn } from '@landfall/kernel/crypto/digest-column';
import { id, instant, integer, oneOf, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { STORED_KINDS } from './kinds.ts';

/** `queued` and `exported` are own jobs; the others came in bundles. */
export const JOB_STATES = ['queued', 'exported', 'applied', 'duplicate', 'conflict', 'refused'] as const;
export type JobState = (typeof JOB_STATES)[number];

const columns = {
  id: id('SyncJob'),
  siteId: uuid,
  stamp: text,
  kind: oneOf(...STORED_KINDS),
  key: text,
  digest: digestColumn,
  state: oneOf(...JOB_STATES),
  refusal: text.nullable(),
  sequence: integer.nullable(),
  createdAt: instant,
} as const;

const jobs = table('airgap.sync_jobs', columns, { noun: 'job' });
const whole = table('airgap.sync_jobs.whole', { ...columns, payload: text }, { noun: 'job' });

/** Job without its payload, as lists and merges have it. */
export type SyncJob = RowOf<typeof jobs>;
export type WholeJob = RowOf<typeof whole>;

export const { get, listByIds: listWholeByIds } = whole;

type NewJob = Omit<WholeJob, 'createdAt'>;

/** Stores jobs that came in a bundle. */
export const insertAll = (tx: Tx, tenant: TenantId, rows: readonly NewJob[]): Promise<number> =>
  whole.insertAll(
    tx,
    tenant,
    rows.map((job) => ({ ...job, refusal: job.refusal ?? null })),
  );

export const setState = (tx: Tx, tenant: TenantId, { id: job, state }: Pick<SyncJob, 'id' | 'state'>) =>
  tx.run(sql`/* airgap.sync_jobs.setState */
    update airgap.sync_jobs set state = ${state} where tenant = ${tenant} and id = ${job}`);

/** Name of what a job is about. */
export interface JobName {
  readonly kind: SyncJob['kind'];
  readonly key: string;
}

export const list = (
  query: Query,
  tenant: TenantId,
  { state, ...bounds }: { state: JobState | undefined; after: string | undefined; limit: number },
): Promise<SyncJob[]> => jobs.listPage(query, tenant, bounds, state && sql`state = ${state}`);

/** Condition of the rows with some names. */
export const isNamed = (names: readonly JobName[]): Sql => sql`(kind, key) in (
  select kind, key from unnest(${names.map(({ kind }) => kind)}::text[], ${names.map(({ key }) => key)}::text[])
    as wanted (kind, key))`;

/** Jobs with some names that take part in merges. */
export const listSides = (query: Query, tenant: TenantId, names: readonly JobName[]): Promise<SyncJob[]> =>
  jobs.listWhere(query, 'listSides', sql`tenant = ${tenant} and state <> 'refused' and ${isNamed(names)}`);

export const findOfSite = (query: Query, tenant: TenantId, siteId: string, { kind, key }: JobName) =>
  whole.findWhere(
    query,
    'findOfSite',
    sql`tenant = ${tenant} and kind = ${kind} and key = ${key} and site_id = ${siteId} order by stamp limit 1`,
  );

/** Oldest own jobs that wait, in the order of their stamps. */
export const listQueued = (query: Query, tenant: TenantId, limit: number): Promise<WholeJob[]> =>
  whole.listWhere(query, 'listQueued', sql`tenant = ${tenant} and state = 'queued' order by stamp limit ${limit}`);

export const countQueued = (query: Query, tenant: TenantId): Promise<number> =>
  jobs.countWhere(query, 'countQueued', sql`tenant = ${tenant} and state = 'queued'`);

/** Own jobs of a bundle, in its order. */
export const listOfBundle = (query: Query, tenant: TenantId, siteId: string, sequence: number): Promise<WholeJob[]> =>
  whole.listWhere(
    query,
    'listOfBundle',
    sql`tenant = ${tenant} and site_id = ${siteId} and sequence = ${sequence} order by stamp`,
  );

export const markExported = (tx: Tx, tenant: TenantId, own: readonly WholeJob[], sequence: number): Promise<number> =>
  tx.run(sql`/* airgap.sync_jobs.markExported */
    update airgap.sync_jobs set state = 'exported', sequence = ${sequence}
    where tenant = ${tenant} and id = any(${own.map(({ id: job }) => job)}::uuid[])`);
