import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyChunk, anyFilters, anyQueryText, chunkOf, comparableAnswer, numbersOf } from './chunks.fixture.ts';
import type { IndexChange, IndexedChunk, LaneQuery } from './lane.ts';
import type { LiveSegment } from './live-segment.ts';
import { mergeSegments } from './merge.ts';
import { SearchIndex } from './search-index.ts';

const put = (chunk: IndexedChunk): IndexChange => ({ kind: 'put', chunk });

const indexOf = (...chunks: readonly IndexedChunk[]): SearchIndex => {
  const index = new SearchIndex();
  index.apply(chunks.map(put));
  return index;
};

const ask = (text: string, overrides: Partial<LaneQuery> = {}): LaneQuery => ({
  tenant: 'acme',
  text,
  limit: 10,
  ...overrides,
});

const mergedBefore = (sources: readonly LiveSegment[], before: readonly Uint8Array[]) =>
  mergeSegments(sources.map(({ segment }, i) => ({ segment, removed: before[i] ?? new Uint8Array() })));

/** Puts and removals in batches: numbers come again, so that some replace others. */
const anyHistory = fc.array(
  fc.array(
    fc
      .integer({ min: 1, max: 60 })
      .chain(
        (number): fc.Arbitrary<IndexChange> =>
          fc.oneof(
            { weight: 5, arbitrary: anyChunk(number).map(put) },
            { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const, number }) },
          ),
      ),
    { maxLength: 40 },
  ),
  { minLength: 1, maxLength: 5 },
);

const anyQuery = fc.record({
  tenant: fc.constantFrom('acme', 'other', 'nobody', '*'),
  text: anyQueryText,
  filters: fc.option(anyFilters, { nil: undefined }),
  limit: fc.integer({ min: 1, max: 12 }),
  isTyping: fc.boolean(),
});

const applied = (history: readonly (readonly IndexChange[])[]): SearchIndex => {
  const index = new SearchIndex();
  for (const changes of history) index.apply(changes);
  return index;
};

/** Documents left of a history, by number. */
const leftOf = (history: readonly (readonly IndexChange[])[]): Map<number, IndexedChunk> => {
  const remaining = new Map<number, IndexedChunk>();
  for (const change of history.flat())
    if (change.kind === 'put') remaining.set(change.chunk.number, change.chunk);
    else remaining.delete(change.number);
  return remaining;
};

test('pruning gives the answer of scoring every document, to the last bit, whatever was put, replaced and removed', () => {
  fc.assert(
    fc.property(anyHistory, anyQuery, (history, query) => {
      const index = applied(history);
      assert.deepEqual(
        comparableAnswer(index.search(query)),
        comparableAnswer(index.search({ ...query, isExhaustive: true })),
      );
    }),
    { numRuns: 300 },
  );
});

test('pruning holds over many blocks and segments, with common words and equal scores', () => {
  const syllables = 'ba be bi bo bu da de di do du'.split(' ');
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) ** 3 * below);
  };
  const word = (): string => `${syllables[random(10)]}${syllables[random(10)]}${syllables[random(10)]}`;
  const text = (words: number): string => Array.from({ length: words }, word).join(' ');
  const index = new SearchIndex();
  for (let from = 0; from < 9_000; from += 3_000)
    index.apply(
      Array.from({ length: 3_000 }, (_, i) =>
        put(chunkOf(from + i + 1, { title: text(4), body: text(12), entityKey: `e:${random(5_000)}` })),
      ),
    );
  for (let i = 0; i < 60; i++) {
    const query = ask(text(1 + (i % 5)), { limit: 1 + (i % 20), isTyping: i % 3 === 0 });
    const pruned = index.search(query);
    assert.deepEqual(comparableAnswer(pruned), comparableAnswer(index.search({ ...query, isExhaustive: true })));
    assert.ok(numbersOf(pruned).length > 0);
  }
});

test('after merging, the index answers as one that was built of what is left', () => {
  fc.assert(
    fc.property(anyHistory, anyQuery, (history, query) => {
      const index = applied(history);
      index.settle(true);
      const fresh = indexOf(...[...leftOf(history).values()]);
      assert.deepEqual(comparableAnswer(index.search(query)), comparableAnswer(fresh.search(query)));
    }),
    { numRuns: 300 },
  );
});

