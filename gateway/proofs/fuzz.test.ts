import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz/run.ts';

// The full run sends a hundred times as many.
test('300 requests of hostile shapes to every door are answered or refused, none of them as a bug', async (t) => {
  const { sent, statuses, failures, errors, isAlive } = await fuzz(20_261_122, 300);
  t.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
  assert.deepEqual(failures, []);
  assert.deepEqual(errors, []);
  assert.deepEqual([sent, isAlive], [300, true]);
});
