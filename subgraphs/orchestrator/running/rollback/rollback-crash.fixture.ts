import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type CrashScenario, twoDeployed } from '../faults/crash.fixture.ts';

const events = table('kernel.events.said', { state: text });

/**
 * Rolls back while the server dies at a failpoint.
 * @returns states of the undone deployment since it landed
 */
export const rollBackKilledAt = async (scenario: CrashScenario, failpoint: string): Promise<string[]> => {
  const [first, second] = await twoDeployed(scenario);
  await scenario.server().dieAt(failpoint);
  await scenario.tryTo(...scenario.rollback);
  await scenario.takeOver();
  await scenario.check(first, 2);
  const [undoneDeployment] = await scenario.jobsOf(second.release.id);
  const states = await scenario.rows(
    events,
    sql`/* test */ select data->>'state' as state from kernel.events
      where entity_id = ${undoneDeployment?.id ?? null} and data->>'state' like '%roll%' order by id`,
  );
  return states.map(({ state }) => state);
};
