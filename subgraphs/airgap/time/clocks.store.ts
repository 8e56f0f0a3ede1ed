import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { instant, integer, type RowOf, table, tenantId } from '@landfall/kernel/db/table';

const clocks = table('airgap.clocks', { tenant: tenantId, highestNow: instant, challenge: integer });

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
  await tx.run(sql`/* airgap.clocks.begin */
    insert into airgap.clocks (tenant, highest_now) values (${tenant}, ${now}) on conflict do nothing`);
  return tx.get(
    clocks,
    sql`/* airgap.clocks.lock */ select ${clocks.columns} from airgap.clocks where tenant = ${tenant} for update`,
  );
};

/** Moves the clock on to `now` and its challenge by one. */
export const advance = (tx: Tx, tenant: TenantId, now: Date): Promise<number> =>
  tx.run(sql`/* airgap.clocks.advance */
    update airgap.clocks set highest_now = greatest(highest_now, ${now}::timestamptz), challenge = challenge + 1
    where tenant = ${tenant}`);

/** Stores the latest time of a tenant. Role `landfall_system`. */
export const store = (query: Query, tenant: TenantId, now: Date): Promise<number> =>
  query.run(sql`/* airgap.clocks.store */
    update airgap.clocks set highest_now = greatest(highest_now, ${now}::timestamptz) where tenant = ${tenant}`);

/** Clocks of every tenant. Role `landfall_system`. */
export const listAll = (query: Query): Promise<TenantClock[]> => clocks.listWhere(query, 'listAll', sql`true`);
