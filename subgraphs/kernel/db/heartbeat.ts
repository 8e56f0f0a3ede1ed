import { Socket } from 'node:net';
import pg from 'pg';

/** Time between two signs of life that an idle connection asks for, and the longest time for their answer. */
const BEAT_MS = 2_000;
/** A socket path has no network that could swallow anything, but a busy machine. */
const LOCAL_BEAT_MS = 15_000;

/**
 * A client whose connection is destroyed when the server gives no sign of life: for connections that wait for
 * notifications, since what waits in silence never finds out that the network swallows everything.
 */
export const heartbeatClient = (config: pg.ClientConfig): pg.Client => {
  const socket = new Socket();
  const client = new pg.Client({ ...config, stream: () => socket });
  const everyMs = client.host.startsWith('/') ? LOCAL_BEAT_MS : BEAT_MS;
  let isWaiting = false;
  const beat = async (): Promise<void> => {
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
    timer = setInterval(() => void beat(), everyMs).unref();
  });
  client.once('end', () => clearInterval(timer));
  return client;
};
