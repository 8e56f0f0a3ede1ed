import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.ts';
export type SessionId = Id<'Session'>;

const columns = {
  tenant: tenantId,
  id: id('Session'),
  userId: id('User'),
  authTime: instant,
  expiresAt: instant,
  amr: textArray,
  userAgent: text.nullable(),
  address: text.nullable(),
  /** SHA-256, in hex, of the query of the request it was opened for. */
  openedFor: text.nullable(),
};

const sessions = table('authority.sessions', columns, {
  noun: 'session',
  live: sql`expires_at > kernel.now()`,
  writes: { idHash: bytes },
});

export type Session = RowOf<typeof sessions>;

/** Finds a session. Role `landfall_system`: the cookie does not name its tenant. */
export const findByHash = (query: Query, hash: Buffer) =>
  sessions.findWhere(query, 'findByHash', sql`id_hash = ${hash} and expires_at > kernel.now()`);

export interface SessionSearch {
  readonly userId: UserId | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Live sessions, newest first. */
export const list = (query: Query, tenant: TenantId, { userId, after, limit }: SessionSearch): Promise<Session[]> =>
  sessions.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and expires_at > kernel.now()
      ${userId === undefined ? empty : sql`and user_id = ${userId}`}
      ${after === undefined ? empty : sql`and id < ${after}`}
    order by id desc limit ${limit}`,
  );

export const { find, insert, remove } = sessions;

export const endOtherSessionsOfUser = (tx: Tx, tenant: TenantId, userId: UserId, staying: SessionId): Promise<number> =>
  sessions.removeWhere(
    tx,
    'endOtherSessionsOfUser',
    sql`tenant = ${tenant} and user_id = ${userId} and id <> ${staying}`,
  );

/** Deletes expired sessions. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  sessions.removeWhere(query, 'prune', sql`expires_at < kernel.now()`);
