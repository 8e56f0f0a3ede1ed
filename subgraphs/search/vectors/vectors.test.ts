import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { toTenantId } from '@landfall/kernel/core/ids';
import { aChunk } from '../testing/chunk.ts';
import { searchApp } from '../testing/search-app.ts';
import { createPopulation } from './population.ts';
import { modelDirectory } from './testing/onnx-model.ts';
import { startVectorThread, type VectorThread } from './thread.ts';
import { createVectors } from './vectors.ts';

const acme = toTenantId('acme');
const globex = toTenantId('globex');

const THINGS = ['parser', 'router', 'gateway', 'scheduler', 'compiler', 'renderer', 'resolver', 'registry'];
const FLAWS = ['prototype pollution', 'denial of service', 'secret disclosure', 'directory traversal'];

/** Documents enough for the gate to judge. */
const documents = () =>
  THINGS.flatMap((noun, t) =>
    FLAWS.map((flaw, f) =>
      aChunk(`CVE-2024-${1000 + t * 10 + f}`, {
        title: `${flaw} within the ${noun} component`,
        body: `Through ${noun} input somebody remote reaches ${flaw}.`,
      }),
    ),
  );

const vectorsApp = async (
  overrides: { searchEncoder?: string; searchOnnxModel?: string; searchVectors?: string } = {},
) => {
  const base = await searchApp();
  const settings = { searchEncoder: 'hash', searchOnnxModel: undefined, searchVectors: 'auto', ...overrides };
  const vectors = createVectors({ ...base.deps, corpus: base.corpus, lane: base.lane, settings, limitMs: 60_000 });
  const worker = vectors.companion.start();
  return {
    ...base,
    vectors,
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
};

test('nothing is found until it is built and judged; then what is misspelt beyond mending is found', async () => {
  await using app = await vectorsApp();
  await app.put('acme', documents());
  await app.settled();
  assert.deepEqual(await app.vectors.search(acme, 'pollution', 5), []);
  await app.vectors.prepare(acme);
  const { isBuilt, chunks, verdict } = app.vectors.state(acme);
  assert.deepEqual([isBuilt, chunks], [true, 32]);
  assert.ok(verdict?.isOpen && verdict.mrrBoth > verdict.mrrWords && verdict.cases > 100);
  assert.equal(app.vectors.activeEncoder(), 'hash');
  const hits = await app.vectors.search(acme, 'prtootype plolution', 5);
  const [best] = hits;
  assert.ok(best);
  assert.match((await app.corpus.load(acme, [best.number])).get(best.number)?.title ?? '', /^prototype pollution/);
});

test('a tenant that asks for its own documents alone is told of nothing that is everybody’s', async () => {
  await using app = await vectorsApp();
  await app.put('acme', documents());
  await app.put('*', [aChunk('KEV-1', { title: 'prototype pollution, known to be exploited' })]);
  await app.settled();
  await app.vectors.prepare(acme);
  const found = async (isTenantScoped: boolean) => {
    const hits = await app.vectors.search(acme, 'prtootype plolution', 40, { isTenantScoped });
    const numbers = hits.map(({ number }) => number);
    return [...(await app.corpus.load(acme, numbers)).values()].map(({ documentKey }) => documentKey);
  };
  const [all, own] = [await found(false), await found(true)];
  assert.deepEqual([all.length, all.includes('KEV-1')], [33, true]);
  assert.deepEqual([own.length, own.includes('KEV-1')], [32, false]);
});

test('a tenant’s vectors are its own and everybody’s: no other tenant’s chunk is ever near', async () => {
  await using app = await vectorsApp();
  const { deps } = app;
  await app.put('acme', [aChunk('CVE-1', { title: 'prototype pollution' })]);
  await app.put('globex', [aChunk('CVE-2', { title: 'prototype pollution' })]);
  await app.put('*', [aChunk('CVE-3', { title: 'prototype pollution' })]);
  await app.settled();
  await using thread = startVectorThread({ encoder: 'hash', modelPath: undefined, limitMs: 60_000 }, deps.log);
  const follower = createPopulation(deps, thread);
  for (const owner of ['*', 'acme', 'globex']) await follower.update(owner);
  const near = async (owners: readonly string[]) => {
    const { hits } = await thread.ask({ kind: 'search', owners, text: 'prototype pollution', limit: 10 });
    const chunks = await Promise.all(
      [acme, globex].map(async (tenant) => [
        ...(
          await app.corpus.load(
            tenant,
            hits.map(({ number }) => number),
          )
        ).values(),
      ]),
    );
    return { count: hits.length, keys: chunks.map((each) => each.map(({ documentKey }) => documentKey).sort()) };
  };
  assert.deepEqual(await near(['acme', '*']), { count: 2, keys: [['CVE-1', 'CVE-3'], ['CVE-3']] });
  assert.deepEqual(await near(['globex', '*']), { count: 2, keys: [['CVE-3'], ['CVE-2', 'CVE-3']] });
});

test('changes and removals are followed', async () => {
  await using app = await vectorsApp();
  const { deps } = app;
  await using thread = startVectorThread({ encoder: 'hash', modelPath: undefined, limitMs: 60_000 }, deps.log);
  const follower = createPopulation(deps, thread);
  const best = async (text: string) => {
    await follower.update('acme');
    const { hits, size } = await thread.ask({ kind: 'search', owners: ['acme'], text, limit: 1 });
    return { size, isNear: (hits[0]?.score ?? 0) > 0.7 };
  };
  await app.put('acme', [aChunk('CVE-1', { title: 'prototype pollution' })]);
  await app.settled();
  assert.deepEqual(await best('prototype pollution'), { size: 1, isNear: true });
  await app.put('acme', [aChunk('CVE-1', { title: 'directory traversal' })]);
  await app.settled();
  assert.deepEqual(await best('prototype pollution'), { size: 1, isNear: false });
  await app.remove('acme', 'test', ['CVE-1']);
  await app.settled();
  assert.deepEqual(await best('directory traversal'), { size: 0, isNear: false });
});

test('memory is bounded: a tenant has a share, who has not asked for long makes room, and what has none is left out', async () => {
  await using app = await vectorsApp();
  const { deps } = app;
  for (const tenant of ['acme', 'globex', 'initech']) await app.put(tenant, documents());
  await app.settled();
  await using thread = startVectorThread({ encoder: 'hash', modelPath: undefined, limitMs: 60_000 }, deps.log);
  let time = 0;
  const follower = createPopulation(deps, thread, { most: 128, now: () => time });
  for (const tenant of ['acme', 'globex', 'initech']) await follower.update(tenant);
  const sizes = () => ['acme', 'globex', 'initech'].map((tenant) => follower.vectorsOf(tenant)?.size);
  assert.deepEqual([sizes(), follower.vectorsOf('initech')?.isPartial], [[32, 32, 0], true]);
  await follower.update('initech');
  assert.deepEqual(sizes(), [32, 32, 0]);
  time += 300_000;
  await follower.update('globex');
  time += 300_000;
  await follower.update('initech');
  assert.deepEqual([sizes(), follower.vectorsOf('initech')?.isPartial], [[undefined, 32, 32], false]);
  await thread.ask({ kind: 'forget', owner: 'globex' });
  const small = createPopulation(deps, thread, { most: 40 });
  await small.update('globex');
  assert.deepEqual([small.vectorsOf('globex')?.size, small.vectorsOf('globex')?.isPartial], [10, true]);
});

/** Texts given to a thread for encoding. */
const counting = (thread: VectorThread) => {
  const counts = { encoded: 0, forgotten: 0 };
  const ask: VectorThread['ask'] = (request, limitMs) => {
    if (request.kind === 'apply') counts.encoded += request.put.length;
    if (request.kind === 'forget') counts.forgotten += 1;
    return thread.ask(request, limitMs);
  };
  return { counts, ask };
};

test('more of everybody’s documents than there is room for are read once, and throw nobody out', async () => {
  await using app = await vectorsApp();
  const { deps } = app;
  await app.put('*', documents());
  await app.put('acme', [aChunk('CVE-1', { title: 'prototype pollution' })]);
  await app.settled();
  await using thread = startVectorThread({ encoder: 'hash', modelPath: undefined, limitMs: 60_000 }, deps.log);
  const { counts, ask } = counting(thread);
  const follower = createPopulation(deps, { ask }, { most: 40 });
  for (let look = 0; look < 5; look++) for (const owner of ['*', 'acme']) await follower.update(owner);
  assert.deepEqual(counts, { encoded: 21, forgotten: 0 });
  assert.deepEqual([follower.vectorsOf('*')?.size, follower.vectorsOf('acme')?.size], [20, 1]);
  assert.deepEqual([follower.vectorsOf('*')?.isPartial, follower.vectorsOf('acme')?.isPartial], [true, false]);
});

test('who asks while an owner is read waits for the same reading', async () => {
  await using app = await vectorsApp();
  const { deps } = app;
  await app.put('*', documents());
  await app.settled();
  await using thread = startVectorThread({ encoder: 'hash', modelPath: undefined, limitMs: 60_000 }, deps.log);
  const { counts, ask } = counting(thread);
  const follower = createPopulation(deps, { ask });
  await Promise.all(Array.from({ length: 5 }, () => follower.update('*')));
  assert.equal(counts.encoded, 32);
  assert.equal(follower.vectorsOf('*')?.samples.list().length, 32);
});

test('a model finds what means the same; the lane says that it is the model', async () => {
  await using model = await modelDirectory();
  await using app = await vectorsApp({ searchEncoder: 'onnx', searchOnnxModel: model.modelPath });
  await app.put(
    'acme',
    FLAWS.map((flaw) => aChunk(flaw, { title: flaw })),
  );
  await app.settled();
  await app.vectors.prepare(acme);
  assert.equal(app.vectors.activeEncoder(), 'onnx');
  assert.equal(app.vectors.state(acme).verdict?.isOpen, true);
  const hits = await app.vectors.search(acme, 'object injection', 1);
  const chunks = await app.corpus.load(
    acme,
    hits.map(({ number }) => number),
  );
  assert.deepEqual(
    [...chunks.values()].map(({ title }) => title),
    ['prototype pollution'],
  );
});

test('a model that lowers the mean reciprocal rank is kept out', async () => {
  await using model = await modelDirectory();
  await using app = await vectorsApp({ searchEncoder: 'onnx', searchOnnxModel: model.modelPath });
  // To this model all things with one flaw are the same: it puts any of them first.
  await app.put('acme', documents());
  await app.settled();
  await app.vectors.prepare(acme);
  const { verdict } = app.vectors.state(acme);
  assert.ok(verdict && !verdict.isOpen && verdict.mrrBoth < verdict.mrrWords);
  assert.deepEqual(await app.vectors.search(acme, 'object injection', 8), []);
});

test('a model that cannot be opened is told as such, and hashing stands in', async () => {
  await using app = await vectorsApp({ searchEncoder: 'onnx', searchOnnxModel: '/nowhere/model.onnx' });
  await app.put('acme', documents());
  await app.settled();
  assert.equal(app.vectors.activeEncoder(), 'onnx-fallback');
  await app.vectors.prepare(acme);
  assert.equal(app.vectors.activeEncoder(), 'onnx-fallback');
  assert.equal(app.vectors.state(acme).isBuilt, true);
});

test('a thread that is stopped while its model works ends between two calls of it', async (t) => {
  const terminate = t.mock.method(Worker.prototype, 'terminate');
  await using app = await searchApp();
  await using model = await modelDirectory();
  const setup = { encoder: 'onnx', modelPath: model.modelPath, limitMs: 60_000 } as const;
  const thread = startVectorThread(setup, app.deps.log);
  const put = Array.from({ length: 400 }, (_, number) => ({ number, text: 'prototype pollution '.repeat(100) }));
  await thread.ready;
  const rejected = assert.rejects(thread.ask({ kind: 'apply', owner: 'acme', put, remove: [] }), /has ended/);
  await thread[Symbol.asyncDispose]();
  await rejected;
  assert.equal(terminate.mock.callCount(), 0);
});

test('switched off, vectors take no part and no thread is started', async () => {
  await using app = await vectorsApp({ searchVectors: 'off' });
  assert.deepEqual(await app.vectors.search(acme, 'anything', 5), []);
  assert.equal(app.vectors.state(acme).isBuilt, false);
});
