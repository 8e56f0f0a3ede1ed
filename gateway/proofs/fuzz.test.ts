import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz/run.ts';

test('a thousand requests of hostile shapes to every door are answered or refused, none of them as a bug', async (t) => {
  const { sent, statuses, failures, errors, isAlive } = await fuzz(20_261_122, 1_000);
  t.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
  assert.deepEqual(failures, []);
  assert.deepEqual(errors, []);
  assert.deepEqual([sent, isAlive], [1_000, true]);
});
