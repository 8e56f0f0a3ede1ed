import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, instant, type RowOf, table, tenantId } from '@landfall/kernel/db/table';
import type { TenantId } from '@landfall/kernel/ids';
import type { UserId } from '../users/users.store.ts';

const sessions = table('authority.sessions', { tenant: tenantId, userId: id('User'), authTime: instant });

/** A sign-in at the authority that still holds. */
export type Session = RowOf<typeof sessions>;

/** Role `landfall_system`: the cookie does not name its tenant. */
export const find = (query: Query, hash: Buffer) =>
  query.find(
    sessions,
    sql`/* authority.sessions.find */
    select ${sessions.columns} from authority.sessions where id_hash = ${hash} and expires_at > kernel.now()`,
  );

export const insert = (tx: Tx, tenant: TenantId, hash: Buffer, userId: UserId, aliveMs: number): Promise<Session> =>
  tx.get(
    sessions,
    sql`/* authority.sessions.insert */
    insert into authority.sessions (tenant, id_hash, user_id, auth_time, expires_at)
    values (${tenant}, ${hash}, ${userId}, kernel.now(), kernel.now() + make_interval(secs => ${aliveMs / 1000}))
    returning ${sessions.columns}`,
  );

export const end = (tx: Tx, tenant: TenantId, hash: Buffer): Promise<number> =>
  tx.run(sql`/* authority.sessions.end */
    delete from authority.sessions where tenant = ${tenant} and id_hash = ${hash}`);

export const endOfUser = (tx: Tx, tenant: TenantId, userId: UserId): Promise<number> =>
  tx.run(sql`/* authority.sessions.end_of_user */
    delete from authority.sessions where tenant = ${tenant} and user_id = ${userId}`);

/** Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* authority.sessions.prune */
    delete from authority.sessions where expires_at < kernel.now()`);
