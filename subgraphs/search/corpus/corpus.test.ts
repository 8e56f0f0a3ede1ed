import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { testDeps } from '@landfall/kernel/testing/app';
import { allChanges } from '../testing/changes.ts';
import { type Chunk, chunkIdOf, SHARED } from './chunk.ts';
import * as store from './chunk-changes.store.ts';
import { createCorpus } from './corpus.ts';
import { fitKey } from './size-limits.ts';

const acme = toTenantId('acme');
const globex = toTenantId('globex');
const RUN = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'];

const chunk = (documentKey: string, overrides: Partial<Chunk> = {}): Chunk => ({
  domain: 'findings',
  source: 'test',
  documentKey,
  part: 0,
  entityType: 'vulnerability',
  entityKey: `vulnerability:${documentKey}`,
  title: `About ${documentKey}`,
  body: 'A body.',
  identifiers: [documentKey],
  packages: [],
  ...overrides,
});

const corpusApp = async () => {
  const base = await testDeps();
  const corpus = createCorpus(base.deps);
  const changes = () => allChanges(base.deps.database);
  return { ...base, corpus, changes };
};

test('what is put is loaded as it was written, whatever its texts hold', async () => {
  await using app = await corpusApp();
  const odd = chunk('CVE-1', {
    title: 'A "quoted" \\ title',
    identifiers: ['a,b', '{c}', '"d"', 'e\\f', '', 'null', 'NULL', ' g '],
    packages: ['@scope/ünïcode'],
    severity: 'high',
    ecosystem: 'npm',
    ref: { type: 'Release', id: '1' },
    uri: 'https://example.test/1',
    occurredAt: new Date('2024-02-29T00:00:00Z'),
    attributes: { fixed: ['1.2.3'], deep: { a: null } },
  });
  assert.partialDeepStrictEqual(await app.corpus.put(acme, [odd]), { added: 1, changed: 0, unchanged: 0, removed: 0 });
  const [change] = await app.changes();
  const loaded = (await app.corpus.load(acme, [change?.chunkId ?? 0])).get(change?.chunkId ?? 0);
  assert.partialDeepStrictEqual(loaded, odd);
});

test('cards show what the tenant has, no other tenant’s and nothing that was removed', async () => {
  await using app = await corpusApp();
  await app.corpus.put(acme, [chunk('kept'), chunk('removed')], RUN[0]);
  await app.corpus.put(globex, [chunk('foreign')], RUN[0]);
  const numbers = (await app.changes()).map(({ chunkId }) => chunkId);
  await app.corpus.put(acme, [chunk('kept')], RUN[1]);
  await app.corpus.sweep(acme, 'test', RUN[1] ?? '');
  const visible = [...(await app.corpus.loadCards(acme, numbers)).values()].map(({ documentKey }) => documentKey);
  assert.deepEqual([numbers.length, visible], [3, ['kept']]);
});

test('what PostgreSQL would refuse is mended: NUL, half characters, impossible times', async () => {
  await using app = await corpusApp();
  const broken = chunk('a\0b', {
    body: 'x\0y \ud800 z',
    occurredAt: new Date(Number.NaN),
    attributes: { 'k\0': ['\udc00'] },
  });
  await app.corpus.put(acme, [broken]);
  const [change] = await app.changes();
  assert.equal(change?.body, 'x y \ufffd z');
});

test('the same chunks again touch nothing, and what differs is touched alone', async () => {
  await using app = await corpusApp();
  const first = [chunk('a'), chunk('b'), chunk('c')];
  await app.corpus.put(acme, first, RUN[0]);
  const before = await app.changes();
  assert.partialDeepStrictEqual(await app.corpus.put(acme, first, RUN[1]), {
    documents: 0,
    added: 0,
    changed: 0,
    unchanged: 3,
    removed: 0,
  });
  assert.deepEqual(await app.changes(), before);
  const counts = await app.corpus.put(acme, [chunk('a'), chunk('b', { body: 'Another.' }), chunk('d')]);
  assert.partialDeepStrictEqual(counts, { documents: 2, added: 1, changed: 1, unchanged: 1, removed: 0 });
  const after = await app.changes();
  assert.deepEqual(
    after.map(({ title }) => title),
    ['About a', 'About c', 'About b', 'About d'],
  );
});

test('a document given with fewer parts loses the others, and one that is too long is cut by itself', async () => {
  await using app = await corpusApp();
  const paragraph = `${'word '.repeat(300)}\n\n`;
  assert.deepEqual(await app.corpus.put(acme, [chunk('long', { body: paragraph.repeat(6) })]), {
    documents: 1,
    added: 3,
    changed: 0,
    unchanged: 0,
    removed: 0,
  });
  assert.partialDeepStrictEqual(await app.corpus.put(acme, [chunk('long')]), {
    documents: 1,
    added: 0,
    changed: 1,
    unchanged: 0,
    removed: 2,
  });
  const changes = await app.changes();
  assert.deepEqual(
    changes.map(({ isRemoved, title }) => [isRemoved, title]),
    [
      [false, 'About long'],
      [true, ''],
      [true, ''],
    ],
  );
});

