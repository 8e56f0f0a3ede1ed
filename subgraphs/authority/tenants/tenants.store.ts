import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const tenants = table('authority.tenants', {
  tenant: tenantId,
  id: id('Tenant'),
  name: text,
  active: boolean,
  /** Registry plans allowed for the tenant's clients; the first is the default. */
  plans: textArray,
  license: text.nullable(),
});

export type Tenant = RowOf<typeof tenants>;

/** Inserts a tenant; false when it exists. */
export const insert = async (tx: Tx, tenant: TenantId, tenantUuid: string, name: string): Promise<boolean> =>
  (await tx.run(sql`/* authority.tenants.insert */
    insert into authority.tenants (tenant, id, name) values (${tenant}, ${tenantUuid}, ${name})
    on conflict (tenant) do nothing`)) === 1;

export const find = (query: Query, tenant: TenantId): Promise<Tenant | undefined> =>
  tenants.findWhere(query, 'find', sql`tenant = ${tenant}`);

/** Finds a tenant by its slug. Role `landfall_system`. */
export const findAnywhere = (query: Query, tenant: TenantId): Promise<Tenant | undefined> =>
  tenants.findWhere(query, 'findAnywhere', sql`tenant = ${tenant}`);

/** Lists all tenants. Role `landfall_system`. */
export const listAnywhere = (query: Query): Promise<Tenant[]> =>
  tenants.listWhere(query, 'listAnywhere', sql`true order by tenant`);

/** Updates the operator's terms of a tenant. Role `landfall_system`: tenants cannot change them. */
export const updateAnywhere = (query: Query, is: Tenant): Promise<number> =>
  query.run(sql`/* authority.tenants.updateAnywhere */
    update authority.tenants
    set name = ${is.name}, active = ${is.active}, plans = ${is.plans}, license = ${is.license}
    where tenant = ${is.tenant}`);

/** Serialises changes of a tenant by an advisory lock. */
export const serialize = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* authority.tenants.serialize */
    select pg_advisory_xact_lock(hashtextextended(${`authority/${tenant}`}, 0))`);
