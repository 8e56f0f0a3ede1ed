import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryFigures } from './delivery-figures.ts';

const figuresOf = (deployments: number, days: number, changeFailureShare: number | null = null) =>
  deliveryFigures({ deployments, deploymentsPerDay: deployments / days, changeFailureShare });

test('the frequency is told by the shortest period that has a deployment', () => {
  assert.equal(figuresOf(60, 30).frequency, '2 a day');
  assert.equal(figuresOf(10, 30).frequency, '2.3 a week');
  assert.equal(figuresOf(2, 30).frequency, '2 a month');
  assert.equal(figuresOf(0, 30).frequency, 'none');
});

test('the share of failed changes is a whole percentage, and none without changes', () => {
  assert.equal(figuresOf(3, 30, 1 / 3).failureShare, '33%');
  assert.equal(figuresOf(0, 30, null).failureShare, 'none');
});
