import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { id, instant, oneOf, type RowOf, table, tenantId, text, textArray } from '@landfall/kernel/db/table';
import type { ClientId } from '../clients/clients.store.ts';
import type { UserId } from '../users/users.store.ts';

export type FamilyId = Id<'TokenFamily'>;

const families = table('authority.token_families', {
  tenant: tenantId,
  id: id('TokenFamily'),
  clientId: id('Client'),
  userId: id('User'),
  scopes: textArray,
  /** What its tokens are bound by. */
  sender: oneOf('dpop', 'mtls').nullable(),
  /** The thumbprint of the only key that may refresh; of a public client alone, since another proves itself. */
  refreshJkt: text.nullable(),
  resources: textArray,
  amr: textArray,
  authTime: instant,
  revokedAt: instant.nullable(),
});

const spentTokens = table('authority.refresh_tokens', { familyId: id('TokenFamily') });

/** All that came of one sign-in at one client. */
export type Family = RowOf<typeof families>;

/** A length of time in SQL. */
const interval = (ms: number): Sql => sql`make_interval(secs => ${ms / 1000})`;

/** The family of a refresh token, spent or not. Role `landfall_system`: the token does not name its tenant. */
export const findByRefreshToken = (query: Query, hash: Buffer) =>
  query.find(
    families,
    sql`/* authority.token_families.findByRefreshToken */
    select ${families.of('family')} from authority.token_families family
    join authority.refresh_tokens token on token.tenant = family.tenant and token.family_id = family.id
    where token.hash = ${hash}`,
  );

/** The family as it stays until this transaction ends. */
export const lock = (tx: Tx, tenant: TenantId, familyId: FamilyId) =>
  tx.find(
    families,
    sql`/* authority.token_families.lock */
    select ${families.columns} from authority.token_families where tenant = ${tenant} and id = ${familyId} for update`,
  );

export interface NewFamily {
  readonly id: FamilyId;
  readonly clientId: ClientId;
  readonly userId: UserId;
  readonly scopes: readonly string[];
  readonly sender: 'dpop' | 'mtls' | null;
  readonly refreshJkt: string | null;
  readonly resources: readonly string[];
  readonly amr: readonly string[];
  readonly authTime: Date;
  readonly aliveMs: number;
}

export const insert = (tx: Tx, tenant: TenantId, family: NewFamily): Promise<number> =>
  tx.run(sql`/* authority.token_families.insert */
    insert into authority.token_families
      (tenant, id, client_id, user_id, scopes, sender, refresh_jkt, resources, amr, auth_time, expires_at)
    values (${tenant}, ${family.id}, ${family.clientId}, ${family.userId}, ${family.scopes}, ${family.sender},
      ${family.refreshJkt}, ${family.resources}, ${family.amr}, ${family.authTime},
      kernel.now() + ${interval(family.aliveMs)})`);

export const insertRefreshToken = (tx: Tx, tenant: TenantId, familyId: FamilyId, hash: Buffer, idleMs: number) =>
  tx.run(sql`/* authority.refresh_tokens.insert */
    insert into authority.refresh_tokens (tenant, hash, family_id, expires_at)
    values (${tenant}, ${hash}, ${familyId}, kernel.now() + ${interval(idleMs)})`);

/**
 * Spends a refresh token and writes its successor in one statement: of several uses at once one finds it unspent.
 * @returns how many successors there are: 1, or 0 when it was spent or has expired
 */
export const rotate = (
  tx: Tx,
  tenant: TenantId,
  { spent, successor }: { readonly spent: Buffer; readonly successor: Buffer },
  idleMs: number,
): Promise<number> =>
  tx.run(sql`/* authority.refresh_tokens.rotate */
    with spent as (
      update authority.refresh_tokens set consumed_at = kernel.now()
      where tenant = ${tenant} and hash = ${spent} and consumed_at is null and expires_at > kernel.now()
      returning family_id
    ), alive as (
      update authority.token_families set expires_at = greatest(expires_at, kernel.now() + ${interval(idleMs)})
      where tenant = ${tenant} and id in (select family_id from spent)
    )
    insert into authority.refresh_tokens (tenant, hash, family_id, expires_at)
    select ${tenant}, ${successor}, family_id, kernel.now() + ${interval(idleMs)} from spent`);

/** Whether a refresh token was used, as opposed to having expired unused. */
export const isSpent = async (query: Query, tenant: TenantId, hash: Buffer): Promise<boolean> =>
  (await query.find(
    spentTokens,
    sql`/* authority.refresh_tokens.findSpent */
    select family_id from authority.refresh_tokens
    where tenant = ${tenant} and hash = ${hash} and consumed_at is not null`,
  )) !== undefined;