test('an unmerged index finds what is there and nothing that is not', () => {
  fc.assert(
    fc.property(anyHistory, anyQuery, (history, query) => {
      const remaining = leftOf(history);
      const index = applied(history);
      assert.equal(index.documents, remaining.size);
      for (const { domain, hits } of index.search({ ...query, filters: undefined }).domains)
        for (const { number, entityKey, others } of hits)
          for (const one of [number, ...others]) {
            const chunk = remaining.get(one);
            assert.ok(chunk && chunk.domain === domain && chunk.entityKey === entityKey);
            assert.ok(chunk.tenant === query.tenant || chunk.tenant === '*');
          }
    }),
    { numRuns: 200 },
  );
});

test('another tenant’s documents are not found, not counted and weigh in no score', () => {
  const own = [chunkOf(1, { title: 'heap overflow' }), chunkOf(2, { title: 'stack overflow' })];
  const other = Array.from({ length: 50 }, (_, i) =>
    chunkOf(100 + i, { tenant: 'other', title: 'heap overflow', severity: 'high' }),
  );
  const alone = indexOf(...own).search(ask('heap overflow'));
  assert.deepEqual(comparableAnswer(indexOf(...own, ...other).search(ask('heap overflow'))), comparableAnswer(alone));
});

test('everybody’s documents are found beside the tenant’s own', () => {
  const index = indexOf(chunkOf(1, { title: 'heap overflow' }), chunkOf(2, { tenant: '*', title: 'heap overflow' }));
  assert.deepEqual(numbersOf(index.search(ask('overflow'))), [1, 2]);
  assert.deepEqual(numbersOf(index.search(ask('overflow', { tenant: 'other' }))), [2]);
});

test('a tenant that asks for its own documents alone has an answer as if there were no others', () => {
  const ownRow = [chunkOf(1, { title: 'heap overflow' }), chunkOf(2, { title: 'stack overflow' })];
  const shared = [3, 4, 5].map((number) => chunkOf(number, { tenant: '*', title: 'heap overflow' }));
  const own = { filters: { isTenantScoped: true } };
  const alone = indexOf(...ownRow).search(ask('heap overflow'));
  assert.deepEqual(
    comparableAnswer(indexOf(...ownRow, ...shared).search(ask('heap overflow', own))),
    comparableAnswer(alone),
  );
  assert.deepEqual(numbersOf(indexOf(...shared).search(ask('heap', own))), []);
});

test('a query that names an identifier lists the documents that own it, and not those that mention it, as exact', () => {
  const index = indexOf(
    chunkOf(1, { identifiers: ['CVE-2021-44228', 'GHSA-jfh8-c2jp-5v3q'], title: 'Log4Shell' }),
    chunkOf(2, { identifiers: ['CVE-2021-45046'], body: 'The fix of CVE-2021-44228 was incomplete.' }),
  );
  for (const text of ['cve-2021-44228', 'is CVE-2021-44228 fixed?', 'ghsa-JFH8-c2jp-5v3q']) {
    const { exact } = index.search(ask(text));
    assert.deepEqual(
      exact.flatMap(({ hits }) => hits.map(({ number }) => number)),
      [1],
      text,
    );
  }
  assert.deepEqual(numbersOf(index.search(ask('CVE-2021-44228'))), [1, 2]);
});

test('packages are named exactly by their path, their package URL with any version, and alone by a plain name', () => {
  const index = indexOf(
    chunkOf(1, { packages: ['pkg:npm/%40babel/core@7.1.2'], title: 'one' }),
    chunkOf(2, { packages: ['org.apache.logging.log4j:log4j-core'], title: 'two' }),
    chunkOf(3, { packages: ['path'], title: 'three' }),
    chunkOf(4, { title: 'path traversal' }),
  );
  const exact = (text: string): number[] =>
    index.search(ask(text)).exact.flatMap(({ hits }) => hits.map(({ number }) => number));
  assert.deepEqual(exact('pkg:npm/@babel/core@7.9.9'), [1]);
  assert.deepEqual(exact('org.apache.logging.log4j:log4j-core'), [2]);
  assert.deepEqual(exact('path'), [3]);
  assert.deepEqual(exact('path traversal'), []);
});

test('an image is found by its digest and by the first twelve digits of it', () => {
  const digest = `sha256:${'3f5a8b9c1d2e'.repeat(5)}abcd`;
  const index = indexOf(
    chunkOf(1, { identifiers: [digest] }),
    chunkOf(2, { identifiers: [`sha256:${'0'.repeat(63)}a`] }),
  );
  for (const text of [digest, digest.slice(7), digest.slice(7, 19), digest.slice(0, 30)]) {
    const { exact, domains } = index.search(ask(text));
    assert.deepEqual(
      [exact, domains].map((all) => all.flatMap(({ hits }) => hits.map((hit) => hit.number))),
      [[1], [1]],
      text,
    );
  }
});

