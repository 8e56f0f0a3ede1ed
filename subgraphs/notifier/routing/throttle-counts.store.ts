import type { TenantId } from '@landfall/kernel/core/ids';
import { integer, tenantId, text } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const counts = table('notify.throttle_counts', { tenant: tenantId, key: text, count: integer });

/** Key of a throttle. */
interface ThrottleKey {
  readonly tenant: TenantId;
  readonly key: string;
}

/**
 * Locks throttles until the transaction ends, in one order in every process: also those that have no row yet, whose first
 * message another process may be sending. Role `landfall_system`.
 */
export const lockAll = (tx: Tx, keys: readonly ThrottleKey[]): Promise<number> =>
  tx.run(sql`/* notify.throttle_counts.lockAll */
    select pg_advisory_xact_lock(lock) from (
      select distinct hashtextextended('notify.throttle_counts ' || tenant || ' ' || key, 0) as lock
      from unnest(${keys.map(({ tenant }) => tenant)}::text[], ${keys.map(({ key }) => key)}::text[]) as wanted (tenant, key)
      order by lock
    ) locks`);

/** Messages in the current windows of throttles that are locked. Role `landfall_system`. */
export const listCurrent = (tx: Tx, keys: readonly ThrottleKey[]) =>
  tx.list(
    counts,
    sql`/* notify.throttle_counts.listCurrent */
    select c.tenant, c.key, c.count from notify.throttle_counts c
    join unnest(${keys.map(({ tenant }) => tenant)}::text[], ${keys.map(({ key }) => key)}::text[]) as wanted (tenant, key)
      on wanted.tenant = c.tenant and wanted.key = c.key
    where c.window_ends_at > kernel.now()`,
  );

/** Counts messages; the first after the end of a window begins the next one. Role `landfall_system`. */
export const addAll = (
  tx: Tx,
  added: readonly (ThrottleKey & { readonly windowSeconds: number; readonly messages: number })[],
): Promise<number> =>
  tx.run(sql`/* notify.throttle_counts.addAll */
    insert into notify.throttle_counts as known (tenant, key, window_ends_at, count)
    select tenant, key, kernel.now() + make_interval(secs => seconds), messages
    from unnest(${added.map(({ tenant }) => tenant)}::text[], ${added.map(({ key }) => key)}::text[],
      ${added.map(({ windowSeconds }) => windowSeconds)}::integer[], ${added.map(({ messages }) => messages)}::integer[])
      as given (tenant, key, seconds, messages)
    order by tenant, key
    on conflict (tenant, key) do update set
      count = excluded.count + case when known.window_ends_at > kernel.now() then known.count else 0 end,
      window_ends_at = case when known.window_ends_at > kernel.now() then known.window_ends_at
        else excluded.window_ends_at end`);

/** Deletes counts whose window ended. Role `landfall_system`. @returns their number */
export const removeEnded = (tx: Tx, limit: number): Promise<number> =>
  tx.run(sql`/* notify.throttle_counts.removeEnded */
    delete from notify.throttle_counts c
    using (select tenant, key from notify.throttle_counts where window_ends_at <= kernel.now()
      limit ${limit} for update skip locked) ended
    where c.tenant = ended.tenant and c.key = ended.key`);
