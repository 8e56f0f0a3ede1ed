// A proxy in front of the product that can stop answering without closing anything, as a frozen server does.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

interface FreezingProxy extends AsyncDisposable {
  /** Its address, under the product's own host name, so that a session of the one holds at the other. */
  readonly origin: string;
  /** Accepts connections and bytes from now on and returns none. */
  freeze(): void;
  thaw(): void;
  /** Writes an event into every change feed that is open. */
  tell(event: string, data: object): void;
}

/** Starts a proxy for the product at `baseUrl`. */
export const startFreezingProxy = async (baseUrl: string): Promise<FreezingProxy> => {
  const { hostname, port } = new URL(baseUrl);
  const feeds = new Set<ServerResponse>();
  const pendingResponses: (() => void)[] = [];
  let isFrozen = false;
  const whenThawed = (run: () => void): void => {
    if (isFrozen) pendingResponses.push(run);
    else run();
  };
  const pass = (from: IncomingMessage, to: ServerResponse): void => {
    const onward = request({ hostname, port, path: from.url, method: from.method, headers: from.headers });
    onward.on('response', (answer) => {
      whenThawed(() => to.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders());
      answer.on('data', (piece: Buffer) => whenThawed(() => to.write(piece)));
      answer.on('end', () => whenThawed(() => to.end()));
    });
    onward.on('error', () => to.destroy());
    to.on('close', () => onward.destroy());
    if (from.url === '/changes') {
      feeds.add(to);
      to.on('close', () => feeds.delete(to));
    }
    from.pipe(onward);
  };
  const server = createServer(pass).listen(0, hostname === 'localhost' ? '127.0.0.1' : hostname);
  await once(server, 'listening');
  const address = server.address();
  return {
    origin: `http://${hostname}:${typeof address === 'object' && address ? address.port : 0}`,
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
      for (const run of pendingResponses.splice(0)) run();
    },
    tell: (event, data) => {
      for (const feed of feeds) feed.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
