import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { Pool } from 'undici';
import { quantile } from './statistics.ts';

const answered = Type.Object({
  cards: Type.Array(Type.Object({ entityKey: Type.String() })),
  diagnostics: Type.Object({ servedBy: Type.String(), durationMs: Type.Number() }),
});

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const LOOK_MS = 1_000;
/** A million chunks are read and indexed well before this. */
const PATIENCE_MS = 1_200_000;

/** People who ask the product, over connections that stay open. */
export const clientsOf = (baseUrl: string, authorization: string, connections: number) => {
  const pool = new Pool(baseUrl, { connections, pipelining: 1 });
  const headers = { authorization, 'content-type': 'application/json' };

  const query = async (q: string) => {
    const body = JSON.stringify({ q });
    const answer = await pool.request({ method: 'POST', path: '/v1/search/query', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`/v1/search/query answered ${answer.statusCode}: ${text}`);
    return text;
  };

  /** Milliseconds from the request to the last `deterministic` event of the stream. */
  const synthesize = async (q: string): Promise<number> => {
    const begun = performance.now();
    const body = JSON.stringify({ q });
    const answer = await pool.request({ method: 'POST', path: '/v1/search/synthesize', headers, body });
    if (answer.statusCode !== 200) throw new Error(`/v1/search/synthesize answered ${answer.statusCode}`);
    let last: number | undefined;
    for await (const piece of answer.body) {
      if (String(piece).includes('event: deterministic')) last = performance.now() - begun;
    }
    if (last === undefined) throw new Error(`no deterministic event for ${q}`);
    return last;
  };

  /** Asks each once, as many at a time as there are connections. */
  const measure = async (texts: readonly string[], ask: (text: string) => Promise<number>): Promise<Latencies> => {
    const times: number[] = [];
    const rest = texts.values();
    const work = async (): Promise<void> => {
      for (const text of rest) times.push(await ask(text));
    };
    await Promise.all(Array.from({ length: connections }, work));
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), most: Math.max(...times) };
  };

  const timedQuery = async (q: string): Promise<number> => {
    const begun = performance.now();
    await query(q);
    return performance.now() - begun;
  };

  return {
    query: async (q: string) => Parse(answered, JSON.parse(await query(q))),
    queries: (texts: readonly string[]) => measure(texts, timedQuery),
    syntheses: (texts: readonly string[]) => measure(texts, synthesize),
    /** Waits until the index answers, not the database. */
    async warm(): Promise<void> {
      for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(LOOK_MS)) {
        const { diagnostics } = Parse(answered, JSON.parse(await query('denial of service')));
        if (diagnostics.servedBy === 'index') return;
      }
      throw new Error('the index is not ready');
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
};
