import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areSame, naiveTree } from '../testing/merkle.ts';
import { consistencyPath, inclusionPath } from './merkle.ts';

const naive = naiveTree(300);

test('over the leaves of every tree of 0 to 300, each inclusion path is that of the definition', () => {
  for (const size of naive.sizes) {
    const tree = naive.leaves.slice(0, size);
    for (let index = 0; index < size; index++)
      assert.ok(areSame(inclusionPath(index, tree), naive.inclusion(index, size)), `${index} of ${size}`);
  }
});

test('over the leaves of every tree of 0 to 300, each consistency path is that of the definition', () => {
  for (const size of naive.sizes) {
    const tree = naive.leaves.slice(0, size);
    for (let first = 0; first <= size; first++)
      assert.ok(areSame(consistencyPath(first, tree), naive.consistency(first, size)), `${first} to ${size}`);
  }
});