export const insertAccessToken = (tx: Tx, tenant: TenantId, familyId: FamilyId, jti: string, expiresAt: Date) =>
  tx.run(sql`/* authority.access_tokens.insert */
    insert into authority.access_tokens (tenant, jti, family_id, expires_at)
    values (${tenant}, ${jti}, ${familyId}, ${expiresAt})`);

/** The family that an access token came of; a client's own token has none. */
export const findByAccessToken = (query: Query, tenant: TenantId, jti: string) =>
  query.find(
    families,
    sql`/* authority.token_families.findByAccessToken */
    select ${families.of('family')} from authority.token_families family
    join authority.access_tokens token on token.tenant = family.tenant and token.family_id = family.id
    where token.tenant = ${tenant} and token.jti = ${jti}`,
  );

/** Verifiers allow for clocks that are apart by about a minute, so a token is denied for longer than it says it lives. */
const LEEWAY = sql`interval '5 minutes'`;

/** Ends families and denies their live access tokens, all in this transaction. Returns the families that lived. */
const revokeWhere = async (tx: Tx, tenant: TenantId, condition: Sql): Promise<FamilyId[]> => {
  const revoked = await tx.list(
    families,
    sql`/* authority.token_families.revoke */
    update authority.token_families set revoked_at = kernel.now()
    where tenant = ${tenant} and revoked_at is null and ${condition}
    returning ${families.columns}`,
  );
  const ids = revoked.map((family) => family.id);
  await tx.run(sql`/* authority.access_tokens.deny */
    insert into kernel.revoked_tokens (jti, expires_at)
    select jti::text, expires_at + ${LEEWAY} from authority.access_tokens
    where tenant = ${tenant} and family_id = any(${ids}::uuid[]) and expires_at > kernel.now() - ${LEEWAY}
    on conflict do nothing`);
  return ids;
};

export const revoke = async (tx: Tx, tenant: TenantId, familyId: FamilyId): Promise<boolean> =>
  (await revokeWhere(tx, tenant, sql`id = ${familyId}`)).length > 0;

export const revokeOfUser = (tx: Tx, tenant: TenantId, userId: UserId): Promise<FamilyId[]> =>
  revokeWhere(tx, tenant, sql`user_id = ${userId}`);

/** What a client holds of everybody in a tenant. */
export const revokeOfClient = (tx: Tx, tenant: TenantId, clientId: ClientId): Promise<FamilyId[]> =>
  revokeWhere(tx, tenant, sql`client_id = ${clientId}`);

/** What one client holds of one person. */
export const revokeOfApplication = (
  tx: Tx,
  tenant: TenantId,
  userId: UserId,
  clientId: ClientId,
): Promise<FamilyId[]> => revokeWhere(tx, tenant, sql`user_id = ${userId} and client_id = ${clientId}`);

/** Denies the live access tokens of people, whose families live on: a refresh gives them what they hold by then. */
export const denyAccessTokensOfUsers = (tx: Tx, tenant: TenantId, userIds: readonly UserId[]): Promise<number> =>
  tx.run(sql`/* authority.access_tokens.denyOfUsers */
    insert into kernel.revoked_tokens (jti, expires_at)
    select token.jti::text, token.expires_at + ${LEEWAY} from authority.access_tokens token
    join authority.token_families family on family.tenant = token.tenant and family.id = token.family_id
    where family.tenant = ${tenant} and family.user_id = any(${userIds}::uuid[])
      and token.expires_at > kernel.now() - ${LEEWAY}
    on conflict do nothing`);

/**
 * Forgets families of which nothing lives, with their tokens, and of those that live the refresh tokens that have expired:
 * one that is refreshed for years would keep every one it ever had. A spent one that comes after that is unknown.
 * Role `landfall_system`.
 */
export const prune = async (query: Query): Promise<void> => {
  await query.run(sql`/* authority.refresh_tokens.prune */
    delete from authority.refresh_tokens where expires_at < kernel.now() - ${LEEWAY}`);
  await query.run(sql`/* authority.token_families.prune */
    delete from authority.token_families where expires_at < kernel.now() - ${LEEWAY}`);
};

/** Role `landfall_system`. */
export const pruneAccessTokens = (query: Query): Promise<number> =>
  query.run(sql`/* authority.access_tokens.prune */
    delete from authority.access_tokens where expires_at < kernel.now() - ${LEEWAY}`);
