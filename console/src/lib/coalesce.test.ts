import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCoalescer } from './coalesce.ts';

function coalescer() {
  const flushed: (readonly number[])[] = [];
  const due: (() => void)[] = [];
  const all = createCoalescer<number>(
    (items) => flushed.push(items),
    250,
    (run) => {
      due.push(run);
      return () => due.splice(due.indexOf(run), 1);
    },
  );
  return { ...all, flushed, tick: () => due.shift()?.(), waiting: () => due.length };
}

test('the first item is flushed at once', () => {
  const { add, flushed } = coalescer();
  add(1);
  assert.deepEqual(flushed, [[1]]);
});

test('what follows within the interval is flushed together when it ends', () => {
  const { add, flushed, tick } = coalescer();
  for (const item of [1, 2, 3]) add(item);
  assert.deepEqual(flushed, [[1]]);
  tick();
  assert.deepEqual(flushed, [[1], [2, 3]]);
});

test('a quiet interval makes the next item first again', () => {
  const { add, flushed, tick, waiting } = coalescer();
  add(1);
  tick();
  assert.equal(waiting(), 0);
  add(2);
  assert.deepEqual(flushed, [[1], [2]]);
});

test('stopping forgets what waits', () => {
  const { add, flushed, tick, stop } = coalescer();
  add(1);
  add(2);
  stop();
  tick();
  assert.deepEqual(flushed, [[1]]);
});
