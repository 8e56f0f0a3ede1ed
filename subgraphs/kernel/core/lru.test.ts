import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLru } from './lru.ts';

test('the entry that was used least recently makes room', () => {
  const lru = createLru<string, number>({ most: 2 });
  lru.set('a', 1);
  lru.set('b', 2);
  assert.equal(lru.get('a'), 1);
  lru.set('c', 3);
  assert.deepEqual(['a', 'b', 'c'].map(lru.get), [1, undefined, 3]);
  lru.set('a', 4);
  lru.set('d', 5);
  assert.deepEqual(['a', 'c', 'd'].map(lru.get), [4, undefined, 5]);
  lru.clear();
  assert.equal(lru.get('a'), undefined);
});

test('an entry is found until its life ends, which use does not prolong', () => {
  let time = 0;
  const lru = createLru<string, number>({ most: 9, lifeMs: 10, now: () => time });
  lru.set('a', 1);
  lru.set('short', 2, 5);
  time = 5;
  assert.deepEqual([lru.get('a'), lru.get('short')], [1, undefined]);
  time = 9;
  assert.equal(lru.get('a'), 1);
  time = 10;
  assert.equal(lru.get('a'), undefined);
});
