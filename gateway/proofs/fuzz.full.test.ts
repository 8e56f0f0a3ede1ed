import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz/run.ts';

/** Seed of the requests: `FUZZ_SEED=7` and `FUZZ_REQUESTS` change seed and number. */
const seed = Number(process.env.FUZZ_SEED ?? 11);
const requests = Number(process.env.FUZZ_REQUESTS ?? 30_000);

test(`${requests} requests of hostile shapes to every door are answered or refused, none of them as a bug`, async (t) => {
  const { sent, statuses, failures, errors, isAlive } = await fuzz(seed, requests);
  t.diagnostic(`seed ${seed}`);
  t.diagnostic(JSON.stringify(Object.fromEntries(statuses)));
  assert.deepEqual(failures, []);
  assert.deepEqual(errors, []);
  assert.deepEqual([sent, isAlive], [requests, true]);
});
