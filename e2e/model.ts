// A model that writes slowly: an OpenAI-compatible endpoint of our own on the loopback.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface DrippingModel extends AsyncDisposable {
  /** Up to `/v1`. */
  readonly url: string;
  /** Number of requests for an answer so far. */
  readonly asked: () => Promise<number>;
  /** Resolves when the model watches, to a function that waits until whoever asks then, or next, hangs up. */
  readonly left: () => Promise<() => Promise<void>>;
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

/** The model at an address, in this process or another. */
const modelAt = (url: string, dispose: () => Promise<void>): DrippingModel => ({
  url,
  asked: async () => Number(await (await fetch(`${url}/asked`)).text()),
  async left() {
    const watching = await fetch(`${url}/left`);
    return async () => void (await watching.text());
  },
  [Symbol.asyncDispose]: dispose,
});

/** Starts the model on a port that nobody has. */
export const startModel = async (): Promise<DrippingModel> => {
  let asked = 0;
  const watching = new Set<ServerResponse>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked += 1;
    const gone = new AbortController();
    response.on('close', () => {
      gone.abort();
      for (const watcher of watching) watcher.end();
      watching.clear();
    });
    await drip(await bodyOf(request), response, gone.signal).catch(() => undefined);
  };
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/asked') response.end(String(asked));
    else if (request.url === '/v1/left') {
      watching.add(response);
      response.flushHeaders();
    } else await answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return modelAt(`http://127.0.0.1:${port}/v1`, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
};

/** Settings of a product that the model at this address answers for. */
export const modelSettings = ({ url }: DrippingModel) => ({
  SYNTHESIS__MODELURL: url,
  SYNTHESIS__MODEL: 'drip',
  // Longer than any reader listens: it is the reader who stops it.
  SYNTHESIS__SYNTHESISTIMEOUTMS: '120000',
});

/** The model that `E2E_MODEL` names and the shared product uses, if there is one. */
export const sharedModel = (): DrippingModel | undefined => {
  const url = process.env.E2E_MODEL;
  return url ? modelAt(url, async () => {}) : undefined;
};
