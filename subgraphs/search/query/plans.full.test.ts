import { test } from 'node:test';
import type { PlanMode } from '@landfall/kernel/testing/plans';
import { assertPlans, chunkTable, plansOfQuery } from './plans.fixture.ts';

const ROWS = 1_000_000;
const MODES: readonly PlanMode[] = ['force_custom_plan', 'force_generic_plan'];

test('among a million chunks a query reads those it found, with no statistics, stale ones and fresh ones', async () => {
  await using table = await chunkTable();
  const look = async (when: string): Promise<void> => {
    for (const mode of MODES) assertPlans(await plansOfQuery(table, mode), `${when}, ${mode}`);
  };
  await table.fill(ROWS / 100);
  await look('no statistics, a small table');
  await table.fill(ROWS / 2);
  await look('no statistics');
  await table.analyse();
  await table.fill(ROWS);
  await look('stale statistics');
  await table.analyse();
  await look('fresh statistics');
});
