import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capitalized } from './statement-text.ts';

test('words begin with a capital, and the name of a component is left as it is', () => {
  assert.equal(capitalized('no promotion of it was approved'), 'No promotion of it was approved');
  assert.equal(capitalized('api: no such statement is attached'), 'api: no such statement is attached');
  assert.equal(capitalized(''), '');
});
