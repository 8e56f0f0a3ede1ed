import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { testDeps } from '@landfall/kernel/testing/app';
import { until } from '@landfall/kernel/testing/until';
import { createCorpus } from '../corpus/corpus.ts';
import { aChunk } from '../testing/chunk.ts';
import type { Knowledge } from './documents.ts';
import { createKnowledge } from './knowledge.ts';

const acme = toTenantId('acme');

const aDocument = (key: string, source = 'docs') =>
  aChunk(key, {
    domain: 'knowledge',
    source,
    entityType: 'document',
    entityKey: `document:${key}`,
    body: `About ${key}.`,
  });

const word = (...keys: readonly string[]): Knowledge => ({
  documents: keys.map((key) => aDocument(key)),
  apiSpecCount: 1,
  operations: [aDocument('GET /things', 'openapi')],
  checks: [aDocument('disk-space', 'doctor')],
});

const knowledgeApp = async (read: () => Promise<Knowledge>) => {
  const base = await testDeps();
  const corpus = createCorpus(base.deps);
  const knowledge = createKnowledge({ ...base.deps, corpus, knowledge: read });
  const count = async (): Promise<Record<string, number>> =>
    Object.fromEntries((await corpus.summary(acme)).map(({ source, documentCount }) => [source, documentCount]));
  return { ...base, corpus, knowledge, count };
};

test('a rebuild brings everybody’s corpus to what is said, and writes nothing where nothing has changed', async () => {
  let statement = word('one', 'two');
  await using app = await knowledgeApp(async () => statement);
  const first = await app.knowledge.rebuild();
  assert.deepEqual(first, {
    documentCount: 2,
    chunkCount: 4,
    apiSpecCount: 1,
    apiOperationCount: 1,
    doctorProjectionCount: 1,
  });
  const before = await app.corpus.summary(acme);
  assert.ok(before.every(({ isShared, domain }) => isShared && domain === 'knowledge'));
  await app.clock.advance(60_000);
  assert.deepEqual(await app.knowledge.rebuild(), first);
  assert.deepEqual(await app.corpus.summary(acme), before);
  statement = word('two');
  await app.knowledge.rebuild();
  assert.deepEqual(await app.count(), { docs: 1, doctor: 1, openapi: 1 });
});

test('what others wrote for everybody stays', async () => {
  await using app = await knowledgeApp(async () => word('one'));
  await app.corpus.put('*', [aChunk('CVE-2026-1', { source: 'osv' })]);
  await app.knowledge.rebuild();
  assert.deepEqual(await app.count(), { docs: 1, doctor: 1, openapi: 1, osv: 1 });
});

test('a start reads it once, and tries again where that fails', async () => {
  let reads = 0;
  await using app = await knowledgeApp(async () => {
    reads += 1;
    if (reads === 1) throw new Error('the disk is slow');
    return word('one');
  });
  await using _running = app.knowledge.worker.start();
  await until(async () => (await app.count()).docs === 1);
  assert.equal(reads, 2);
});
