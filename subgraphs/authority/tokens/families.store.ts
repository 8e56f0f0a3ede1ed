import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, oneOf, tenantId, text, textArray, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, fromNow, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { LEEWAY } from '../revocation/leeway.ts';
export type FamilyId = Id<'TokenFamily'>;

const columns = {
  tenant: tenantId,
  id: id('TokenFamily'),
  clientId: id('Client'),
  userId: id('User'),
  scopes: textArray,
  /** Binding of its tokens. */
  sender: oneOf('dpop', 'mtls').nullable(),
  /** Thumbprint of the only key that may refresh; for public clients, which have no other proof. */
  refreshJkt: text.nullable(),
  resources: textArray,
  amr: textArray,
  authTime: instant,
  createdAt: instant,
  expiresAt: instant,
  revokedAt: instant.nullable(),
};

const families = table('authority.token_families', columns, { noun: 'token family' });
const clientNames = table('authority.clients names', { id: id('Client'), name: text });

const refreshTokens = table('authority.refresh_tokens', {
  hash: bytes,
  familyId: id('TokenFamily'),
  expiresAt: instant,
});
const accessTokens = table('authority.access_tokens', { jti: uuid, familyId: id('TokenFamily'), expiresAt: instant });

/** Token family: all tokens of one sign-in at one client. */
export type Family = RowOf<typeof families>;

/** Finds the family of a refresh token, used or not. Role `landfall_system`: the token does not name its tenant. */
export const findByRefreshToken = (query: Query, hash: Buffer) =>
  query.find(
    families,
    sql`/* authority.token_families.findByRefreshToken */
    select ${families.of('family')} from authority.token_families family
    join authority.refresh_tokens token on token.tenant = family.tenant and token.family_id = family.id
    where token.hash = ${hash}`,
  );

export const { find, get, findLocked, insert } = families;

export const { insert: insertRefreshToken } = refreshTokens;

export const { insert: insertAccessToken } = accessTokens;

/** Replaces a refresh token by its successor in one statement; returns 1, or 0 when it was spent or has expired. */
export const rotate = (
  tx: Tx,
  tenant: TenantId,
  { spent: consumed, successor }: { readonly spent: Buffer; readonly successor: Buffer },
  idleMs: number,
): Promise<number> =>
  tx.run(sql`/* authority.refresh_tokens.rotate */
    with spent as (
      update authority.refresh_tokens set consumed_at = kernel.now()
      where tenant = ${tenant} and hash = ${consumed} and consumed_at is null and expires_at > kernel.now()
      returning family_id
    ), alive as (
      update authority.token_families set expires_at = greatest(expires_at, ${fromNow(idleMs)})
      where tenant = ${tenant} and id in (select family_id from spent)
    )
    insert into authority.refresh_tokens (tenant, hash, family_id, expires_at)
    select ${tenant}, ${successor}, family_id, ${fromNow(idleMs)} from spent`);

/** Whether a refresh token was used, rather than expired. */
export const isSpent = async (query: Query, tenant: TenantId, hash: Buffer): Promise<boolean> =>
  (await refreshTokens.findWhere(
    query,
    'findSpent',
    sql`tenant = ${tenant} and hash = ${hash} and consumed_at is not null`,
  )) !== undefined;

/** Finds the family of an access token; a client's own token has none. */
export const findByAccessToken = (query: Query, tenant: TenantId, jti: string) =>
  query.find(
    families,
    sql`/* authority.token_families.findByAccessToken */
    select ${families.of('family')} from authority.token_families family
    join authority.access_tokens token on token.tenant = family.tenant and token.family_id = family.id
    where token.tenant = ${tenant} and token.jti = ${jti}`,
  );

export interface FamilyFilter {
  readonly userId: Id<'User'> | undefined;
  readonly clientId: Id<'Client'> | undefined;
  readonly live: boolean | undefined;
  /** Upper bound of the ids, exclusive: newer families come first. */
  readonly after: string | undefined;
  readonly limit: number;
}

const IS_LIVE = sql`revoked_at is null and expires_at > kernel.now()`;

const conditionOf = ({ userId, clientId, live, after }: FamilyFilter): Sql => sql`
  ${userId === undefined ? empty : sql`and user_id = ${userId}`}
  ${clientId === undefined ? empty : sql`and client_id = ${clientId}`}
  ${live === undefined ? empty : live ? sql`and ${IS_LIVE}` : sql`and not (${IS_LIVE})`}
  ${after === undefined ? empty : sql`and id < ${after}`}`;

/** Families, newest first: ids grow with time. */
export const list = (query: Query, tenant: TenantId, filter: FamilyFilter) =>
  families.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} ${conditionOf(filter)} order by id desc limit ${filter.limit}`,
  );

/** Names of clients. Role `landfall_system`: a client that serves every tenant belongs to another one. */
export const listClientNames = (query: Query, ids: readonly Id<'Client'>[]) =>
  clientNames.listWhere(query, 'listNames', sql`id = any(${ids}::uuid[])`);

/** Deletes expired families with their tokens, and expired refresh tokens. Role `landfall_system`. */
export const prune = async (query: Query): Promise<void> => {
  await refreshTokens.removeWhere(query, 'prune', sql`expires_at < kernel.now() - ${LEEWAY}`);
  await families.removeWhere(query, 'prune', sql`expires_at < kernel.now() - ${LEEWAY}`);
};

/** Deletes expired access tokens. Role `landfall_system`. */
export const pruneAccessTokens = (query: Query): Promise<number> =>
  accessTokens.removeWhere(query, 'prune', sql`expires_at < kernel.now() - ${LEEWAY}`);
