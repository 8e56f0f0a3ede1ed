import type { TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, oneOf, tenantId } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { UserId } from './users.store.ts';

const columns = {
  tenant: tenantId,
  hash: bytes,
  userId: id('User'),
  purpose: oneOf('invitation', 'reset'),
  expiresAt: instant,
};

const links = table('authority.account_links', columns);

export const { insert } = links;

export type AccountLink = RowOf<typeof links>;

/** Finds a valid link. Role `landfall_system`: its token does not name its tenant. */
export const findAnywhere = (query: Query, hash: Buffer) =>
  links.findWhere(query, 'findAnywhere', sql`hash = ${hash} and consumed_at is null and expires_at > kernel.now()`);

/** Consumes a link in one statement: of several uses at once one succeeds. */
export const consume = (tx: Tx, tenant: TenantId, hash: Buffer) =>
  tx.find(
    links,
    sql`/* authority.account_links.consume */
    update authority.account_links set consumed_at = kernel.now()
    where tenant = ${tenant} and hash = ${hash} and consumed_at is null and expires_at > kernel.now()
    returning ${links.columns}`,
  );

export const removeOfUser = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  links.removeWhere(tx, 'removeOfUser', sql`tenant = ${tenant} and user_id = ${userId}`);

/** Deletes expired links. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  links.removeWhere(query, 'prune', sql`expires_at < kernel.now()`);
