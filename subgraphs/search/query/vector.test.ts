import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { people } from '@landfall/kernel/testing/callers';
import { startQueryApp } from './query-app.fixture.ts';
import type { VectorHit, VectorSearch } from './vector.ts';

const numbers = table('numbers', { chunkId: count });

// spec: 2.8/diagnostics
describe('vectors beside words', () => {
  let app: Awaited<ReturnType<typeof startQueryApp>>;
  /** Next vector hits, and the recorded queries. */
  let hits: readonly VectorHit[] = [];
  let encoder: ReturnType<VectorSearch['activeEncoder']> = 'hash';
  let query: string[] = [];
  let fails = false;

  before(async () => {
    const vectors: VectorSearch = {
      activeEncoder: () => encoder,
      async search(_tenant, text) {
        query.push(text);
        if (fails) throw new Error('no vectors today');
        return hits;
      },
    };
    app = await startQueryApp({ path: 'index', vectors });
  });
  after(() => app[Symbol.asyncDispose]());

  const numberOf = async (documentKey: string, tenant = 'acme'): Promise<number> => {
    const [row] = await app.rows(
      numbers,
      sql`select chunk_id from search.chunks where tenant = ${tenant} and document_key = ${documentKey}`,
      tenant,
    );
    assert.ok(row);
    return row.chunkId;
  };
  const ask = async (input: object) => {
    query = [];
    const { cards, diagnostics } = await app.module.query.search(people.searcher, input);
    const lanes = cards.map(({ entityKey, why: reason }) => [entityKey, ...reason.map(({ lane }) => lane)]);
    return { lanes, mode: diagnostics.mode, usedVector: diagnostics.usedVector };
  };
  const nothing = { lanes: [], mode: 'fts-only', usedVector: false };

  it('take part where words find too little, and the answer says so', async () => {
    hits = [{ number: await numberOf('disallow-latest'), score: 0.9 }];
    assert.deepEqual(await ask({ q: 'zzyzxqqq' }), {
      lanes: [['policy:kyverno/disallow-latest', 'vector']],
      mode: 'hybrid',
      usedVector: true,
    });
    const { mode } = await ask({ q: 'tag latest' });
    assert.deepEqual([mode, query], ['fts-only', []]);
  });

  it('take part always where a model makes them, and never where nothing does', async () => {
    encoder = 'onnx';
    const both = await ask({ q: 'tag latest' });
    assert.deepEqual(both.lanes[0], ['policy:kyverno/disallow-latest', 'fts:policy', 'vector']);
    assert.equal(both.mode, 'hybrid');
    encoder = 'hash-fallback';
    assert.deepEqual([await ask({ q: 'zzyzxqqq' }), query], [nothing, []]);
    encoder = 'hash';
  });

  it('bring nothing that is far, filtered out, gone or another tenant’s', async () => {
    hits = [{ number: await numberOf('disallow-latest'), score: 0.1 }];
    assert.deepEqual(await ask({ q: 'zzyzxqqq' }), nothing);
    hits = [
      { number: await numberOf('CVE-2031-9009', 'globex'), score: 0.9 },
      { number: 2 ** 40, score: 0.9 },
    ];
    assert.deepEqual([await ask({ q: 'zzyzxqqq' }), query], [nothing, ['zzyzxqqq']]);
    hits = [{ number: await numberOf('disallow-latest'), score: 0.9 }];
    assert.deepEqual(await ask({ q: 'zzyzxqqq', filters: { domains: ['findings'] } }), nothing);
  });

  it('are left out where they fail', async () => {
    fails = true;
    assert.deepEqual([await ask({ q: 'zzyzxqqq' }), query], [nothing, ['zzyzxqqq']]);
    fails = false;
  });
});
