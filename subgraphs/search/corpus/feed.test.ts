import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { aChunk } from '../testing/chunk.ts';
import { searchApp } from '../testing/search-app.ts';

const acme = toTenantId('acme');

test('what is put can be found once it is settled, and what is removed no more', async () => {
  await using app = await searchApp();
  await app.put('acme', [
    aChunk('CVE-2024-0001', { title: 'Parser overflows' }),
    aChunk('CVE-2024-0002', { title: 'Parser leaks' }),
  ]);
  await app.settled();
  assert.equal(app.lane.state().chunks, 2);
  await app.remove('acme', 'test', ['CVE-2024-0001']);
  await app.settled();
  const answer = await app.lane.search({ tenant: acme, text: 'parser', limit: 10 });
  const numbers = answer.domains.flatMap(({ hits }) => hits.map(({ number }) => number));
  const found = await app.corpus.load(acme, numbers);
  assert.deepEqual(
    [...found.values()].map(({ documentKey }) => documentKey),
    ['CVE-2024-0002'],
  );
});

test('what an open transaction holds back is found when it ends, and what was committed after it is not lost', async () => {
  await using app = await searchApp();
  const inner = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const slow = app.deps.database.write(acme, async (tx) => {
    await app.corpus.putIn(tx, acme, [aChunk('slow')]);
    inner.resolve();
    await go.promise;
  });
  await inner.promise;
  await app.put('acme', [aChunk('fast')]);
  assert.equal(app.lane.state().chunks, 0);
  go.resolve();
  await slow;
  await app.settled();
  assert.equal(app.lane.state().chunks, 2);
});
