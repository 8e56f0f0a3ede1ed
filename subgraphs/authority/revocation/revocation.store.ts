import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { LEEWAY } from './leeway.ts';

const families = table('authority.token_families revoked', { id: id('TokenFamily') });

/** Revokes families and denies their live access tokens in this transaction. Returns the families revoked. */
const revokeWhere = async (tx: Tx, tenant: TenantId, condition: Sql): Promise<Id<'TokenFamily'>[]> => {
  const revoked = await tx.list(
    families,
    sql`/* authority.token_families.revoke */
    update authority.token_families set revoked_at = kernel.now()
    where tenant = ${tenant} and revoked_at is null and ${condition}
    returning id`,
  );
  const ids = revoked.map((family) => family.id);
  await tx.run(sql`/* authority.access_tokens.deny */
    insert into kernel.revoked_tokens (jti, expires_at)
    select jti::text, expires_at + ${LEEWAY} from authority.access_tokens
    where tenant = ${tenant} and family_id = any(${ids}::uuid[]) and expires_at > kernel.now() - ${LEEWAY}
    on conflict do nothing`);
  return ids;
};

export const revokeFamily = async (tx: Tx, tenant: TenantId, familyId: Id<'TokenFamily'>): Promise<boolean> =>
  (await revokeWhere(tx, tenant, sql`id = ${familyId}`)).length > 0;

export const revokeFamiliesOfUser = (tx: Tx, tenant: TenantId, userId: Id<'User'>) =>
  revokeWhere(tx, tenant, sql`user_id = ${userId}`);

export const revokeFamiliesOfClient = (tx: Tx, tenant: TenantId, clientId: Id<'Client'>) =>
  revokeWhere(tx, tenant, sql`client_id = ${clientId}`);

export const revokeFamiliesOfApplication = (tx: Tx, tenant: TenantId, userId: Id<'User'>, clientId: Id<'Client'>) =>
  revokeWhere(tx, tenant, sql`user_id = ${userId} and client_id = ${clientId}`);

/** Denies the live access tokens of people; their families stay, and a refresh yields their present rights. */
export const denyAccessTokensOfUsers = (tx: Tx, tenant: TenantId, userIds: readonly string[]): Promise<number> =>
  tx.run(sql`/* authority.access_tokens.denyOfUsers */
    insert into kernel.revoked_tokens (jti, expires_at)
    select token.jti::text, token.expires_at + ${LEEWAY} from authority.access_tokens token
    join authority.token_families family on family.tenant = token.tenant and family.id = token.family_id
    where family.tenant = ${tenant} and family.user_id = any(${userIds}::uuid[])
      and token.expires_at > kernel.now() - ${LEEWAY}
    on conflict do nothing`);

/** Ends the sessions of a person and revokes their token families. */
export const endSignInsOfUser = async (tx: Tx, tenant: TenantId, userId: Id<'User'>): Promise<void> => {
  await tx.run(sql`/* authority.sessions.endOfUser */
    delete from authority.sessions where tenant = ${tenant} and user_id = ${userId}`);
  await revokeFamiliesOfUser(tx, tenant, userId);
};
