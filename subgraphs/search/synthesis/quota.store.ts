import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, integer } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const lockAnswer = table('lock', { locked: integer });
const runs = table('search.synthesis_runs', { runId: id('SynthesisRun') });

/** Serialises requests of a tenant. */
export const lock = (tx: Tx, tenant: TenantId) =>
  tx.get(
    lockAnswer,
    sql`/* search.synthesis_runs.lock */
    select 1 as locked from pg_advisory_xact_lock(hashtextextended('search.synthesis/' || ${tenant}, 0))`,
  );

/** Runs whose process died never ended by themselves. */
export const removeExpired = (tx: Tx, tenant: TenantId) =>
  runs.removeWhere(tx, 'removeExpired', sql`tenant = ${tenant} and expires_at <= kernel.now()`);

interface NewRun {
  readonly runId: Id<'SynthesisRun'>;
  readonly leaseMs: number;
  readonly requestsPerDay: number;
  readonly maxConcurrent: number;
}

/** Reserves a slot and one request of the daily quota, or neither. Call it under the lock. */
export const acquireRun = (tx: Tx, tenant: TenantId, { runId, leaseMs, requestsPerDay, maxConcurrent }: NewRun) =>
  tx.find(
    runs,
    sql`/* search.synthesis_runs.take */
    with used as (
      insert into search.synthesis_usage as u (tenant, day, requests)
      select ${tenant}, (kernel.now() at time zone 'utc')::date, 1
      where ${requestsPerDay}::integer > 0
        and (select count(*) from search.synthesis_runs where tenant = ${tenant}) < ${maxConcurrent}::integer
      on conflict (tenant, day) do update set requests = u.requests + 1 where u.requests < ${requestsPerDay}::integer
      returning tenant)
    insert into search.synthesis_runs (tenant, run_id, expires_at)
    select tenant, ${runId}, kernel.now() + ${leaseMs}::integer * interval '1 millisecond' from used
    returning ${runs.columns}`,
  );

export const release = (query: Query, tenant: TenantId, runId: Id<'SynthesisRun'>) =>
  runs.removeWhere(query, 'release', sql`tenant = ${tenant} and run_id = ${runId}`);

/** Prunes usage after 90 days, and runs that never ended after a day. */
export const prune = async (tx: Tx): Promise<number> => {
  const used = await tx.run(sql`/* search.synthesis_usage.prune */
    delete from search.synthesis_usage where day < (kernel.now() - interval '90 days')::date`);
  const completed = await runs.removeWhere(tx, 'prune', sql`expires_at < kernel.now() - interval '1 day'`);
  return used + completed;
};
