import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as suppressions from '../deliveries/suppressions.store.ts';
import * as events from '../events/events.store.ts';
import * as rules from '../rules/rules.store.ts';
import type { Signal } from '../shared/signal.ts';
import { collect } from './collect.ts';
import * as conditions from './conditions.store.ts';
import { endFlapping, type Flapping, recordConditions } from './flapping.ts';
import type { GroupMessages } from './group-messages.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { type NewId, rowsOf, suppressionOf } from './outcome-rows.ts';
import { actionsOf, suppressionOf as suppressionFor } from './plan.ts';
import type { Planning, Wanted } from './planning.ts';
import type { RoutingMeters } from './routing-meters.ts';
import * as waitingEvents from './waiting-events.store.ts';

/** Events that one transaction routes. */
const BATCH = 200;

interface Routed {
  /** Events that were looked at. */
  readonly routed: number;
  /** Deliveries that are due. */
  readonly sent: number;
}

const NOTHING: Routed = { routed: 0, sent: 0 };

interface RouterDeps extends Pick<Deps, 'database' | 'clock'> {
  readonly knowledge: Knowledge;
  readonly planAll: Planning;
  readonly tellGroups: GroupMessages;
  readonly meters: RoutingMeters;
  readonly newId: NewId;
  /** Notified once deliveries are due. */
  readonly due: Signal;
}

const tenantsOf = (rows: readonly { readonly tenant: TenantId }[]): TenantId[] => [
  ...new Set(rows.map(({ tenant }) => tenant)),
];

/** Creates the routing of events: what they become is written in the transaction that marks them as routed. */
export const createRouter = ({ database, clock, knowledge, planAll, tellGroups, meters, newId, due }: RouterDeps) => {
  const suppress = async (tx: Tx, rows: readonly suppressions.NewSuppression[]): Promise<void> => {
    for (const { tenant, policy } of rows) meters.suppressed(tenant, policy);
    if (rows.length > 0) await suppressions.insertAll(tx, rows);
  };

  /** Plans actions and writes what becomes of their events. @returns the number of deliveries */
  const settle = async (tx: Tx, wanted: readonly Wanted[]): Promise<number> => {
    if (wanted.length === 0) return 0;
    const { sent, waiting, suppressed } = rowsOf(await planAll(tx, wanted), newId);
    if (sent.length > 0) await deliveries.insertAll(tx, sent);
    if (waiting.length > 0) await waitingEvents.upsertAll(tx, waiting);
    await suppress(tx, suppressed);
    return sent.length;
  };

  /** Actions of the rules of now that an event matches, with its flapping policy. */
  const wantedOf = (
    event: events.StoredEvent,
    own: TenantKnowledge | undefined,
    flapping: Flapping | undefined,
  ): Wanted[] => {
    if (!own || own.ruleSetVersion === null) return [];
    const { ruleSetVersion } = own;
    const started = performance.now();
    const actions = actionsOf(event, own);
    meters.evaluated(event.tenant, performance.now() - started);
    return actions.map((action) => {
      const deliveryId = newId('NotificationDelivery');
      return { ...action, event, deliveryId, knowledge: own, ruleSetVersion, flapping };
    });
  };

  /** Routes actions: what flaps is suppressed, what is told together joins its group, the rest is planned. */
  const settleNew = async (tx: Tx, wanted: readonly Wanted[]): Promise<number> => {
    const now = clock.now();
    const flaps = (each: Wanted) =>
      each.flapping?.effect === 'continues' ? suppressionFor(each.event, each, each.knowledge, now) : undefined;
    const kept = wanted.flatMap((each) => {
      const suppressed = flaps(each);
      return suppressed ? [{ ...each, suppressed }] : [];
    });
    const told = wanted.filter((each) => !flaps(each));
    const { immediate, full } = await collect(tx, told, { now, newGroupId: () => newId('NotificationGroup') });
    await suppress(
      tx,
      [...kept, ...full].map((each) => suppressionOf(each, each.suppressed, newId)),
    );
    return settle(tx, immediate);
  };

  const flappingOf = (known: ReadonlyMap<TenantId, TenantKnowledge>) => ({
    policiesOf: (tenant: TenantId) => known.get(tenant)?.policies.flapping ?? [],
    now: clock.now(),
  });

  /** Routes events that were accepted. */
  const routeNew = (): Promise<Routed> =>
    database.system.write(async (tx) => {
      const unrouted = await events.lockUnrouted(tx, BATCH);
      if (unrouted.length === 0) return NOTHING;
      const quiet = await knowledge.loadQuiet(tx, tenantsOf(unrouted));
      const flapping = await recordConditions(tx, unrouted, flappingOf(quiet));
      const known = await knowledge.withFiring(tx, quiet);
      const wanted = unrouted.flatMap((event) => wantedOf(event, known.get(event.tenant), flapping.get(event.id)));
      const sent = await settleNew(tx, wanted);
      await failpoint('notifier.event.planned');
      const versions = unrouted.map(({ tenant, id }) => {
        const ruleSetVersion = known.get(tenant)?.ruleSetVersion ?? null;
        return { tenant, id, ruleSetVersion };
      });
      await events.setRouted(tx, versions);
      return { routed: unrouted.length, sent };
    });

  /** Tells the last event of conditions that flapped and are quiet by now. */
  const routeQuiet = (): Promise<Routed> =>
    database.system.write(async (tx) => {
      const rows = await conditions.lockQuiet(tx, BATCH);
      if (rows.length === 0) return NOTHING;
      const known = await knowledge.load(tx, tenantsOf(rows));
      const wanted: Wanted[] = [];
      for (const { tenant, eventId } of await endFlapping(tx, rows, flappingOf(known))) {
        const [event] = await events.listByIds(tx, tenant, [eventId]);
        if (event) wanted.push(...wantedOf(event, known.get(tenant), undefined));
      }
      return { routed: rows.length, sent: await settleNew(tx, wanted) };
    });

  /** Decides again about events that waited until now, by the rules that matched them. */
  const routeWaiting = (): Promise<Routed> =>
    database.system.write(async (tx) => {
      const dueNow = await waitingEvents.takeDue(tx, BATCH);
      if (dueNow.length === 0) return NOTHING;
      const known = await knowledge.load(tx, tenantsOf(dueNow));
      const wanted: Wanted[] = [];
      for (const { tenant, eventId, ruleId, ruleSetVersion, actionIndex } of dueNow) {
        const event = await events.get(tx, tenant, eventId);
        const stored = await rules.findRuleSet(tx, tenant, ruleSetVersion);
        const rule = knowledge.ruleSetOf(stored).rules.find((each) => each.id === ruleId);
        const own = known.get(tenant);
        if (!rule || !own) continue;
        const deliveryId = newId('NotificationDelivery');
        wanted.push({ event, rule, actionIndex, deliveryId, knowledge: own, ruleSetVersion });
      }
      return { routed: dueNow.length, sent: await settle(tx, wanted) };
    });

  /** Routes what is due once. @returns the number of events */
  return async (): Promise<number> => {
    const fresh = await routeNew();
    const later = await routeWaiting();
    const quiet = await routeQuiet();
    const grouped = await tellGroups();
    if (fresh.sent + later.sent + quiet.sent + grouped.sent > 0) due.notify();
    return fresh.routed + later.routed + quiet.routed + grouped.routed;
  };
};

export type Router = ReturnType<typeof createRouter>;
