import { describe, test } from 'node:test';
import { executeAllPlans } from './executed-plans.fixture.ts';

describe('what is carried out is what the preview said, by each strategy', { concurrency: true }, () => {
  for (const driver of ['process', 'static_slot'] as const)
    test(`on 1 to 50 targets of driver ${driver}`, () => executeAllPlans(driver, 50, () => true));
});
