import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

const body = Type.Object({
  model: Type.Optional(Type.String()),
  stream: Type.Boolean(),
  messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String() })),
});

/** Request that a server received. */
interface ModelCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Static<typeof body>;
  /** Settles when the client's connection is closed. */
  readonly closed: Promise<void>;
}

export type Answering = (response: ServerResponse, call: ModelCall) => Promise<void> | void;

/** Event of a streamed completion. */
export const delta = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

export const DONE = 'data: [DONE]\n\n';

/** Starts a streamed completion. */
export const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Answers with a text in parts of a few characters. */
export const answering =
  (text: string): Answering =>
  (response) => {
    begin(response);
    for (const piece of text.match(/[\s\S]{1,7}/gu) ?? []) response.write(delta(piece));
    response.end(DONE);
  };

/** Starts a server with the protocol of OpenAI's chat completions, whose responses the test chooses. */
export const modelServer = async (answer: Answering) => {
  const calls: ModelCall[] = [];
  const sockets = new Set<Socket>();
  const closedBy = new WeakMap<Socket, Promise<void>>();
  const read = async (request: IncomingMessage): Promise<ModelCall> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    return {
      path: request.url ?? '',
      headers: request.headers,
      body: Value.Parse(body, JSON.parse(Buffer.concat(chunks).toString())),
      closed: closedBy.get(request.socket) ?? Promise.resolve(),
    };
  };
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    const call = await read(request);
    calls.push(call);
    await answer(response, call);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    closedBy.set(
      socket,
      // `once` of node:events would reject at an error, and a disconnected client may reset the connection.
      new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    /** Value of the setting. */
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`,
    calls,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
