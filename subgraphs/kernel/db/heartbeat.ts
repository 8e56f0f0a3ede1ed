import { Socket } from 'node:net';
import pg from 'pg';

/** Interval of heartbeats on an idle connection, and the time limit of their answer, in milliseconds. */
const HEARTBEAT_MS = 2_000;
/** Heartbeat interval on a Unix socket, which has no network that can drop packets, only a busy machine. */
const LOCAL_HEARTBEAT_MS = 15_000;

/** Creates a client that destroys its connection after a missed heartbeat, for connections that only listen. */
export const heartbeatClient = (config: pg.ClientConfig): pg.Client => {
  const socket = new Socket();
  const client = new pg.Client({ ...config, stream: () => socket });
  const everyMs = client.host.startsWith('/') ? LOCAL_HEARTBEAT_MS : HEARTBEAT_MS;
  let isWaiting = false;
  const sendHeartbeat = async (): Promise<void> => {
    if (isWaiting) {
      socket.destroy();
      return;
    }
    isWaiting = true;
    await client.query('select 1').catch(() => {});
    isWaiting = false;
  };
  let timer: NodeJS.Timeout | undefined;
  client.once('connect', () => {
    timer = setInterval(() => void sendHeartbeat(), everyMs).unref();
  });
  client.once('end', () => clearInterval(timer));
  return client;
};
