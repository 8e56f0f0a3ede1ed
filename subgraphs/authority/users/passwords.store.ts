import type { TenantId } from '@landfall/kernel/core/ids';
import { integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { UserId } from './users.store.ts';

const passwords = table('authority.users password', { passwordHash: text.nullable(), version: integer });

/** Reads the hash of a person's password; null without one. */
export const find = (query: Query, tenant: TenantId, userId: UserId) =>
  passwords.findWhere(query, 'findPassword', sql`tenant = ${tenant} and id = ${userId}`);

/** Replaces the password if it is still the one that was verified. */
export const replace = (
  tx: Tx,
  tenant: TenantId,
  userId: UserId,
  is: { readonly was: string; readonly hash: string },
) =>
  tx.find(
    passwords,
    sql`/* authority.users.replacePassword */
    update authority.users set password_hash = ${is.hash}, version = version + 1
    where tenant = ${tenant} and id = ${userId} and active and password_hash = ${is.was}
    returning ${passwords.columns}`,
  );
