import type pg from 'pg';
import { detached } from '../core/connection-use.ts';
import type { TenantId } from '../core/ids.ts';
import { type Connections, createConnections } from './connections.ts';
import { asCommitFault, asDatabaseFault, isRetryable } from './errors.ts';
import { createLiveness, type LivenessOptions } from './liveness.ts';
import { entitiesOf, type Query, queryOn, type Send, sendOn, type Tx } from './query.ts';
import type { Session } from './session.ts';

/** Access to rows: as a tenant, or across tenants on the few tables with a policy for it. */
export interface Database {
  /** Statements outside a transaction, as `tenant`. */
  read<T>(tenant: TenantId, use: (query: Query) => Promise<T>): Promise<T>;
  /** Runs a transaction as `tenant`; retries it up to three times after a serialization failure. */
  write<T>(tenant: TenantId, use: (tx: Tx) => Promise<T>): Promise<T>;
  /** Role `landfall_system`: event readers, lease workers, sign-in, agent identification. */
  readonly system: {
    read<T>(use: (query: Query) => Promise<T>): Promise<T>;
    write<T>(use: (tx: Tx) => Promise<T>): Promise<T>;
  };
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** The login of the app role. */
  readonly connection: pg.ClientConfig;
  /** The login of the system role, unless one login is both. */
  readonly systemConnection?: pg.ClientConfig | undefined;
  /** Connections of the app role. */
  readonly max?: number;
  /** Connections of the system role: a quarter of the app role's and at least two unless given. */
  readonly systemMax?: number;
  /** Sees every statement that is sent: telemetry and the query fixtures. */
  readonly onStatement?: (name: string | undefined) => void;
  /** Called after each commit that wrote events, with their kinds of entities: publishes the hint to other processes. */
  readonly onEvents?: (entities: ReadonlySet<string>) => void;
  readonly liveness?: LivenessOptions;
}

const RETRIES = 3;

const commit = async (session: Session): Promise<void> => {
  try {
    await session.query('commit');
  } catch (error) {
    throw asCommitFault(error);
  }
};

export const createDatabase = ({
  connection,
  systemConnection,
  max = 16,
  systemMax = Math.max(2, Math.ceil(max / 4)),
  onStatement,
  onEvents,
  liveness,
}: DatabaseOptions): Database => {
  const live = createLiveness(connection, liveness);
  // A database login may see its own sessions, and end them.
  const systemLive = systemConnection ? createLiveness(systemConnection, liveness) : live;
  live.onLost(() => systemLive.suspect());
  systemLive.onLost(() => live.suspect());
  const app = createConnections({ connection, role: 'landfall_app', max, liveness: live });
  const system = createConnections({
    connection: systemConnection ?? connection,
    role: 'landfall_system',
    max: systemMax,
    liveness: systemLive,
  });

  const sender = (session: Session): Send => {
    const send = sendOn(session);
    if (!onStatement) return send;
    return (statement, shape) => {
      onStatement(/\/\* ([\w.-]+) \*\//.exec(statement.strings[0] ?? '')?.[1]);
      return send(statement, shape);
    };
  };

  const read = async <T>(from: Connections, tenant: string, use: (query: Query) => Promise<T>): Promise<T> => {
    try {
      return await from.with(tenant, (session) => use(queryOn(sender(session))));
    } catch (error) {
      throw asDatabaseFault(error);
    }
  };

  /** Runs a transaction once and returns the kinds of entities of which it wrote events. */
  const once = <T>(from: Connections, tenant: string, use: (tx: Tx) => Promise<T>) =>
    from.with(tenant, async (session) => {
      // Sent ahead of the first statement, which does not wait for its answer.
      const started = session.query('begin');
      started.catch(() => {});
      try {
        const tx: Tx = { ...queryOn(sender(session)), transaction: true };
        const value = await use(tx);
        await started;
        await commit(session);
        return { value, entities: entitiesOf(tx) };
      } catch (error) {
        // A connection that cannot roll back is dropped by its pool; the first error is reported.
        await session.query('rollback').catch(() => {});
        throw error;
      }
    });

  const write = async <T>(from: Connections, tenant: string, use: (tx: Tx) => Promise<T>): Promise<T> => {
    for (let attempts = 1; ; attempts++) {
      try {
        const { value, entities } = await once(from, tenant, use);
        // Called when the connection is free again, since listeners read at once.
        if (entities.size > 0) detached(() => onEvents?.(entities));
        return value;
      } catch (error) {
        if (attempts > RETRIES || !isRetryable(error)) throw asDatabaseFault(error);
      }
    }
  };

  return {
    read: (tenant, use) => read(app, tenant, use),
    write: (tenant, use) => write(app, tenant, use),
    system: {
      read: (use) => read(system, '', use),
      write: (use) => write(system, '', use),
    },
    close: async () => {
      for (const watch of [live, systemLive]) watch.close();
      await Promise.all([app.close(), system.close()]);
    },
  };
};
