import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticketsIn } from './ticket-example.ts';

test('an expression finds each ticket of a message once, by its first group where it has one', () => {
  assert.deepEqual(ticketsIn('SHOP-1: pay by card, see SHOP-2 and SHOP-1', 'SHOP-\\d+'), ['SHOP-1', 'SHOP-2']);
  assert.deepEqual(ticketsIn('Closes #14', '#(\\d+)'), ['14']);
  assert.deepEqual(ticketsIn('chore', 'SHOP-\\d+'), []);
});

test('an expression that is empty, incomplete, slow, or of RE2 syntax alone is not tried', () => {
  for (const pattern of ['', '(', '(?i)a', '\\Qa\\E', '(a+)+b', '(?:a|b){9}c', '.*.*.*.*b'])
    assert.equal(ticketsIn('a'.repeat(1_000), pattern), undefined, pattern);
});

test('a long message is tried up to its limit', () => {
  assert.deepEqual(ticketsIn(`${' '.repeat(1_000)}SHOP-1`, 'SHOP-\\d+'), []);
});
