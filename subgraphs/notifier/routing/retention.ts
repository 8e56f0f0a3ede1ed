import type { Deps } from '@landfall/kernel/module';
import type { Duty } from '@landfall/kernel/work/schedule';
import { removeStale } from '../events/conditions.store.ts';
import { removeReplaced } from '../rules/rules.store.ts';
import { removeEmpty } from './groups.store.ts';
import * as store from './retention.store.ts';
import type { RoutingMeters } from './routing-meters.ts';
import { removeEnded } from './throttle-counts.store.ts';

/** Days that events are kept with what became of them. */
const KEPT_DAYS = 90;
/** Events that one transaction deletes. */
const BATCH = 500;

/** Creates the daily duty that deletes old events with all that became of them, their rules, stale conditions, and the counts of ended throttle windows. */
export const createRetention = ({
  database,
  meters,
}: Pick<Deps, 'database'> & { readonly meters: RoutingMeters }): Duty => ({
  name: 'notifier.retention',
  pattern: '20 3 * * *',
  async run() {
    let removed = 0;
    do {
      removed = await database.system.write((tx) => store.removeOld(tx, KEPT_DAYS, BATCH));
      meters.removed(removed);
    } while (removed === BATCH);
    do removed = await database.system.write((tx) => removeEmpty(tx, KEPT_DAYS, BATCH));
    while (removed === BATCH);
    do removed = await database.system.write((tx) => removeStale(tx, BATCH));
    while (removed === BATCH);
    do removed = await database.system.write((tx) => removeEnded(tx, BATCH));
    while (removed === BATCH);
    await database.system.write((tx) => removeReplaced(tx, KEPT_DAYS));
  },
});
