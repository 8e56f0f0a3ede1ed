import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, count, id, instant, integer, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { containing, empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export type ClientId = Id<'Client'>;

const columns = {
  tenant: tenantId,
  id: id('Client'),
  name: text,
  grants: textArray,
  scopes: textArray,
  redirectUris: textArray,
  postLogoutRedirectUris: textArray,
  allowedOrigins: textArray,
  canIntrospect: boolean,
  servesEveryTenant: boolean,
  authMethods: textArray,
  tlsSubjectKind: text.nullable(),
  tlsSubject: text.nullable(),
  certificates: textArray,
  dpopBound: boolean,
  tlsBound: boolean,
  requiresPar: boolean,
  requiresConsent: boolean,
  resources: textArray,
  plan: text.nullable(),
  active: boolean,
  /** Person or client; null when the operator registered it. */
  createdBy: text.nullable(),
  createdAt: instant,
  version: integer,
} as const;

const clients = table('authority.clients', columns, { noun: 'client' });

export const { getLocked, listByIds, insert, update } = clients;

export type Client = RowOf<typeof clients>;

/** Registration of a client: all but its id, secrets and state. */
export type Registration = Omit<Client, 'tenant' | 'id' | 'active' | 'createdBy' | 'createdAt' | 'version'>;

/** Client with its tenant and the hashes of its secrets. */
const credentials = table('authority.clients credentials', {
  ...columns,
  tenantId: id('Tenant'),
  tenantName: text,
  tenantActive: boolean,
  tenantPlans: textArray,
  tenantLicense: text.nullable(),
  /** SHA-256 of each live secret, in hex. */
  secretHashes: textArray,
});

export type Credentials = RowOf<typeof credentials>;

const secrets = table('authority.client_secrets', { clientId: id('Client'), id: id('ClientSecret'), hash: bytes });

export const { insert: insertSecret } = secrets;
const secretCounts = table('authority.client_secrets count', { clientId: id('Client'), secrets: count });

/** Finds the client of a request. Role `landfall_system`: a request does not name its tenant. */
export const findAnywhere = (query: Query, clientId: ClientId) =>
  clients.findWhere(query, 'findAnywhere', sql`id = ${clientId}`);

/** Reads the credentials of several clients in one statement. Role `landfall_system`. */
export const listCredentialsAnywhere = (query: Query, ids: readonly string[]) =>
  query.list(
    credentials,
    sql`/* authority.clients.listCredentialsAnywhere */
    select ${clients.of('c')}, t.id as tenant_id, t.name as tenant_name, t.active as tenant_active,
      t.plans as tenant_plans, t.license as tenant_license,
      array(select encode(s.hash, 'hex') from authority.client_secrets s where s.client_id = c.id) as secret_hashes
    from authority.clients c join authority.tenants t on t.tenant = c.tenant
    where c.id = any(${ids}::uuid[])`,
  );

export const findByName = (query: Query, tenant: TenantId, name: string) =>
  clients.findWhere(query, 'findByName', sql`tenant = ${tenant} and name = ${name}`);

export const listSecrets = (query: Query, tenant: TenantId, clientId: ClientId) =>
  secrets.listWhere(query, 'list', sql`tenant = ${tenant} and client_id = ${clientId}`);

export interface ClientSearch {
  /** Part of the name, case-insensitive. */
  readonly text?: string | undefined;
  readonly active?: boolean | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export const list = (query: Query, tenant: TenantId, { text: part, active, after, limit }: ClientSearch) =>
  clients.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
      ${after === undefined ? empty : sql`and id > ${after}`}
      ${active === undefined ? empty : sql`and active = ${active}`}
      ${part === undefined ? empty : sql`and name ilike ${containing(part)}`}
    order by id limit ${limit}`,
  );

export const countSecrets = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    secretCounts,
    sql`/* authority.client_secrets.count */
    select client_id, count(*) as secrets from authority.client_secrets
    where tenant = ${tenant} and client_id = any(${ids}::uuid[])
    group by client_id`,
  );

/** Deletes all but the newest `remaining` secrets. */
export const retireSecrets = (tx: Tx, tenant: TenantId, clientId: ClientId, remaining: number): Promise<number> =>
  secrets.removeWhere(
    tx,
    'retire',
    sql`tenant = ${tenant} and client_id = ${clientId} and id not in (
      select id from authority.client_secrets
      where tenant = ${tenant} and client_id = ${clientId} order by id desc limit ${remaining})`,
  );
