import { test } from 'node:test';
import { exploreStates } from './states.fixture.ts';

test('whatever is done in whatever order, no state is illegal and every refusal has the code of its table', () =>
  exploreStates(60));
