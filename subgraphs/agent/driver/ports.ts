import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { freePort } from './process.ts';

/** Linux gives the ports below to whoever asks for any (net.ipv4.ip_local_port_range); these are left to who chooses. */
const firstPort = 61_000;
const count = 65_536 - firstPort;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true));
    server.once('error', () => resolve(false));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
};

/**
 * Chooses loopback ports for processes about to start, each another: a process takes a while until it listens, and nobody
 * else is to be given its port until then.
 */
export const portChooser = (): (() => Promise<number>) => {
  let next = randomInt(count);
  return async () => {
    for (let tries = 0; tries < count; tries++) {
      next = (next + 1) % count;
      const port = firstPort + next;
      if (await isFree(port)) return port;
    }
    return freePort();
  };
};
