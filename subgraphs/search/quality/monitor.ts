import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { event, notice } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import * as store from './alerts.store.ts';
import { alertEvent } from './alerts.ts';

interface Rule {
  readonly alertType: store.AlertType;
  readonly minutes: number;
  find(tx: Tx, tenant: TenantId): Promise<store.Observation[]>;
  /** Resolution text of an alert whose condition ended. */
  readonly over: string;
}

/** Three identical queries within an hour; two may be accidental. */
const LOOP = { times: 3, minutes: 60 };
/** Three abandoned answers within a day; fewer may be coincidence. */
const ABANDONED = { times: 3, minutes: 24 * 60 };
/** Quiet time after which an alert is resolved. */
const QUIET_MINUTES = 60;

const RULES: readonly Rule[] = [
  {
    alertType: 'fallback_loop',
    minutes: LOOP.minutes,
    find: (tx, tenant) => store.listLoops(tx, tenant, LOOP.minutes, LOOP.times),
    over: 'Nobody ran into it for an hour.',
  },
  {
    alertType: 'abandoned_fallback',
    minutes: ABANDONED.minutes,
    find: (tx, tenant) => store.listAbandoned(tx, tenant, ABANDONED.minutes, ABANDONED.times),
    over: 'Its fallback answers are no longer abandoned.',
  },
];

export const createMonitor = ({ database, ids, log }: Pick<Deps, 'database' | 'ids' | 'log'>) => {
  const raise = async (tx: Tx, caller: Who, { alertType }: Rule, observation: store.Observation): Promise<void> => {
    const alert = await store.insert(tx, caller.tenant, toId(ids.uuid(), 'SearchAlert'), alertType, observation);
    if (alert) await event(tx, caller, 'searchAlert.raise', alertEvent(alert));
  };

  const grow = async (tx: Tx, caller: Who, alert: store.Alert, observation: store.Observation): Promise<void> => {
    if (observation.lastSeenAt <= alert.lastSeenAt && observation.occurrences <= alert.occurrences) return;
    const { alertId: id, version } = await store.grow(tx, caller.tenant, alert.alertId, observation);
    await notice(tx, caller, 'searchAlert.grow', { entity: 'SearchAlert', id, version });
  };

  const resolveQuiet = async (
    tx: Tx,
    caller: Who,
    { over }: Rule,
    remaining: readonly store.Alert[],
  ): Promise<void> => {
    const alertIds = remaining.map(({ alertId }) => alertId);
    for (const alertId of await store.listQuiet(tx, caller.tenant, alertIds, QUIET_MINUTES)) {
      const alert = await store.settle(tx, caller.tenant, alertId, { status: 'resolved', resolution: over });
      await event(tx, caller, 'searchAlert.resolve', alertEvent(alert));
    }
  };

  const apply = async (tx: Tx, caller: Who, rule: Rule): Promise<void> => {
    const unresolved = await store.lockUnresolved(tx, caller.tenant, rule.alertType);
    const known = new Map(unresolved.map((alert) => [alert.comparedQuery, alert]));
    for (const observation of await rule.find(tx, caller.tenant)) {
      const alert = known.get(observation.comparedQuery);
      if (alert) await grow(tx, caller, alert, observation);
      else await raise(tx, caller, rule, observation);
      known.delete(observation.comparedQuery);
    }
    if (known.size > 0) await resolveQuiet(tx, caller, rule, [...known.values()]);
  };

  return {
    /** Checks every tenant once: raises, extends and resolves alerts. */
    async run(): Promise<void> {
      const longest = Math.max(...RULES.map(({ minutes }) => minutes));
      for (const tenant of await database.system.read((query) => store.listTenants(query, longest))) {
        const caller = systemCaller(tenant, 'search-quality', ids.uuid());
        try {
          await database.write(tenant, async (tx) => {
            for (const rule of RULES) await apply(tx, caller, rule);
          });
        } catch (error) {
          // A tenant that fails does not prevent the checks of the others.
          log.error({ err: error, tenant }, 'quality monitor');
        }
      }
    },
  };
};
