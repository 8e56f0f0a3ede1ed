import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import {
  boolean,
  bytes,
  count,
  id,
  instant,
  integer,
  type RowOf,
  table,
  tenantId,
  text,
  textArray,
} from '@landfall/kernel/db/table';

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
  /** A person or a client; null where the operator registered it. */
  createdBy: text.nullable(),
  createdAt: instant,
  version: integer,
} as const;

const clients = table('authority.clients', columns);

export type Client = RowOf<typeof clients>;

/** What is registered of a client, beside its id and its secrets. */
export type Registration = Omit<Client, 'tenant' | 'id' | 'active' | 'createdBy' | 'createdAt' | 'version'>;

/** Everything that says whether a request is its client's. */
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

const secrets = table('authority.client_secrets', { id: id('ClientSecret'), hash: bytes });
const secretCounts = table('authority.client_secrets count', { clientId: id('Client'), secrets: count });

/** The client that a request names. Role `landfall_system`: it does not name its tenant. */
export const findAnywhere = (query: Query, clientId: ClientId) =>
  query.find(
    clients,
    sql`/* authority.clients.findAnywhere */
    select ${clients.columns} from authority.clients where id = ${clientId}`,
  );

/** Clients with their tenant and their secrets, in one statement however many requests wait. Role `landfall_system`. */
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
  query.find(
    clients,
    sql`/* authority.clients.findByName */
    select ${clients.columns} from authority.clients where tenant = ${tenant} and name = ${name}`,
  );

export const lock = (tx: Tx, tenant: TenantId, clientId: ClientId) =>
  tx.find(
    clients,
    sql`/* authority.clients.lock */
    select ${clients.columns} from authority.clients where tenant = ${tenant} and id = ${clientId} for update`,
  );

export const listSecrets = (query: Query, tenant: TenantId, clientId: ClientId) =>
  query.list(
    secrets,
    sql`/* authority.client_secrets.list */
    select ${secrets.columns} from authority.client_secrets where tenant = ${tenant} and client_id = ${clientId}`,
  );

export interface ClientSearch {
  /** Part of a name, in any case. */
  readonly text?: string | undefined;
  readonly active?: boolean | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** `text` as a LIKE pattern that finds it anywhere: its own wildcards stand for themselves. */
const anywhere = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

export const list = (query: Query, tenant: TenantId, { text: part, active, after, limit }: ClientSearch) =>
  query.list(
    clients,
    sql`/* authority.clients.list */
    select ${clients.columns} from authority.clients
    where tenant = ${tenant}
      ${after === undefined ? empty : sql`and id > ${after}`}
      ${active === undefined ? empty : sql`and active = ${active}`}
      ${part === undefined ? empty : sql`and name ilike ${anywhere(part)}`}
    order by id limit ${limit}`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    clients,
    sql`/* authority.clients.listByIds */
    select ${clients.columns} from authority.clients where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

export const countSecrets = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  query.list(
    secretCounts,
    sql`/* authority.client_secrets.count */
    select client_id, count(*) as secrets from authority.client_secrets
    where tenant = ${tenant} and client_id = any(${ids}::uuid[])
    group by client_id`,
  );

export const insert = (tx: Tx, tenant: TenantId, clientId: ClientId, is: Registration): Promise<Client> =>
  tx.get(
    clients,
    sql`/* authority.clients.insert */
    insert into authority.clients
      (tenant, id, name, grants, scopes, redirect_uris, post_logout_redirect_uris, allowed_origins, can_introspect,
       serves_every_tenant, auth_methods, tls_subject_kind, tls_subject, certificates, dpop_bound, tls_bound, requires_par, requires_consent,
       resources, plan)
    values (${tenant}, ${clientId}, ${is.name}, ${is.grants}, ${is.scopes}, ${is.redirectUris},
      ${is.postLogoutRedirectUris}, ${is.allowedOrigins}, ${is.canIntrospect}, ${is.servesEveryTenant}, ${is.authMethods},
      ${is.tlsSubjectKind}, ${is.tlsSubject}, ${is.certificates}, ${is.dpopBound}, ${is.tlsBound}, ${is.requiresPar},
      ${is.requiresConsent}, ${is.resources}, ${is.plan})
    returning ${clients.columns}`,
  );

export const setCreator = (tx: Tx, tenant: TenantId, clientId: ClientId, creator: string): Promise<Client> =>
  tx.get(
    clients,
    sql`/* authority.clients.setCreator */
    update authority.clients set created_by = ${creator} where tenant = ${tenant} and id = ${clientId}
    returning ${clients.columns}`,
  );

export const update = (tx: Tx, tenant: TenantId, clientId: ClientId, is: Registration): Promise<Client> =>
  tx.get(
    clients,
    sql`/* authority.clients.update */
    update authority.clients set name = ${is.name}, grants = ${is.grants}, scopes = ${is.scopes},
      redirect_uris = ${is.redirectUris}, post_logout_redirect_uris = ${is.postLogoutRedirectUris},
      allowed_origins = ${is.allowedOrigins}, can_introspect = ${is.canIntrospect}, serves_every_tenant = ${is.servesEveryTenant},
      auth_methods = ${is.authMethods}, tls_subject_kind = ${is.tlsSubjectKind}, tls_subject = ${is.tlsSubject},
      certificates = ${is.certificates}, dpop_bound = ${is.dpopBound}, tls_bound = ${is.tlsBound},
      requires_par = ${is.requiresPar}, requires_consent = ${is.requiresConsent}, resources = ${is.resources},
      plan = ${is.plan}, version = version + 1
    where tenant = ${tenant} and id = ${clientId}
    returning ${clients.columns}`,
  );

export const deactivate = (tx: Tx, tenant: TenantId, clientId: ClientId): Promise<Client> =>
  tx.get(
    clients,
    sql`/* authority.clients.deactivate */
    update authority.clients set active = false, version = version + 1
    where tenant = ${tenant} and id = ${clientId}
    returning ${clients.columns}`,
  );

export const touch = (tx: Tx, tenant: TenantId, clientId: ClientId): Promise<Client> =>
  tx.get(
    clients,
    sql`/* authority.clients.touch */
    update authority.clients set version = version + 1 where tenant = ${tenant} and id = ${clientId}
    returning ${clients.columns}`,
  );

export interface NewSecret {
  /** A UUIDv7, so that secrets sort by age. */
  readonly id: string;
  readonly hash: Buffer;
}

export const insertSecret = (tx: Tx, tenant: TenantId, clientId: ClientId, secret: NewSecret): Promise<number> =>
  tx.run(sql`/* authority.client_secrets.insert */
    insert into authority.client_secrets (tenant, client_id, id, hash)
    values (${tenant}, ${clientId}, ${secret.id}, ${secret.hash})`);

/** Leaves the newest `kept` secrets of a client. */
export const retireSecrets = (tx: Tx, tenant: TenantId, clientId: ClientId, kept: number): Promise<number> =>
  tx.run(sql`/* authority.client_secrets.retire */
    delete from authority.client_secrets
    where tenant = ${tenant} and client_id = ${clientId} and id not in (
      select id from authority.client_secrets
      where tenant = ${tenant} and client_id = ${clientId} order by id desc limit ${kept})`);
