import { bytes, instant, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const sessions = table('kernel.sessions', {
  tenant: text,
  subject: text,
  sealed: bytes,
  csrfHash: bytes,
  expiresAt: instant,
  lastSeenAt: instant,
});

export type SessionRow = ReturnType<(typeof sessions)['decode']>;

// kernel.sessions has one policy, for landfall_system: a session is found by its cookie, before the tenant is known.

/** Finds a session, unless it ended by age or disuse. */
export const find = (query: Query, idHash: Buffer, idleMs: number): Promise<SessionRow | undefined> =>
  query.find(
    sessions,
    sql`/* kernel.sessions.find */
    select ${sessions.columns} from kernel.sessions
    where id_hash = ${idHash} and expires_at > kernel.now()
      and last_seen_at > kernel.now() - make_interval(secs => ${idleMs / 1000})`,
  );

export const insert = (
  query: Query,
  row: Pick<SessionRow, 'tenant' | 'subject' | 'sealed' | 'csrfHash'> & { idHash: Buffer; lifeMs: number },
): Promise<number> =>
  query.run(sql`/* kernel.sessions.insert */
    insert into kernel.sessions (id_hash, tenant, subject, sealed, csrf_hash, expires_at)
    values (${row.idHash}, ${row.tenant}, ${row.subject}, ${row.sealed}, ${row.csrfHash},
      kernel.now() + make_interval(secs => ${row.lifeMs / 1000}))`);

/** Records the use of a session. */
export const touch = (query: Query, idHash: Buffer): Promise<number> =>
  query.run(sql`/* kernel.sessions.touch */
    update kernel.sessions set last_seen_at = kernel.now() where id_hash = ${idHash}`);

/** Leases the refresh of a session with the refresh token `sealed`; false if another process leased or refreshed it. */
export const leaseRefresh = async (query: Query, idHash: Buffer, sealed: Buffer, leaseMs: number): Promise<boolean> =>
  (await query.run(sql`/* kernel.sessions.leaseRefresh */
    update kernel.sessions set refresh_until = kernel.now() + make_interval(secs => ${leaseMs / 1000})
    where id_hash = ${idHash} and sealed = ${sealed}
      and (refresh_until is null or refresh_until <= kernel.now())`)) === 1;

export const saveRefreshed = (query: Query, idHash: Buffer, sealed: Buffer): Promise<number> =>
  query.run(sql`/* kernel.sessions.saveRefreshed */
    update kernel.sessions set sealed = ${sealed}, refresh_until = null where id_hash = ${idHash}`);

export const releaseRefresh = (query: Query, idHash: Buffer): Promise<number> =>
  query.run(sql`/* kernel.sessions.releaseRefresh */
    update kernel.sessions set refresh_until = null where id_hash = ${idHash}`);

export const remove = (query: Query, idHash: Buffer): Promise<number> =>
  query.run(sql`/* kernel.sessions.delete */ delete from kernel.sessions where id_hash = ${idHash}`);

/** Deletes sessions that ended by age. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* kernel.sessions.prune */ delete from kernel.sessions where expires_at <= kernel.now()`);
