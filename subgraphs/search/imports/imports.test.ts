import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { list, newest } from '@landfall/kernel/events/read';
import { testDeps } from '@landfall/kernel/testing/app';
import { until } from '@landfall/kernel/testing/until';
import { SHARED } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import { pruneUsage } from '../synthesis/quota.ts';
import { allChanges } from '../testing/changes.ts';
import { aChunk } from '../testing/chunk.ts';
import { insert, listAll, progress } from './imports.store.ts';
import { createImports, type ImportRequest } from './imports.ts';
import { importDuty } from './upkeep.ts';

const acme = toTenantId('acme');

const advisory = (id: string, summary = `About ${id}`) => ({ id, modified: '2026-01-01T00:00:00Z', summary });

const importApp = async () => {
  const base = await testDeps();
  const directory = await mkdtemp(join(tmpdir(), 'landfall-import-'));
  const imports = createImports({ ...base.deps, corpus: createCorpus(base.deps) });
  const { database } = base.deps;
  return {
    ...base,
    /** Imports lines of JSON as `advisories.ndjson`. */
    async run(records: readonly unknown[], overrides: Partial<ImportRequest> = {}) {
      const path = join(directory, 'advisories.ndjson');
      await writeFile(path, records.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'));
      return imports.run({ owner: acme, files: [{ path, name: 'advisories.ndjson' }], ...overrides });
    },
    rows: () => database.system.read((query) => listAll(query, undefined, 100)),
    titles: async () => {
      const changes = await allChanges(database);
      return changes
        .filter(({ isRemoved }) => !isRemoved)
        .map(({ title }) => title)
        .toSorted();
    },
    async [Symbol.asyncDispose]() {
      await base[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
};

test('an import is a row with its counts, the same file again changes nothing, and what is broken is told', async () => {
  await using app = await importApp();
  const records = [
    advisory('A-1'),
    advisory('A-2'),
    '{broken',
    advisory('A-1', 'Again'),
    advisory('A-2'),
    { ...advisory('A-3'), affected: 7 },
  ];
  const first = await app.run(records);
  assert.partialDeepStrictEqual(first, {
    read: 6,
    written: 3,
    documents: 3,
    chunks: 3,
    added: 3,
    refused: 2,
    repeated: 1,
    skipped: 0,
    removed: 0,
    sources: ['osv'],
  });
  assert.deepEqual(
    first.refusals.map(({ file, line }) => `${file}:${line}`),
    ['advisories.ndjson:3', 'advisories.ndjson:6'],
  );
  const repeated = await app.run(records);
  assert.partialDeepStrictEqual(repeated, { read: 6, written: 0, documents: 3, added: 0, changed: 0, unchanged: 3 });
  const rows = await app.rows();
  assert.equal(rows.length, 2);
  for (const row of rows)
    assert.partialDeepStrictEqual(row, {
      tenant: 'acme',
      source: 'osv',
      state: 'completed',
      documents: 3,
      chunks: 3,
      refused: 2,
      error: null,
    });
});

test('a whole import removes what it did not have, unless something of it could not be read', async () => {
  await using app = await importApp();
  await app.run([advisory('A-1'), advisory('A-2'), advisory('A-3')]);
  await app.run([advisory('O-1')], { source: 'others' });
  const broken = await app.run([advisory('A-1'), '{'], { isWhole: true, source: 'osv' });
  assert.deepEqual([broken.removed, broken.isKept], [0, true]);
  const complete = await app.run([advisory('A-1'), advisory('A-4')], { isWhole: true, source: 'osv' });
  assert.deepEqual([complete.removed, complete.isKept, complete.added, complete.unchanged], [2, false, 1, 1]);
  assert.deepEqual(await app.titles(), ['About A-1', 'About A-4', 'About O-1']);
  const nothing = await app.run(['{'], { isWhole: true, source: 'osv' });
  assert.deepEqual([nothing.documents, nothing.refused, nothing.removed], [0, 1, 0]);
});

test('no import replaces a source that it does not name, since others may share it', async () => {
  await using app = await importApp();
  await app.run([advisory('A-1')]);
  await assert.rejects(app.run([advisory('B-1')], { isWhole: true }), /name the source/);
  assert.deepEqual(await app.titles(), ['About A-1']);
  assert.equal((await app.rows()).length, 1);
});

test("everybody's documents are imported beside a tenant's own of the same name", async () => {
  await using app = await importApp();
  await app.run([advisory('A-1', 'Ours')]);
  await app.run([advisory('A-1', "Everybody's")], { owner: SHARED, isWhole: true, source: 'osv' });
  assert.deepEqual(await app.titles(), ["Everybody's", 'Ours']);
});

test('the end of an import is in the audit trail, and its failure is in its row', async () => {
  await using app = await importApp();
  const since = await app.deps.database.system.read(newest);
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  await assert.rejects(app.run([advisory('A-1')], { signal: stop.signal }), /stopped/);
  await app.run([advisory('A-1')]);
  const [completed, failed] = await app.rows();
  assert.partialDeepStrictEqual(failed, { state: 'failed', error: 'The operator cancelled the import.', documents: 0 });
  assert.equal(completed?.state, 'completed');
  const removed = async () => {
    const events = await app.deps.database.system.read((query) => list(query, since, 10));
    const ends = events.filter(({ type }) => type === 'search.import').map(({ entityId, actor }) => [entityId, actor]);
    return ends.length >= 2 && ends;
  };
  // Events are read below any transaction that is open in the cluster.
  assert.deepEqual(await until(removed), [
    [failed?.importId, 'search-import'],
    [completed?.importId, 'search-import'],
  ]);
});

test('documents that are there already are seen by a whole import that is mostly of new ones', async () => {
  await using app = await importApp();
  const records = Array.from({ length: 100 }, (_, i) => advisory(`A-${i}`));
  const some = records.filter((_, i) => i % 7 === 3);
  await app.run(some);
  const complete = await app.run(records, { isWhole: true, source: 'osv' });
  assert.deepEqual([complete.added, complete.unchanged, complete.removed], [100 - some.length, some.length, 0]);
});

test('many documents are told of as they come', async () => {
  await using app = await importApp();
  const counts: number[] = [];
  const records = Array.from({ length: 1_000 }, (_, i) => advisory(`A-${i}`));
  const { documents } = await app.run(records, { onProgress: (progress) => counts.push(progress.documents) });
  assert.deepEqual([documents, counts], [1_000, [400, 800, 1_000]]);
});

test('of two whole imports of one source at once neither takes what the other brought', async () => {
  await using app = await importApp();
  const corpus = createCorpus(app.deps);
  const [first, second, third] = [app.deps.ids.uuid(), app.deps.ids.uuid(), app.deps.ids.uuid()];
  const both = ['A-1', 'A-2'].map((key) => aChunk(key));
  await corpus.put(acme, [...both, aChunk('A-3')], app.deps.ids.uuid());
  const now = [app.deps.ids.uuid(), app.deps.ids.uuid()] as const;
  for (const run of now) await corpus.put(acme, both, run);
  // The import that began first ends last, and runs once more.
  await corpus.put(acme, both, now[0]);
  assert.deepEqual([await corpus.sweep(acme, 'test', now[0]), await corpus.sweep(acme, 'test', now[1])], [1, 0]);
  assert.equal((await app.titles()).length, 2);
  // An import that began earlier removes nothing.
  for (const run of [first, second, third]) assert.equal(await corpus.sweep(acme, 'test', run), 0);
});

test('an import of which nothing is heard has failed; what is old is thrown away', async () => {
  await using app = await importApp();
  const { database, ids } = app.deps;
  const [silent, alive] = [ids.uuid(), ids.uuid()];
  const counts = { documents: 7, chunks: 7, refused: 0, removed: 0 };
  await database.system.write(async (tx) => {
    await insert(tx, acme, silent, 'osv');
    await insert(tx, acme, alive, 'osv');
  });
  await app.clock.advance(11 * 60_000);
  await database.system.write((tx) => progress(tx, acme, alive, counts));
  const upkeep = importDuty({ database, log: app.deps.log }, pruneUsage);
  await upkeep.run();
  const states = async () => new Map((await app.rows()).map((row) => [row.importId, row.state]));
  assert.deepEqual(
    await states(),
    new Map([
      [silent, 'failed'],
      [alive, 'running'],
    ]),
  );
  await app.clock.advance(91 * 24 * 3_600_000);
  await upkeep.run();
  assert.deepEqual(await states(), new Map([[alive, 'failed']]));
});

test('records of one name that say different things are all kept, and only what says the same is repeated', async () => {
  await using app = await importApp();
  const records = [advisory('A-1', 'One'), advisory('A-1', 'Other'), advisory('A-1', 'One'), advisory('A-1', 'Other')];
  const { read, written, repeated } = await app.run(records);
  assert.deepEqual([read, written, repeated], [4, 2, 2]);
  assert.deepEqual(await app.titles(), ['One', 'Other']);
});

test('a statement of another file with the same document id overwrites none, in one import or in several', async () => {
  await using app = await importApp();
  const folder = await mkdtemp(join(tmpdir(), 'landfall-vex-'));
  for (const status of ['affected', 'fixed', 'not_affected']) {
    // As in a VEX hub: the last folders are the same below several registries.
    const path = join(folder, 'pkg', 'oci', `${status}.example`, 'fence', 'gate', 'vex.json');
    await mkdir(dirname(path), { recursive: true });
    const statements = [{ vulnerability: 'CVE-2026-10001', products: ['pkg:oci/one'], status }];
    await writeFile(path, JSON.stringify({ '@context': 'https://openvex.dev/ns', '@id': 'shared', statements }));
    await app.run([], { files: [{ path, name: status }] });
  }
  assert.equal((await app.titles()).length, 3);
  const { read, unchanged, repeated } = await app.run([], { files: [{ path: folder, name: 'hub' }] });
  await rm(folder, { recursive: true });
  assert.deepEqual([read, unchanged, repeated], [3, 3, 0]);
});

test('what a folder holds and no importer reads is counted by its reason and listed', async () => {
  await using app = await importApp();
  const folder = await mkdtemp(join(tmpdir(), 'landfall-aside-'));
  await writeFile(join(folder, 'LICENSE'), 'Anybody may.');
  await writeFile(join(folder, 'README.md'), '# Advisories');
  await writeFile(join(folder, 'a.json'), JSON.stringify(advisory('A-1')));
  await writeFile(join(folder, 'index.json'), '{"packages": []}');
  const { read, written, skipped, reasons, skippedFiles } = await app.run([], {
    files: [{ path: folder, name: 'in' }],
  });
  await rm(folder, { recursive: true });
  assert.deepEqual([read, written, skipped], [4, 1, 3]);
  assert.deepEqual(reasons, { 'an ending that is not read': 1, 'no known format': 2 });
  assert.deepEqual(
    skippedFiles.map(({ file }) => file),
    ['in/LICENSE', 'in/README.md', 'in/index.json'],
  );
});
