import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { id, instant, type RowOf, table, tenantId, text, textArray } from '@landfall/kernel/db/table';
import type { UserId } from '../users/users.store.ts';

export type SessionId = Id<'Session'>;

const sessions = table('authority.sessions', {
  tenant: tenantId,
  id: id('Session'),
  userId: id('User'),
  authTime: instant,
  expiresAt: instant,
  amr: textArray,
  userAgent: text.nullable(),
  address: text.nullable(),
  /** SHA-256, in hex, of the query of the request that it was made for. */
  openedFor: text.nullable(),
});

/** A sign-in at the authority that still holds. */
export type Session = RowOf<typeof sessions>;

/** Role `landfall_system`: the cookie does not name its tenant. */
export const find = (query: Query, hash: Buffer) =>
  query.find(
    sessions,
    sql`/* authority.sessions.find */
    select ${sessions.columns} from authority.sessions where id_hash = ${hash} and expires_at > kernel.now()`,
  );

export interface NewSession {
  readonly id: SessionId;
  readonly hash: Buffer;
  readonly userId: UserId;
  readonly amr: readonly string[];
  readonly userAgent: string | null;
  readonly address: string;
  readonly openedFor: string;
  /** When the person proved who they are; now, unless a provider says when. */
  readonly authTime: Date | undefined;
  readonly aliveMs: number;
}

export const insert = (tx: Tx, tenant: TenantId, session: NewSession): Promise<Session> =>
  tx.get(
    sessions,
    sql`/* authority.sessions.insert */
    insert into authority.sessions (tenant, id, id_hash, user_id, amr, user_agent, address, opened_for,
      auth_time, expires_at)
    values (${tenant}, ${session.id}, ${session.hash}, ${session.userId}, ${session.amr}, ${session.userAgent},
      ${session.address}, ${session.openedFor}, least(coalesce(${session.authTime ?? null}::timestamptz, kernel.now()), kernel.now()),
      kernel.now() + make_interval(secs => ${session.aliveMs / 1000}))
    returning ${sessions.columns}`,
  );

export interface SessionSearch {
  readonly userId: UserId | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Sign-ins that still hold, the latest first. */
export const list = (query: Query, tenant: TenantId, { userId, after, limit }: SessionSearch): Promise<Session[]> =>
  query.list(
    sessions,
    sql`/* authority.sessions.list */
    select ${sessions.columns} from authority.sessions
    where tenant = ${tenant} and expires_at > kernel.now()
      ${userId === undefined ? empty : sql`and user_id = ${userId}`}
      ${after === undefined ? empty : sql`and id < ${after}`}
    order by id desc limit ${limit}`,
  );

export const findById = (query: Query, tenant: TenantId, sessionId: SessionId) =>
  query.find(
    sessions,
    sql`/* authority.sessions.findById */
    select ${sessions.columns} from authority.sessions
    where tenant = ${tenant} and id = ${sessionId} and expires_at > kernel.now()`,
  );

export const endById = (tx: Tx, tenant: TenantId, sessionId: SessionId): Promise<number> =>
  tx.run(sql`/* authority.sessions.endById */
    delete from authority.sessions where tenant = ${tenant} and id = ${sessionId}`);

export const end = (tx: Tx, tenant: TenantId, hash: Buffer): Promise<number> =>
  tx.run(sql`/* authority.sessions.end */
    delete from authority.sessions where tenant = ${tenant} and id_hash = ${hash}`);

export const endOfUser = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.sessions.endOfUser */
    delete from authority.sessions where tenant = ${tenant} and user_id = ${userId}`);

/** Every sign-in of a person but the one that stays. */
export const endOthersOfUser = (tx: Tx, tenant: TenantId, userId: UserId, staying: SessionId): Promise<number> =>
  tx.run(sql`/* authority.sessions.endOthersOfUser */
    delete from authority.sessions where tenant = ${tenant} and user_id = ${userId} and id <> ${staying}`);

/** Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* authority.sessions.prune */
    delete from authority.sessions where expires_at < kernel.now()`);