test('a misspelt word finds what was meant, and says so', () => {
  const index = indexOf(chunkOf(1, { title: 'prototype pollution in lodash' }), chunkOf(2, { title: 'heap overflow' }));
  for (const text of ['prototpye polution', 'protoype pollutionn', 'xrototype pollutoin'])
    assert.deepEqual(numbersOf(index.search(ask(text))), [1], text);
  assert.deepEqual(
    index.search(ask('overflwo')).words.map(({ terms }) => terms),
    [['overflow']],
  );
});

test('the word that is being written is completed; one before it is not', () => {
  const index = indexOf(chunkOf(1, { title: 'directory traversal' }), chunkOf(2, { title: 'direct access' }));
  assert.deepEqual(numbersOf(index.search(ask('trav', { isTyping: true }))), [1]);
  assert.deepEqual(numbersOf(index.search(ask('traversin', { isTyping: true }))), [1]);
  assert.deepEqual(numbersOf(index.search(ask('acc trav', { isTyping: true }))), [1]);
});

test('coverage is the share of the query’s words that a chunk has', () => {
  const index = indexOf(chunkOf(1, { title: 'heap overflow' }), chunkOf(2, { title: 'heap spray' }));
  const hits = index.search(ask('heap overflow')).domains.flatMap((domain) => domain.hits);
  assert.equal(hits[0]?.coverage, 1);
  assert.ok((hits[1]?.coverage ?? 1) < 0.5);
  const [best] = index.search(ask('heap zzyzx')).domains.flatMap((domain) => domain.hits);
  assert.ok((best?.coverage ?? 1) < 0.5);
});

test('hits are one an entity, with its other chunks beside it; facets count entities', () => {
  const index = indexOf(
    chunkOf(1, { entityKey: 'e', title: 'heap', severity: 'high', ecosystem: 'npm' }),
    chunkOf(2, { entityKey: 'e', title: 'heap heap', severity: 'high', ecosystem: 'npm' }),
    chunkOf(3, { entityKey: 'f', body: 'heap', severity: 'low' }),
  );
  const { domains, facets } = index.search(ask('heap'));
  assert.deepEqual(
    domains.flatMap(({ hits }) => hits.map(({ number, others }) => [number, others])),
    [
      [2, [1]],
      [3, []],
    ],
  );
  assert.deepEqual(facets, {
    domain: { findings: 2 },
    severity: { high: 1, low: 1 },
    ecosystem: { npm: 1 },
    entityType: { vulnerability: 2 },
  });
});

test('queries of any kind are answered: empty, stop words, signs, thousands of words, a hundred kilobytes', () => {
  const index = indexOf(chunkOf(1, { title: 'heap overflow' }), chunkOf(2, { title: 'a plan to win' }));
  for (const text of ['', ' ', 'the of and', '*', '%_\\', '\u0000\u0007', '@/:.-', 'a', '👩‍💻', '\ud800'])
    assert.deepEqual(index.search(ask(text)).exact, [], JSON.stringify(text));
  const many = index.search(ask(Array.from({ length: 5_000 }, (_, i) => `heap word${i}`).join(' ')));
  assert.deepEqual(numbersOf(many), [1]);
  assert.ok(many.words.length <= 32);
  assert.deepEqual(numbersOf(index.search(ask('x'.repeat(100_000)))), []);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.boolean(), (text, isTyping) => {
      index.search(ask(text, { isTyping }));
    }),
    { numRuns: 300 },
  );
});

test('clearing a tenant leaves the others', () => {
  const index = indexOf(chunkOf(1, { title: 'heap' }), chunkOf(2, { title: 'heap', tenant: 'other' }));
  index.clear('acme');
  assert.deepEqual(numbersOf(index.search(ask('heap'))), []);
  assert.deepEqual(numbersOf(index.search(ask('heap', { tenant: 'other' }))), [2]);
  index.clear();
  assert.equal(index.documents, 0);
});

test('what is removed while segments are merged stays removed', () => {
  const index = indexOf(chunkOf(1, { title: 'heap' }), chunkOf(2, { title: 'heap' }));
  index.apply([put(chunkOf(3, { title: 'heap' }))]);
  const sources = index.segments();
  const before = sources.map(({ removed }) => removed.slice());
  index.apply([{ kind: 'remove', number: 2 }, put(chunkOf(3, { title: 'stack' }))]);
  index.replace(sources.slice(), mergedBefore(sources, before), before);
  assert.deepEqual(numbersOf(index.search(ask('heap'))), [1]);
  assert.deepEqual(numbersOf(index.search(ask('stack'))), [3]);
});
