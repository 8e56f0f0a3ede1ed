import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatch } from './batch.ts';

function gather(most: number) {
  const sent: (readonly number[])[] = [];
  const waits: { readonly run: () => void; isOff: boolean }[] = [];
  const batch = createBatch<number>(
    (items) => sent.push(items),
    { waitMs: 50, most },
    (run, ms) => {
      assert.equal(ms, 50);
      const one = { run, isOff: false };
      waits.push(one);
      return () => {
        one.isOff = true;
      };
    },
  );
  return { sent, waits, batch };
}

test('items go out together, one wait after the first of them', () => {
  const { sent, waits, batch } = gather(10);
  batch.add(1);
  batch.add(2);
  assert.equal(waits.length, 1);
  assert.deepEqual(sent, []);
  waits[0]?.run();
  assert.deepEqual(sent, [[1, 2]]);
  batch.add(3);
  assert.equal(waits.length, 2);
});

test('a full batch waits for nothing, and its wait is called off', () => {
  const { sent, waits, batch } = gather(2);
  for (const item of [1, 2, 3]) batch.add(item);
  assert.deepEqual(sent, [[1, 2]]);
  assert.deepEqual(
    waits.map(({ isOff }) => isOff),
    [true, false],
  );
});

test('pending items are sent by flush, and nothing is sent where nothing is pending', () => {
  const { sent, batch } = gather(10);
  batch.flush();
  batch.add(1);
  batch.flush();
  batch.flush();
  assert.deepEqual(sent, [[1]]);
});
