// A model that writes slowly: an OpenAI-compatible endpoint of our own on the loopback.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface DrippingModel extends AsyncDisposable {
  /** Up to `/v1`. */
  readonly url: string;
  /** Number of requests so far. */
  readonly asked: () => number;
  /** Settles when whoever asks now, or next, hangs up. */
  readonly left: () => Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: string[] = [];
  for await (const piece of request.setEncoding('utf8')) pieces.push(String(piece));
  return pieces.join('');
};

/** The titles of the documents in a prompt: each document's first line. */
const titlesOf = (body: string): string[] =>
  [...body.matchAll(/ document \d+ [^\n]*?>\\n (.*?)\\n/g)].flatMap(([, title]) => title ?? []);

/** Between two pieces, so that a reader sees it being written. */
const DRIP_MS = 60;

/**
 * Writes the titles of the documents it is given, each a sentence with its number, over and over: who wants no more
 * of it hangs up.
 */
const drip = async (body: string, response: ServerResponse, gone: AbortSignal): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sentences = titlesOf(body).map((title, at) => `${title.replaceAll(/[.!?]/g, '')} [${at + 1}]. `);
  for (let at = 0; sentences.length > 0 && !gone.aborted; at++) {
    for (const word of (sentences[at % sentences.length] ?? '').split(/(?<= )/)) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: word } }] })}\n\n`);
      await pause(DRIP_MS, undefined, { signal: gone });
    }
  }
  response.end('data: [DONE]\n\n');
};

/** Starts the model, on a port that nobody has unless it is told one. */
export const startModel = async (at = 0): Promise<DrippingModel> => {
  let asked = 0;
  let left = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    asked += 1;
    const gone = new AbortController();
    response.on('close', () => {
      gone.abort();
      left.resolve();
      left = Promise.withResolvers();
    });
    await drip(await bodyOf(request), response, gone.signal).catch(() => undefined);
  }).listen(at, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    left: () => left.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
