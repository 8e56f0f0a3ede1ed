import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

/** Request that a receiver got. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Receiver on loopback that answers as the test says and keeps what it got. */
export const startSink = async (reply: (request: Received, at: number) => Reply | Promise<Reply> = () => ({})) => {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const got = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
    received.push(got);
    const { status = 200, headers = {}, body = '' } = await reply(got, received.length);
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('the receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
