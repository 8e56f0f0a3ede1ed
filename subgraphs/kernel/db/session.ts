import { Socket } from 'node:net';
import pg from 'pg';
import type { Link } from './liveness.ts';

/** Connection as a statement needs it. */
export interface Session {
  query(statement: string | pg.QueryConfig): Promise<pg.QueryResult>;
}

/** Connection of a pool, watched by the liveness monitor. */
export interface PooledSession extends Session, Link {
  /** Tenant of its row-level-security setting. */
  tenant: string;
  isBroken: boolean;
  connect(): Promise<void>;
  /** Closes the connection politely; the socket is destroyed after a second in any case. */
  end(): Promise<void>;
}

const TERMINATE_MS = 1_000;

/**
 * Opens a session with the server.
 * @param lost called once when the connection has ended, on either side
 */
export const createSession = (config: pg.ClientConfig, lost: (session: PooledSession) => void): PooledSession => {
  const socket = new Socket();
  const client = new pg.Client({ ...config, stream: () => socket });
  /** Sending times of the statements without an answer, the oldest first. */
  const waiting = new Set<{ readonly at: number }>();
  client.on('error', () => lost(session));
  client.on('end', () => lost(session));

  const session: PooledSession = {
    tenant: '',
    isBroken: false,
    get silentSince() {
      return waiting.values().next().value?.at;
    },
    get bytesRead() {
      return socket.bytesRead;
    },
    get pid() {
      return 'processID' in client && typeof client.processID === 'number' ? client.processID : undefined;
    },
    async connect() {
      await client.connect();
    },
    async query(statement) {
      const sent = { at: performance.now() };
      waiting.add(sent);
      try {
        return await client.query(statement);
      } finally {
        waiting.delete(sent);
      }
    },
    abandon() {
      socket.destroy();
      lost(session);
    },
    async end() {
      const timer = setTimeout(() => socket.destroy(), TERMINATE_MS);
      await client.end().catch(() => {});
      clearTimeout(timer);
    },
  };
  return session;
};
