import { sql } from '@landfall/kernel/db/sql';
import { table, text } from '@landfall/kernel/db/table';
import { type CrashScenario, twoDeployed } from '../faults/crash.fixture.ts';

const said = table('kernel.events.said', { state: text });

/**
 * Rolls back while the server dies at a failpoint.
 * @returns states of the undone deployment since it landed
 */
export const rollBackKilledAt = async (world: CrashScenario, place: string): Promise<string[]> => {
  const [first, second] = await twoDeployed(world);
  await world.server().dieAt(place);
  await world.tryTo(...world.rollback);
  await world.takeOver();
  await world.check(first, 2);
  const [undone] = await world.jobsOf(second.release.id);
  const states = await world.rows(
    said,
    sql`/* test */ select data->>'state' as state from kernel.events
      where entity_id = ${undone?.id ?? null} and data->>'state' like '%roll%' order by id`,
  );
  return states.map(({ state }) => state);
};
