import { test } from 'node:test';
import { walk } from './products-walk.fixture.ts';

/** `MODEL_STEPS` and `MODEL_SEED` change the number of steps and their seed. */
const steps = Number(process.env.MODEL_STEPS ?? 20_000);

test('whatever is done to one product, every other keeps its estate, approvals, locks and deployments', (t) =>
  walk(t, steps));
