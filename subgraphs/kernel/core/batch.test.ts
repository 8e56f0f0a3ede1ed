import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../testing/until.ts';
import { createBatch, createBatchOfMany, createBatchOfOne } from './batch.ts';
import { Fault } from './fault.ts';

/** Creates a store that answers when the test says so, and records its requests. */
const slowStore = () => {
  const requests: (readonly number[])[] = [];
  const answers: (() => void)[] = [];
  return {
    asked: requests,
    load: (keys: readonly number[]): Promise<number[]> => {
      requests.push(keys);
      const { promise, resolve } = Promise.withResolvers<number[]>();
      answers.push(() => resolve(keys.map((key) => key * 10)));
      return promise;
    },
    async answer(): Promise<void> {
      await until(() => answers.length !== 0);
      answers.shift()?.();
    },
  };
};

test('who come together are asked for together; who come meanwhile wait for the next', async () => {
  const store = slowStore();
  const ask = createBatch(store.load);
  const first = [ask(1), ask(2), ask(2)];
  const answered = store.answer();
  await new Promise((resolve) => setImmediate(resolve));
  const later = [ask(3), ask(1)];
  await answered;
  assert.deepEqual(await Promise.all(first), [10, 20, 20]);
  await store.answer();
  assert.deepEqual(await Promise.all(later), [30, 10]);
  assert.deepEqual(store.asked, [
    [1, 2, 2],
    [3, 1],
  ]);
});

test('a store that fails fails those who asked, and nobody after them', async () => {
  let isDown = true;
  const ask = createBatch(async (keys: readonly number[]) => {
    if (isDown) throw new Error('down');
    return keys;
  });
  const results = await Promise.allSettled([ask(1), ask(2)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isDown = false;
  assert.equal(await ask(3), 3);
});

test('a thousand at once are asked for a few hundred at a time', async () => {
  const sizes: number[] = [];
  const ask = createBatch(async (keys: readonly number[]) => {
    sizes.push(keys.length);
    return keys;
  });
  const all = await Promise.all(Array.from({ length: 1_000 }, (_, index) => ask(index)));
  assert.deepEqual(all, [...all.keys()]);
  assert.deepEqual(sizes, [200, 200, 200, 200, 200]);
});

test('an answer that does not fit its keys is nobody’s', async () => {
  await assert.rejects(createBatch(async () => [])(1), /key by key/);
});

test('a batch that is stuck keeps the next one waiting for its patience only', async () => {
  const ask = createBatch(async (keys: readonly number[]) => (keys.includes(1) ? new Promise<never>(() => {}) : keys), {
    patienceMs: 20,
  });
  const blocked = ask(1);
  blocked.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await Promise.all([ask(2), ask(3)]), [2, 3]);
});

test('nobody waits for ever behind batches that are all stuck', async () => {
  const requests: (readonly number[])[] = [];
  const load = (keys: readonly number[]) => {
    requests.push(keys);
    return new Promise<never>(() => {});
  };
  const ask = createBatch(load, { patienceMs: 10, waitMs: 60 });
  for (let key = 1; key <= 4; key++) {
    ask(key).catch(() => {});
    while (requests.length < key) await new Promise((resolve) => setImmediate(resolve));
  }
  await assert.rejects(ask(5), (error) => error instanceof Fault && error.code === 'SYS_OVERLOADED');
  assert.equal(requests.length, 4);
});

test('rows in any order are answered by their key: one or null, or all of them in their order', async () => {
  const rows = [
    { id: 'c', owner: 'y' },
    { id: 'a', owner: 'x' },
    { id: 'b', owner: 'y' },
  ];
  const row = createBatchOfOne(async () => rows, 'id');
  assert.deepEqual(await Promise.all(['a', 'none', 'c'].map(row)), [rows[1], null, rows[0]]);
  const owned = createBatchOfMany(async () => rows, 'owner');
  assert.deepEqual(await Promise.all(['y', 'none'].map(owned)), [[rows[0], rows[2]], []]);
});
