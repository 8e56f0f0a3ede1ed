import { describe, test } from 'node:test';
import { executeAllPlans } from './executed-plans.fixture.ts';

describe('what is carried out is what the preview said, by each strategy', () => {
  for (const driver of ['process', 'static_slot'] as const)
    test(`on some numbers of targets of driver ${driver}`, () =>
      executeAllPlans(driver, 11, (n) => [1, 3, 11].includes(n)));
});
