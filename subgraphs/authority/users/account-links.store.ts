import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, instant, integer, oneOf, type RowOf, table, tenantId } from '@landfall/kernel/db/table';
import type { UserId } from './users.store.ts';

const links = table('authority.account_links', {
  tenant: tenantId,
  userId: id('User'),
  purpose: oneOf('invitation', 'reset'),
  expiresAt: instant,
});

const versions = table('authority.users version', { version: integer });

/**
 * Writes a password's hash, or takes the password away.
 * @returns the person's version after it
 */
export const setHash = async (tx: Tx, tenant: TenantId, userId: UserId, hash: string | null): Promise<number> =>
  (
    await tx.get(
      versions,
      sql`/* authority.users.setPassword */
      update authority.users set password_hash = ${hash}, version = version + 1
      where tenant = ${tenant} and id = ${userId}
      returning ${versions.columns}`,
    )
  ).version;

/** A way to choose a password, once. */
export type AccountLink = RowOf<typeof links>;

export interface NewLink {
  readonly hash: Buffer;
  readonly userId: UserId;
  readonly purpose: AccountLink['purpose'];
  readonly aliveMs: number;
}

/** A link that still works. Role `landfall_system`: its token does not name its tenant. */
export const findAnywhere = (query: Query, hash: Buffer) =>
  query.find(
    links,
    sql`/* authority.account_links.findAnywhere */
    select ${links.columns} from authority.account_links
    where hash = ${hash} and consumed_at is null and expires_at > kernel.now()`,
  );

export const insert = (tx: Tx, tenant: TenantId, link: NewLink): Promise<AccountLink> =>
  tx.get(
    links,
    sql`/* authority.account_links.insert */
    insert into authority.account_links (tenant, hash, user_id, purpose, expires_at)
    values (${tenant}, ${link.hash}, ${link.userId}, ${link.purpose},
      kernel.now() + make_interval(secs => ${link.aliveMs / 1000}))
    returning ${links.columns}`,
  );

/** Spends a link in one statement: of several uses at once one finds it unspent. */
export const consume = (tx: Tx, tenant: TenantId, hash: Buffer) =>
  tx.find(
    links,
    sql`/* authority.account_links.consume */
    update authority.account_links set consumed_at = kernel.now()
    where tenant = ${tenant} and hash = ${hash} and consumed_at is null and expires_at > kernel.now()
    returning ${links.columns}`,
  );

/** A new link takes the place of those before it. */
export const removeOfUser = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.account_links.removeOfUser */
    delete from authority.account_links where tenant = ${tenant} and user_id = ${userId}`);

/** Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* authority.account_links.prune */
    delete from authority.account_links where expires_at < kernel.now()`);
