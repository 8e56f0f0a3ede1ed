import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** First port that the agent chooses, above Linux's ephemeral ports (net.ipv4.ip_local_port_range). */
const FIRST_PORT = 61_000;
const END = 65_536;

/** Listens on a port (0 for any) for a moment; returns the port, or undefined if it is in use. */
const listen = async (port: number): Promise<number | undefined> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').catch(() => undefined);
  const address = server.address();
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? address?.port : undefined;
};

/** Creates a chooser of free loopback ports, never the same twice in a row: a process takes a while to listen. */
export const createPortChooser = (first = FIRST_PORT, end = END): (() => Promise<number>) => {
  let next = randomInt(first, end);
  return async () => {
    for (let attempts = first; attempts < end; attempts++) {
      next = next + 1 < end ? next + 1 : first;
      const port = await listen(next);
      if (port !== undefined) return port;
    }
    const any = await listen(0);
    if (any === undefined) throw new TypeError('a listening socket has an address');
    return any;
  };
};
