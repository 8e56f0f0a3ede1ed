import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import type { TenantId } from '@landfall/kernel/ids';

/** Whether there was no such tenant yet. */
export const insert = async (tx: Tx, tenant: TenantId, id: string, name: string): Promise<boolean> =>
  (await tx.run(sql`/* authority.tenants.insert */
    insert into authority.tenants (tenant, id, name) values (${tenant}, ${id}, ${name})
    on conflict (tenant) do nothing`)) === 1;

/** Makes those who set a tenant up at the same time do it one after the other. */
export const serialize = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* authority.tenants.serialize */
    select pg_advisory_xact_lock(hashtextextended(${`authority/${tenant}`}, 0))`);