test('a removed document is a tombstone until it comes again', async () => {
  await using app = await corpusApp();
  await app.corpus.put(acme, [chunk('a'), chunk('b')]);
  assert.equal(await app.corpus.remove(acme, 'test', ['a', 'unknown']), 1);
  assert.equal(await app.corpus.remove(acme, 'test', ['a']), 0);
  const [changed, removed] = await app.changes();
  assert.deepEqual([changed?.isRemoved, removed?.isRemoved, removed?.identifiers], [false, true, []]);
  assert.equal((await app.corpus.load(acme, [removed?.chunkId ?? 0])).size, 0);
  assert.partialDeepStrictEqual(await app.corpus.put(acme, [chunk('a')]), {
    added: 0,
    changed: 1,
    unchanged: 0,
    removed: 0,
  });
  assert.equal((await app.corpus.load(acme, [removed?.chunkId ?? 0])).size, 1);
});

test('a sweep removes what the run did not see, of its source and tenant alone', async () => {
  await using app = await corpusApp();
  await app.corpus.put(acme, [chunk('a'), chunk('b'), chunk('x', { source: 'other' })], RUN[0]);
  await app.corpus.put(globex, [chunk('a')], RUN[0]);
  await app.corpus.put(acme, [chunk('a')], RUN[1]);
  assert.equal(await app.corpus.sweep(acme, 'test', RUN[1] ?? ''), 1);
  const summary = await app.corpus.summary(acme);
  assert.deepEqual(
    summary.map(({ source, documentCount, isShared }) => [source, documentCount, isShared]),
    [
      ['other', 1, false],
      ['test', 1, false],
    ],
  );
  assert.equal((await app.corpus.summary(globex))[0]?.chunkCount, 1);
});

test("everybody's documents are read by every tenant, another tenant's by none", async () => {
  await using app = await corpusApp();
  await app.corpus.put(SHARED, [chunk('shared')]);
  await app.corpus.put(globex, [chunk('theirs')]);
  const numbers = (await app.changes()).map(({ chunkId }) => chunkId);
  const loaded = [...(await app.corpus.load(acme, numbers)).values()];
  assert.deepEqual(loaded.map(chunkIdOf), ['test:shared']);
  await assert.rejects(
    app.deps.database.write(acme, (tx) => app.corpus.putIn(tx, SHARED, [chunk('forged')])),
    /row-level security/,
  );
});

test('tombstones go after seven days, and the newest of them is noted', async () => {
  await using app = await corpusApp();
  const prune = () => app.deps.database.system.write((tx) => store.prune(tx, 100));
  await app.corpus.put(acme, [chunk('a'), chunk('b')]);
  await app.corpus.remove(acme, 'test', ['a', 'b']);
  const [one, other] = await app.changes();
  assert.equal(await prune(), 0);
  await app.clock.advance(7 * 86_400_000 + 1);
  assert.equal(await prune(), 2);
  const pruned = await app.deps.database.system.read(store.findPruned);
  assert.deepEqual(pruned, other && { xid: BigInt(other.xid), id: BigInt(other.chunkId) });
  assert.equal(one?.xid, other?.xid);
});

test('keys and names longer than an index row, long titles and attributes without an end are made to fit', async () => {
  await using app = await corpusApp();
  const noise = Array.from({ length: 5_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join('');
  let deep: unknown = 'x';
  for (let i = 0; i < 20_000; i++) deep = [deep];
  const long = chunk(noise, {
    entityKey: `vulnerability:${noise}`,
    title: noise,
    identifiers: [noise, 'CVE-2026-1'],
    packages: [noise],
    attributes: { deep, notes: 'y'.repeat(1_000_000), many: Array.from({ length: 5_000 }, () => 'z'.repeat(900)) },
  });
  assert.partialDeepStrictEqual(await app.corpus.put(acme, [long]), { added: 1 });
  assert.partialDeepStrictEqual(await app.corpus.put(acme, [long]), { unchanged: 1, removed: 0 });
  const [change] = await app.changes();
  const stored = (await app.corpus.load(acme, [change?.chunkId ?? 0])).get(change?.chunkId ?? 0);
  assert.ok(stored);
  assert.deepEqual([stored.documentKey, stored.identifiers, stored.packages], [fitKey(noise), ['CVE-2026-1'], []]);
  assert.equal(stored.title.length, 500);
  assert.ok(JSON.stringify(stored.attributes).length < 80_000);
  assert.equal(await app.corpus.remove(acme, 'test', [noise]), 1);
});
