import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Caller, hasTenant, type Who } from '@landfall/kernel/core/caller';
import { count, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { people } from '@landfall/kernel/testing/callers';
import fc from 'fast-check';
import type { Card } from './card.ts';
import { boosted, boostOf } from './popularity.ts';
import { type QueryAppOptions, startQueryApp } from './query-app.fixture.ts';

const { searcher } = people;

const callerWithTenant = (caller: Caller): Who => {
  assert(hasTenant(caller));
  return caller;
};

const events = table('events', { kind: text, query: text.nullable(), sessionId: text.nullable() });
const entries = table('history', { query: text, resultCount: count });

/** Opens REST and GraphQL over the test's documents, and reads the rows that a search records. */
const open = async (options: Partial<QueryAppOptions> = {}) => {
  const app = await startQueryApp({ path: 'index', ...options });
  return Object.assign(app, {
    ask: (input: object) => app.module.query.search(searcher, input),
    keys: async (input: object): Promise<string[]> =>
      (await app.module.query.search(searcher, input)).cards.map(({ entityKey }) => entityKey),
    async left() {
      await app.module.quality.recorder.flush();
      const recordedEvents = await app.rows(
        events,
        sql`select kind, query, session_id from search.analytics where tenant = 'acme' order by kind`,
      );
      const query = await app.rows(
        entries,
        sql`select query, result_count::bigint as result_count from search.history where tenant = 'acme' order by query`,
      );
      return { told: recordedEvents.map(({ kind, query, sessionId }) => [kind, query, sessionId]), asked: query };
    },
  });
};

const sumOf = ({ why: reason }: Card): number => reason.reduce((sum, { contribution }) => sum + contribution, 0);

describe('a search', () => {
  it('is noted after it is answered: in the history, as a query, and as one that found nothing', async () => {
    await using app = await open();
    await app.ask({ q: 'lodestar', sessionId: 's1' });
    await app.ask({ q: 'zzyzxqqq' });
    assert.deepEqual(await app.left(), {
      told: [
        ['query', 'lodestar', 's1'],
        ['query', 'zzyzxqqq', null],
        ['zero_result', 'zzyzxqqq', null],
      ],
      asked: [
        { query: 'lodestar', resultCount: 2 },
        { query: 'zzyzxqqq', resultCount: 0 },
      ],
    });
  });

  it('leaves nothing behind while it is written, as a suggestion, or where others go on with it', async () => {
    await using app = await open();
    assert.deepEqual(await app.keys({ q: 'lodes', typing: true, filters: { domains: ['findings'] } }), [
      'vulnerability:CVE-2031-1001',
    ]);
    await app.module.query.suggestions(searcher, { suggestions: ['lodestar', 'zzyzxqqq'] });
    const found = await app.module.query.find(callerWithTenant(searcher), { q: 'lodestar' });
    assert.deepEqual(
      found.cards
        .flatMap(({ chunkIds }) => chunkIds)
        .map((id) => found.chunks.get(id)?.title)
        .includes(undefined),
      false,
    );
    assert.deepEqual(await app.left(), { told: [], asked: [] });
  });

  it('reads what its cards need in one statement, and holds no connection while the index thinks', async () => {
    await using app = await open();
    app.statements.length = 0;
    await app.ask({ q: 'lodestar flagstone templates latest checkout' });
    // The feed reads changes by itself.
    const query = app.statements.filter((name) => name !== 'search.chunks.listChanges');
    assert.deepEqual(query, ['search.chunks.listCardsByNumbers']);
    const many = await Promise.all(Array.from({ length: 60 }, () => app.ask({ q: 'lodestar' })));
    assert.ok(many.every(({ cards }) => cards.length === 2));
  });

  it('is answered by the database where the index fails, and says so', async () => {
    await using app = await startQueryApp({ path: 'database', failing: true });
    const { cards, diagnostics } = await app.module.query.search(searcher, { q: 'lodestar' });
    assert.equal(diagnostics.servedBy, 'database');
    assert.deepEqual(cards.map(({ entityType }) => entityType).sort(), ['release', 'vulnerability']);
  });

  it('gives a score that is what its lanes gave, the best card first', async () => {
    await using app = await open();
    const queries = fc.subarray(['lodestar', 'templates', 'CVE-2031-1002', 'flagstone', 'checkout', 'latest'], {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(queries, fc.integer({ min: 1, max: 50 }), async (words, k) => {
        const { cards, topK, diagnostics } = await app.ask({ q: words.join(' '), k });
        assert.equal(topK, k);
        assert.ok(cards.length <= k);
        assert.ok(diagnostics.coverage > 0 && diagnostics.coverage <= 1);
        for (const card of cards) assert.ok(Math.abs(sumOf(card) - card.score) < 1e-5, JSON.stringify(card.why));
        const scores = cards.map(({ score }) => score);
        assert.deepEqual(
          scores,
          scores.toSorted((one, other) => other - one),
        );
        assert.equal(new Set(cards.map(({ entityKey }) => entityKey)).size, cards.length);
      }),
      { numRuns: 25 },
    );
  });

  it('leaves out what went since it was found', async () => {
    await using app = await open();
    await app.module.corpus.remove(callerWithTenant(searcher).tenant, 'test', ['CVE-2031-1002']);
    // The index may not know yet; what is shown is what there is.
    const { cards } = await app.ask({ q: 'flagstone' });
    assert.deepEqual(
      cards.flatMap(({ chunkIds }) => chunkIds),
      ['kev:KEV-7'],
    );
  });
});

// spec: 8/popularity
describe('popularity', () => {
  const clicks = (entityKey: string, times: number) =>
    Array.from({ length: times }, () => ({ kind: 'click', query: 'templates', entityKey }));
  const opened = 'vulnerability:CVE-2031-1002';

  const events = async (env: Readonly<Record<string, string>>) => {
    const app = await open({ env });
    await app.module.quality.analytics.record(searcher, { events: clicks(opened, 7) });
    await app.module.quality.recorder.flush();
    return app;
  };
  const popularityOf = ({ why: reason }: Card) => reason.find(({ lane }) => lane === 'popularity');

  it('moves nothing unless it is turned on', async () => {
    await using app = await events({});
    const { cards } = await app.ask({ q: 'lodestar templates' });
    assert.equal(cards[0]?.entityKey, 'vulnerability:CVE-2031-1001');
    assert.deepEqual(
      cards.map(popularityOf),
      cards.map(() => undefined),
    );
  });

  it('gives log2(1 + clicks) times its weight to what people open', async () => {
    await using app = await events({ SEARCH__POPULARITYBOOSTENABLED: 'true' });
    const { cards } = await app.ask({ q: 'lodestar templates' });
    const [first] = cards;
    assert.equal(first?.entityKey, opened);
    assert.deepEqual(popularityOf(first), { lane: 'popularity', rank: 1, contribution: 0.15 });
    assert.equal(boostOf(0, 0.05), 0);
    assert.equal(boostOf(1, 0.05), 0.05);
    // An exact name stays ahead.
    assert.equal((await app.keys({ q: 'CVE-2031-1001 templates' }))[0], 'vulnerability:CVE-2031-1001');
  });

  it('only ever adds, to what was opened alone, and keeps the order by score', () => {
    const hit = fc.record({ key: fc.nat(30), score: fc.double({ min: 0, max: 1, noNaN: true }), clicks: fc.nat(50) });
    fc.assert(
      fc.property(fc.uniqueArray(hit, { selector: ({ key }) => key, maxLength: 20 }), (hits) => {
        const found = hits.map(({ key, score }) => ({
          entityKey: String(key),
          domain: 'findings' as const,
          why: [{ lane: 'fts:findings', rank: 1, contribution: score }],
          score,
          coverage: 1,
          numbers: [key],
        }));
        const result = boosted(found, new Map(hits.map(({ key, clicks: times }) => [String(key), times])), 0.05);
        assert.deepEqual(
          result.map(({ entityKey }) => entityKey).sort(),
          found.map(({ entityKey }) => entityKey).sort(),
        );
        for (const [at, each] of result.entries()) {
          const { score = 0, clicks: times = 0 } = hits.find(({ key }) => String(key) === each.entityKey) ?? {};
          assert.ok(Math.abs(each.score - score - Math.log2(1 + times) * 0.05) < 1e-9);
          assert.equal(each.why.length, times > 0 ? 2 : 1);
          if (at > 0) assert.ok((result[at - 1]?.score ?? 0) >= each.score);
        }
      }),
    );
  });
});
