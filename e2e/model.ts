// A model that writes slowly: an OpenAI-compatible endpoint of our own on the loopback.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface DrippingModel extends AsyncDisposable {
  /** Up to `/v1`. */
  readonly url: string;
  /** Number of requests for an answer so far. */
  readonly asked: () => Promise<number>;
  /**
   * Resolves when the model listens, to a function that waits until the current client, or the next one, disconnects.
   */
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
const WORD_PAUSE_MS = 60;

/**
 * Writes the titles of the documents in the prompt, each a numbered sentence, repeatedly, until the client disconnects.
 */
const streamSlowly = async (body: string, response: ServerResponse, removed: AbortSignal): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sentences = titlesOf(body).map((title, index) => `${title.replaceAll(/[.!?]/g, '')} [${index + 1}]. `);
  for (let index = 0; sentences.length > 0 && !removed.aborted; index++) {
    for (const word of (sentences[index % sentences.length] ?? '').split(/(?<= )/)) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: word } }] })}\n\n`);
      await pause(WORD_PAUSE_MS, undefined, { signal: removed });
    }
  }
  response.end('data: [DONE]\n\n');
};

/** The model at an address, in this process or another. */
const modelAt = (url: string, dispose: () => Promise<void>): DrippingModel => ({
  url,
  asked: async () => Number(await (await fetch(`${url}/asked`)).text()),
  async left() {
    const clients = await fetch(`${url}/left`);
    return async () => void (await clients.text());
  },
  [Symbol.asyncDispose]: dispose,
});

/** Starts the model on a free port. */
export const startModel = async (): Promise<DrippingModel> => {
  let asked = 0;
  const clients = new Set<ServerResponse>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked += 1;
    const removed = new AbortController();
    response.on('close', () => {
      removed.abort();
      for (const watcher of clients) watcher.end();
      clients.clear();
    });
    await streamSlowly(await bodyOf(request), response, removed.signal).catch(() => undefined);
  };
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/asked') response.end(String(asked));
    else if (request.url === '/v1/left') {
      clients.add(response);
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

/** Settings by which a product uses the model at this address. */
export const modelSettings = ({ url }: DrippingModel) => ({
  SYNTHESIS__MODELURL: url,
  SYNTHESIS__MODEL: 'drip',
  // Longer than any reader waits: the reader ends the stream.
  SYNTHESIS__SYNTHESISTIMEOUTMS: '120000',
});

/** The model that `E2E_MODEL` names and the shared product uses, if there is one. */
export const sharedModel = (): DrippingModel | undefined => {
  const url = process.env.E2E_MODEL;
  return url ? modelAt(url, async () => {}) : undefined;
};
