import type { TenantId } from '@landfall/kernel/core/ids';
import { instant, integer, tenantId } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const clocks = table(
  'airgap.clocks',
  { tenant: tenantId, highestNow: instant, challenge: integer },
  { noun: 'clock of the tenant', key: 'tenant' },
);

/** Latest time that a tenant ever knew, and the number of its current challenge. */
export type TenantClock = RowOf<typeof clocks>;

export const find = (query: Query, tenant: TenantId): Promise<TenantClock | undefined> =>
  clocks.findWhere(query, 'find', sql`tenant = ${tenant}`);

/** Begins the clocks of tenants that have none. Role `landfall_system`. */
export const beginAll = (tx: Tx, tenants: readonly TenantId[], now: Date): Promise<number> =>
  tx.run(sql`/* airgap.clocks.beginAll */
    insert into airgap.clocks (tenant, highest_now) select unnest(${tenants}::text[]), ${now}::timestamptz
    on conflict do nothing`);

/** Locks the clock of a tenant, which begins at `now`. */
export const lock = async (tx: Tx, tenant: TenantId, now: Date): Promise<TenantClock> => {
  await clocks.insertIfAbsent(tx, tenant, { highestNow: now });
  return clocks.getLocked(tx, tenant, tenant);
};

const latest = (now: Date): Sql => sql`greatest(highest_now, ${now}::timestamptz)`;

/** Moves the clock on to `now` and its challenge by one. */
export const advance = (tx: Tx, tenant: TenantId, now: Date): Promise<TenantClock> =>
  clocks.update(tx, tenant, tenant, { highestNow: latest(now), challenge: sql`challenge + 1` });

/** Stores the latest time of a tenant. Role `landfall_system`. */
export const store = (tx: Tx, tenant: TenantId, now: Date): Promise<TenantClock> =>
  clocks.update(tx, tenant, tenant, { highestNow: latest(now) });

/** Clocks of every tenant. Role `landfall_system`. */
export const listAll = (query: Query): Promise<TenantClock[]> => clocks.listWhere(query, 'listAll', sql`true`);
