import { test } from 'node:test';
import { exploreStates } from './states.fixture.ts';

// spec: 3/job-states, 3/promotion-states
test('whatever is done in whatever order, no state is illegal and every refusal has the code of its table', () =>
  exploreStates(6));
