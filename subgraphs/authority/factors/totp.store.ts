import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, count, id, instant } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.ts';

const columns = {
  userId: id('User'),
  sealed: bytes,
  confirmedAt: instant.nullable(),
  lastStep: count,
};

const secrets = table('authority.totp_secrets', columns, { key: 'userId', noun: 'second factor of' });

export const { find, findLocked, remove } = secrets;

export type TotpSecret = RowOf<typeof secrets>;

const facts = table('authority.totp_secrets facts', {
  userId: id('User'),
  totp: boolean,
  passkeys: count,
  recoveryCodes: count,
});

/** Reads the factors of several people, in no order. */
export const listSummaries = (query: Query, tenant: TenantId, userIds: readonly UserId[]) =>
  query.list(
    facts,
    sql`/* authority.totp_secrets.listSummaries */
    select person.id as user_id,
      coalesce((select secret.confirmed_at is not null from authority.totp_secrets secret
        where secret.tenant = ${tenant} and secret.user_id = person.id), false) as totp,
      (select count(*) from authority.passkeys passkey
        where passkey.tenant = ${tenant} and passkey.user_id = person.id) as passkeys,
      (select count(*) from authority.recovery_codes code
        where code.tenant = ${tenant} and code.user_id = person.id and code.consumed_at is null) as recovery_codes
    from authority.users person where person.tenant = ${tenant} and person.id = any(${userIds}::uuid[])`,
  );

/** Writes a pending secret, replacing an earlier pending one. Returns 0 when one is confirmed. */
export const begin = (tx: Tx, tenant: TenantId, userId: UserId, sealed: Buffer): Promise<number> =>
  tx.run(sql`/* authority.totp_secrets.begin */
    insert into authority.totp_secrets as known (tenant, user_id, sealed) values (${tenant}, ${userId}, ${sealed})
    on conflict (tenant, user_id) do update set sealed = excluded.sealed, created_at = kernel.now()
    where known.confirmed_at is null`);

/** Confirms the pending secret with the step of its first code. */
export const confirm = (tx: Tx, tenant: TenantId, userId: UserId, step: number): Promise<number> =>
  tx.run(sql`/* authority.totp_secrets.confirm */
    update authority.totp_secrets set confirmed_at = kernel.now(), last_step = ${step}
    where tenant = ${tenant} and user_id = ${userId} and confirmed_at is null`);

/** Consumes a step and all before it in one statement: of several uses at once one succeeds (RFC 6238 5.2). */
export const consume = (tx: Tx, tenant: TenantId, userId: UserId, step: number): Promise<number> =>
  tx.run(sql`/* authority.totp_secrets.spend */
    update authority.totp_secrets set last_step = ${step}
    where tenant = ${tenant} and user_id = ${userId} and confirmed_at is not null and last_step < ${step}`);

export const insertRecoveryCodes = (tx: Tx, tenant: TenantId, userId: UserId, hashes: readonly Buffer[]) =>
  tx.run(sql`/* authority.recovery_codes.insert */
    insert into authority.recovery_codes (tenant, user_id, hash)
    select ${tenant}, ${userId}, hash from unnest(${hashes}::bytea[]) as hash`);

/** Consumes a recovery code in one statement: of several uses at once one succeeds. */
export const consumeRecoveryCode = (tx: Tx, tenant: TenantId, userId: UserId, hash: Buffer): Promise<number> =>
  tx.run(sql`/* authority.recovery_codes.consume */
    update authority.recovery_codes set consumed_at = kernel.now()
    where tenant = ${tenant} and user_id = ${userId} and hash = ${hash} and consumed_at is null`);

export const removeRecoveryCodes = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.recovery_codes.remove */
    delete from authority.recovery_codes where tenant = ${tenant} and user_id = ${userId}`);
