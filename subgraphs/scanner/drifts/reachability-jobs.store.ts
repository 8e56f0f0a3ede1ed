import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { LANGUAGES, type Language } from '../reachability/language.ts';
import type { ScanId } from './scan-facts.store.ts';

const jobs = table(
  'scanner.reachability_jobs',
  {
    id: id('ReachabilityJob'),
    scanId: id('Scan'),
    language: oneOf(...LANGUAGES),
    status: oneOf('queued', 'running', 'completed', 'failed'),
    error: text.nullable(),
    attempts: integer,
    requestedBy: text,
    requestedAt: instant,
    startedAt: instant.nullable(),
    finishedAt: instant.nullable(),
  },
  { noun: 'reachability job' },
);

/** Computation of the reachability of a scan's findings by the call graph of one language. */
export type ReachabilityJob = RowOf<typeof jobs>;

export const { insertIfAbsent, get } = jobs;

/** The queued or running job of a scan and a language. */
export const findOpen = (query: Query, tenant: TenantId, scanId: ScanId, language: Language) =>
  jobs.findWhere(
    query,
    'findOpen',
    sql`tenant = ${tenant} and scan_id = ${scanId} and language = ${language} and status in ('queued', 'running')`,
  );

/** Newest job of each language of some scans. */
export const listNewest = (query: Query, tenant: TenantId, scanIds: readonly ScanId[]): Promise<ReachabilityJob[]> =>
  query.list(
    jobs,
    sql`/* scanner.reachability_jobs.listNewest */
    select distinct on (scan_id, language) ${jobs.columns} from scanner.reachability_jobs
    where tenant = ${tenant} and scan_id = any(${scanIds}::uuid[])
    order by scan_id, language, id desc`,
  );

const due = table('scanner.reachability_jobs.due', {
  tenant: tenantId,
  id: id('ReachabilityJob'),
  scanId: id('Scan'),
  language: oneOf(...LANGUAGES),
  attempts: integer,
});

/** Job with a lease; its number of attempts fences off a process whose lease another one has. */
export type LeasedJob = RowOf<typeof due>;

/** Leases the oldest job that nobody works on, across tenants; the job of a process that died is due after its lease. */
export const leaseDue = (tx: Tx, leaseSeconds: number): Promise<LeasedJob | undefined> =>
  tx.find(
    due,
    sql`/* scanner.reachability_jobs.leaseDue */
    update scanner.reachability_jobs as job
    set status = 'running', attempts = attempts + 1, started_at = coalesce(started_at, kernel.now()),
      lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from (
      select tenant, id from scanner.reachability_jobs
      where status in ('queued', 'running') and (lease_until is null or lease_until <= kernel.now())
      order by requested_at limit 1
      for update skip locked
    ) as due
    where job.tenant = due.tenant and job.id = due.id
    returning job.tenant, job.id, job.scan_id, job.language, job.attempts`,
  );

/** Ends a job; null is the error of one that completed. @returns the number of rows: 0 where another process leased it */
export const finish = (tx: Tx, { tenant, id: jobId, attempts }: LeasedJob, error: string | null): Promise<number> =>
  tx.run(sql`/* scanner.reachability_jobs.finish */
    update scanner.reachability_jobs
    set status = case when ${error}::text is null then 'completed' else 'failed' end, error = ${error}::text,
      finished_at = kernel.now(), lease_until = null
    where tenant = ${tenant} and id = ${jobId} and status = 'running' and attempts = ${attempts}`);

/** Makes a leased job due at once. */
export const release = (tx: Tx, { tenant, id: jobId, attempts }: LeasedJob): Promise<number> =>
  tx.run(sql`/* scanner.reachability_jobs.release */
    update scanner.reachability_jobs set lease_until = null
    where tenant = ${tenant} and id = ${jobId} and status = 'running' and attempts = ${attempts}`);
