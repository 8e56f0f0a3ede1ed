import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlanMode } from '@landfall/kernel/testing/plans';
import { assertPlans, chunkTable, FREQUENT_STATEMENTS, plansOfDatabaseQuery, plansOfQuery } from './plans.fixture.ts';

const ROWS = 20_000;
const MODES: readonly PlanMode[] = ['force_custom_plan', 'force_generic_plan'];

test('a query reads the chunks it found and no others, whatever the statistics say', async () => {
  await using table = await chunkTable();
  const look = async (when: string): Promise<void> => {
    for (const mode of MODES) {
      const plans = await plansOfQuery(table, mode);
      assertPlans(plans, `${when}, ${mode}`);
      assert.deepEqual([...new Set(plans.map(({ name }) => name))].toSorted(), FREQUENT_STATEMENTS.toSorted());
      assertPlans(await plansOfDatabaseQuery(table, mode), `${when}, ${mode}, by the database`);
    }
  };
  await table.fill(ROWS / 100);
  await table.analyse();
  await table.fill(ROWS);
  await look('stale statistics');
  await table.analyse();
  await look('fresh statistics');
});

test('a query reads the chunks it found and no others where nobody ever counted the table', async () => {
  await using table = await chunkTable();
  await table.fill(ROWS);
  for (const mode of MODES) {
    assertPlans(await plansOfQuery(table, mode), mode);
    assertPlans(await plansOfDatabaseQuery(table, mode), `${mode}, by the database`);
  }
});
