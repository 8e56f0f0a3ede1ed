import { test } from 'node:test';
import { walk } from './products-walk.fixture.ts';

// The full run takes many more.
test('whatever is done to one product, every other keeps its estate, approvals, locks and deployments', (t) =>
  walk(t, 300));
