import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Opens a TCP proxy to a listener whose connections a test can cut and restore. It passes bytes unchanged, also TLS.
 */
export const openSeverableProxy = async (to: string) => {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a cable listens on a port');
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin: `https://127.0.0.1:${address.port}`,
    cut(): void {
      isCut = true;
      drop();
    },
    mend(): void {
      isCut = false;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      drop();
      server.close();
    },
  };
};
