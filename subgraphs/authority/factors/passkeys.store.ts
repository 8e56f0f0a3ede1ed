import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, count, id, instant, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.ts';
export type PasskeyId = Id<'Passkey'>;

const columns = {
  id: id('Passkey'),
  userId: id('User'),
  credentialId: text,
  transports: textArray,
  backedUp: boolean,
  name: text,
  createdAt: instant,
  lastUsedAt: instant.nullable(),
};

const passkeys = table('authority.passkeys', columns, {
  noun: 'passkey',
  writes: { publicKey: bytes, counter: count, isPortable: boolean },
});

export const { insert } = passkeys;

export type Passkey = RowOf<typeof passkeys>;

const credentials = table('authority.passkeys credentials', {
  tenant: tenantId,
  id: id('Passkey'),
  userId: id('User'),
  credentialId: text,
  publicKey: bytes,
  isPortable: boolean,
});

export type Credential = RowOf<typeof credentials>;

/** Finds a credential. Role `landfall_system`: a passkey gives neither name nor tenant. */
export const findAnywhere = (query: Query, credentialId: string) =>
  credentials.findWhere(query, 'findAnywhere', sql`credential_id = ${credentialId}`);

export const find = (query: Query, tenant: TenantId, userId: UserId, passkeyId: PasskeyId) =>
  passkeys.findWhere(query, 'find', sql`tenant = ${tenant} and user_id = ${userId} and id = ${passkeyId}`);

/** Passkeys of a person, oldest first. */
export const list = (query: Query, tenant: TenantId, userId: UserId) =>
  passkeys.listWhere(query, 'list', sql`tenant = ${tenant} and user_id = ${userId} order by created_at, id`);

/** Columns of a new passkey. */
export type NewPasskey = Omit<Passkey, 'createdAt' | 'lastUsedAt'> & {
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly isPortable: boolean;
};

export interface Use {
  readonly counter: number;
  readonly backedUp: boolean;
}

/** Records a use when its counter increased, or when both counters are 0 (WebAuthn 3, 7.2 step 22). */
export const use = (tx: Tx, tenant: TenantId, passkeyId: PasskeyId, { counter, backedUp }: Use) =>
  tx.find(
    passkeys,
    sql`/* authority.passkeys.use */
    update authority.passkeys set counter = ${counter}, backed_up = ${backedUp}, last_used_at = kernel.now()
    where tenant = ${tenant} and id = ${passkeyId}
      and (counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))
    returning ${passkeys.columns}`,
  );

export const rename = (
  tx: Tx,
  tenant: TenantId,
  userId: UserId,
  { id: passkeyId, name }: Pick<Passkey, 'id' | 'name'>,
) =>
  tx.find(
    passkeys,
    sql`/* authority.passkeys.rename */
    update authority.passkeys set name = ${name}
    where tenant = ${tenant} and user_id = ${userId} and id = ${passkeyId}
    returning ${passkeys.columns}`,
  );

export const remove = (tx: Tx, tenant: TenantId, userId: UserId, passkeyId: PasskeyId) =>
  tx.find(
    passkeys,
    sql`/* authority.passkeys.remove */
    delete from authority.passkeys where tenant = ${tenant} and user_id = ${userId} and id = ${passkeyId}
    returning ${passkeys.columns}`,
  );

export const removeAll = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  passkeys.removeWhere(tx, 'removeAll', sql`tenant = ${tenant} and user_id = ${userId}`);

/** Marks a challenge as used; false when it was used before. */
export const spendChallenge = async (tx: Tx, tenant: TenantId, hash: Buffer, expiresAt: Date): Promise<boolean> =>
  (await tx.run(sql`/* authority.spent_challenges.insert */
    insert into authority.spent_challenges (tenant, hash, expires_at) values (${tenant}, ${hash}, ${expiresAt})
    on conflict do nothing`)) === 1;

/** Deletes expired challenges, with an hour of clock tolerance. Role `landfall_system`. */
export const pruneChallenges = (query: Query): Promise<number> =>
  query.run(sql`/* authority.spent_challenges.prune */
    delete from authority.spent_challenges where expires_at < kernel.now() - interval '1 hour'`);
