import type pg from 'pg';
import { holdConnection, refuseWhileConnected } from '../core/connection-use.ts';
import { Fault } from '../core/fault.ts';
import { isDatabaseFault, isOutage } from './errors.ts';
import type { Liveness } from './liveness.ts';
import { createSession, type PooledSession, type Session } from './session.ts';

interface ConnectionsOptions {
  /** Server address and login with which the pool connects. */
  readonly connection: pg.ClientConfig;
  /** Database role of every statement. */
  readonly role: 'landfall_app' | 'landfall_system';
  readonly max: number;
  /** Liveness monitor of the process's connections. */
  readonly liveness: Liveness;
  /** Longest time until a caller has a free connection, in milliseconds; then SYS_OVERLOADED. */
  readonly waitMs?: number;
}

/** Session settings. The last three make the server end a session soon after its client vanished. */
const SESSION = [
  'statement_timeout=30000',
  'idle_in_transaction_session_timeout=60000',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
];

const CONNECT_MS = 3_000;

/**
 * Connection pool that prefers the connection which last served the same tenant, so that the row-level-security
 * setting rarely changes. The setting is changed outside transactions, since a rollback would undo it.
 */
export const createConnections = (options: ConnectionsOptions) => {
  const { connection, role, max, liveness, waitMs = 5_000 } = options;
  const idle: PooledSession[] = [];
  const waiting: ((session: PooledSession | undefined) => void)[] = [];
  let open = 0;
  let closing = false;

  const drop = (session: PooledSession): void => {
    if (session.isBroken) return;
    session.isBroken = true;
    open--;
    liveness.unwatch(session);
    const at = idle.indexOf(session);
    if (at >= 0) idle.splice(at, 1);
    void session.end();
    waiting.shift()?.(undefined);
  };

  // Waiting callers try again and receive the error that the database is unreachable.
  liveness.onLost(() => {
    for (const receive of waiting.splice(0)) receive(undefined);
  });

  const connect = async (remainingMs: number): Promise<PooledSession> => {
    open++;
    const session = createSession(
      {
        ...connection,
        options: [`role=${role}`, ...SESSION].map((setting) => `-c ${setting}`).join(' '),
        connectionTimeoutMillis: Math.min(CONNECT_MS, remainingMs),
        // A statement need not wait for the answer to the one before it: `begin` costs no round trip.
        pipeline: true,
        application_name: role,
      },
      drop,
    );
    try {
      await session.connect();
    } catch (error) {
      // A refused connection fails at once and needs no probe.
      if (error instanceof Error && /timeout expired/.test(error.message)) liveness.suspect();
      drop(session);
      throw error;
    }
    liveness.watch(session);
    return session;
  };

  const overloaded = (): Fault =>
    new Fault('SYS_OVERLOADED', 'No database connection became free in time. Try again.', { waitMs });

  const wait = (remainingMs: number): Promise<PooledSession | undefined> =>
    new Promise((resolve, reject) => {
      const receive = (session: PooledSession | undefined): void => {
        clearTimeout(timer);
        resolve(session);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(receive), 1);
        reject(overloaded());
      }, remainingMs);
      waiting.push(receive);
    });

  /** Takes an idle connection of `tenant`, or the one that has been idle longest when the pool is full. */
  const acquireIdle = (tenant: string): PooledSession | undefined => {
    const at = idle.findLastIndex((session) => session.tenant === tenant);
    if (at >= 0) return idle.splice(at, 1)[0];
    return open < max ? undefined : idle.shift();
  };

  const acquire = async (tenant: string): Promise<PooledSession> => {
    const deadline = performance.now() + waitMs;
    for (;;) {
      if (closing) throw new Fault('SYS_SERVICE_UNAVAILABLE', 'The service is stopping.');
      liveness.assertReachable();
      const remainingMs = Math.ceil(deadline - performance.now());
      if (remainingMs <= 0) throw overloaded();
      const session = acquireIdle(tenant) ?? (await (open < max ? connect(remainingMs) : wait(remainingMs)));
      if (session) return session;
    }
  };

  const release = (session: PooledSession): void => {
    if (session.isBroken) return;
    const next = waiting.shift();
    if (closing) drop(session);
    else if (next) next(session);
    else idle.push(session);
  };

  return {
    /** Runs `use` on a connection set to `tenant` ('' for none). Throws TypeError if the caller holds one already. */
    async with<T>(tenant: string, use: (session: Session) => Promise<T>): Promise<T> {
      refuseWhileConnected('a second database connection');
      const session = await acquire(tenant);
      try {
        if (session.tenant !== tenant) {
          await session.query({ text: "select set_config('landfall.tenant', $1, false)", values: [tenant] });
          session.tenant = tenant;
        }
        return await holdConnection(() => use(session));
      } catch (error) {
        if (isOutage(error) || isDatabaseFault(error)) drop(session);
        throw error;
      } finally {
        release(session);
      }
    },
    async close(): Promise<void> {
      closing = true;
      for (const receive of waiting.splice(0)) receive(undefined);
      await Promise.all(idle.splice(0).map((session) => session.end()));
    },
  };
};

export type Connections = ReturnType<typeof createConnections>;
