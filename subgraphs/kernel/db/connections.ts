import pg from 'pg';
import { Fault } from '../fault.ts';
import { isDatabaseFault, isOutage } from './errors.ts';
import { holdConnection, refuseWhileHolding } from './held-connection.ts';

export interface ConnectionsOptions {
  /** Where the database is, and as whom to log in. */
  readonly connection: pg.ClientConfig;
  /** The role every statement runs as. */
  readonly role: 'landfall_app' | 'landfall_system';
  readonly max: number;
  /** How long a caller waits for a free connection, in milliseconds; then SYS_OVERLOADED. */
  readonly waitMs?: number;
}

interface Held {
  readonly client: pg.Client;
  tenant: string;
  broken: boolean;
}

/** Connections that remember their tenant. */
export interface Connections {
  /**
   * Runs `use` on a connection set to `tenant` ('' for none). The setting is changed outside transactions only.
   * @throws TypeError when the caller holds a connection already
   */
  with<T>(tenant: string, use: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const SESSION = '-c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000';

/**
 * A pool that prefers the connection which last served the same tenant, so that the row-level-security setting
 * rarely changes: the setting is a session's, made outside transactions, since one made inside is undone by a rollback.
 */
export const createConnections = ({ connection, role, max, waitMs = 5_000 }: ConnectionsOptions): Connections => {
  const idle: Held[] = [];
  const waiting: ((held: Held | undefined) => void)[] = [];
  let open = 0;
  let closing = false;

  const drop = (held: Held): void => {
    if (held.broken) return;
    held.broken = true;
    open--;
    const at = idle.indexOf(held);
    if (at >= 0) idle.splice(at, 1);
    held.client.end().catch(() => {});
    waiting.shift()?.(undefined);
  };

  const connect = async (): Promise<Held> => {
    open++;
    const client = new pg.Client({
      ...connection,
      options: `-c role=${role} ${SESSION}`,
      connectionTimeoutMillis: 3_000,
      // A statement need not wait for the answer to the one before it: `begin` costs no round trip.
      pipeline: true,
      application_name: role,
    });
    const held: Held = { client, tenant: '', broken: false };
    client.on('error', () => drop(held));
    client.on('end', () => drop(held));
    try {
      await client.connect();
    } catch (error) {
      drop(held);
      throw error;
    }
    return held;
  };

  const wait = (): Promise<Held | undefined> =>
    new Promise((resolve, reject) => {
      const take = (held: Held | undefined): void => {
        clearTimeout(timer);
        resolve(held);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(new Fault('SYS_OVERLOADED', 'No database connection became free in time. Try again.', { waitMs }));
      }, waitMs);
      waiting.push(take);
    });

  /** The idle connection that suits `tenant` best: its own, else the one that has been idle longest once all are open. */
  const takeIdle = (tenant: string): Held | undefined => {
    const at = idle.findLastIndex((held) => held.tenant === tenant);
    if (at >= 0) return idle.splice(at, 1)[0];
    return open < max ? undefined : idle.shift();
  };

  const acquire = async (tenant: string): Promise<Held> => {
    for (;;) {
      if (closing) throw new Fault('SYS_SERVICE_UNAVAILABLE', 'The service is stopping.');
      const held = takeIdle(tenant) ?? (open < max ? await connect() : await wait());
      if (held) return held;
    }
  };

  const release = (held: Held): void => {
    if (held.broken) return;
    const next = waiting.shift();
    if (closing) drop(held);
    else if (next) next(held);
    else idle.push(held);
  };

  return {
    async with(tenant, use) {
      refuseWhileHolding('a second database connection');
      const held = await acquire(tenant);
      try {
        if (held.tenant !== tenant) {
          await held.client.query({ text: "select set_config('landfall.tenant', $1, false)", values: [tenant] });
          held.tenant = tenant;
        }
        return await holdConnection(() => use(held.client));
      } catch (error) {
        if (isOutage(error) || isDatabaseFault(error)) drop(held);
        throw error;
      } finally {
        release(held);
      }
    },
    async close() {
      closing = true;
      for (const take of waiting.splice(0)) take(undefined);
      await Promise.all(idle.splice(0).map((held) => held.client.end().catch(() => {})));
    },
  };
};
