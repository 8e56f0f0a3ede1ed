import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { type Connection, connectionTo } from './search-connection.ts';
import { quantile } from './statistics.ts';

const answered = Type.Object({
  cards: Type.Array(Type.Object({ entityKey: Type.String() })),
  diagnostics: Type.Object({ servedBy: Type.String(), durationMs: Type.Number() }),
});

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const POLL_MS = 1_000;
/** Deadline in milliseconds, well above the time to read and index a million chunks. */
const TIMEOUT_MS = 1_200_000;

const HEAD_END = '\r\n\r\n';

/** Milliseconds until an answer is complete. */
const timed = (connection: Connection, request: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now();
    connection.send(request, {
      whole(status, body) {
        if (status === 200) resolve(performance.now() - startedMs);
        else reject(new Error(`a search was answered ${status}: ${body}`));
      },
      failed: reject,
    });
  });

/** Milliseconds until the last `deterministic` event of a stream. */
const timedToDeterministic = (connection: Connection, request: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now();
    let last: number | undefined;
    connection.send(request, {
      piece(text) {
        if (text.includes('event: deterministic')) last = performance.now() - startedMs;
      },
      whole(status, body) {
        if (status === 200 && last !== undefined) resolve(last);
        else reject(new Error(`a synthesis was answered ${status} without a deterministic event: ${body}`));
      },
      failed: reject,
    });
  });

/** Creates clients that search the product over keep-alive connections. */
export const clientsOf = async (baseUrl: string, authorization: string, connections: number) => {
  const url = new URL(baseUrl);
  const open = Array.from({ length: connections }, () => connectionTo(url));

  const requestOf = (path: string, q: string): Buffer => {
    const body = JSON.stringify({ q });
    const head = `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: ${authorization}\r\ncontent-type: application/json`;
    return Buffer.from(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`);
  };

  /** Sends each query once, one at a time on each connection. */
  const measure = async (
    path: string,
    texts: readonly string[],
    ask: (connection: Connection, request: Buffer) => Promise<number>,
  ): Promise<Latencies> => {
    const requests = texts.map((text) => requestOf(path, text));
    const times: number[] = [];
    const rest = requests.values();
    const work = async (connection: Connection): Promise<void> => {
      for (const request of rest) times.push(await ask(connection, request));
    };
    await Promise.all(open.map(work));
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), most: Math.max(...times) };
  };

  const query = async (q: string) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(new URL('/v1/search/query', url), {
      method: 'POST',
      headers,
      body: JSON.stringify({ q }),
    });
    if (answer.status !== 200) throw new Error(`/v1/search/query answered ${answer.status}: ${await answer.text()}`);
    return Parse(answered, await answer.json());
  };

  return {
    query,
    queries: (texts: readonly string[]) => measure('/v1/search/query', texts, timed),
    syntheses: (texts: readonly string[]) => measure('/v1/search/synthesize', texts, timedToDeterministic),
    /** Waits until the index answers instead of the database. */
    async warm(): Promise<void> {
      for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await pause(POLL_MS)) {
        const { diagnostics } = await query('denial of service');
        if (diagnostics.servedBy === 'index') return;
      }
      throw new Error('the index is not ready');
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of open) connection.end();
    },
  };
};
