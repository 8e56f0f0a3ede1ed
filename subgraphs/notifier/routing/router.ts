import { type Id, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as suppressions from '../deliveries/suppressions.store.ts';
import * as events from '../events/events.store.ts';
import type { Rule } from '../rules/rule.ts';
import * as rules from '../rules/rules.store.ts';
import type { Signal } from '../shared/signal.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { type Planned, rowsOf } from './outcome-rows.ts';
import { actionsOf, planAction } from './plan.ts';
import type { RoutingMeters } from './routing-meters.ts';
import { loadWindows, type Windows } from './throttle-windows.ts';
import * as waitingEvents from './waiting-events.store.ts';

/** Events that one transaction routes. */
const BATCH = 200;

/** One action of a rule that is to be planned for an event. */
interface Wanted extends Pick<Planned, 'event' | 'deliveryId' | 'ruleSetVersion' | 'actionIndex'> {
  readonly rule: Rule;
  readonly knowledge: TenantKnowledge;
}

interface Routed {
  /** Events that were looked at. */
  readonly routed: number;
  /** Deliveries that are due. */
  readonly sent: number;
}

const NOTHING: Routed = { routed: 0, sent: 0 };

interface RouterDeps extends Pick<Deps, 'database' | 'clock' | 'ids' | 'log'> {
  readonly knowledge: Knowledge;
  readonly meters: RoutingMeters;
  /** Public address of the console. */
  readonly baseUrl: string;
  /** Notified once deliveries are due. */
  readonly due: Signal;
}

const tenantsOf = (rows: readonly { readonly tenant: TenantId }[]): TenantId[] => [
  ...new Set(rows.map(({ tenant }) => tenant)),
];

/** Creates the routing of events: what they become is written in the transaction that marks them as routed. */
export const createRouter = ({ database, clock, ids, log, knowledge, meters, baseUrl, due }: RouterDeps) => {
  const newId = <Name extends string>(name: Name): Id<Name> => toId(ids.uuid(), name);

  /** Plans an action. An error is its reason, and stops no other. */
  const plan = (wanted: Wanted, windows: Windows): Planned => {
    const { event, rule, actionIndex, deliveryId, ruleSetVersion } = wanted;
    const common = { event, deliveryId, ruleSetVersion };
    const rendered = (ms: number): void => meters.rendered(event.tenant, ms);
    const moment = { now: clock.now(), baseUrl, firing: [], counts: windows.of(event.tenant), rendered };
    try {
      const planned = planAction(event, { rule, actionIndex, deliveryId }, wanted.knowledge, moment);
      windows.count(event.tenant, planned.outcome);
      return { ...common, ...planned };
    } catch (error) {
      log.error({ err: error, event: event.id, rule: rule.id }, 'notifier.routing');
      const reason = 'An error of the notifier kept the message back. The log has it.';
      const channelId = rule.actions[actionIndex]?.channelId ?? '';
      const outcome = { kind: 'suppress', policy: 'error', policyId: null, reason } as const;
      return { ...common, rule, actionIndex, channelId, outcome };
    }
  };

  /** Plans actions and writes what becomes of their events. @returns the number of deliveries */
  const settle = async (tx: Tx, wanted: readonly Wanted[]): Promise<number> => {
    if (wanted.length === 0) return 0;
    const windows = await loadWindows(tx, wanted);
    const { sent, waiting, suppressed } = rowsOf(
      wanted.map((each) => plan(each, windows)),
      newId,
    );
    if (sent.length > 0) await deliveries.insertAll(tx, sent);
    for (const { tenant, policy } of suppressed) meters.suppressed(tenant, policy);
    if (suppressed.length > 0) await suppressions.insertAll(tx, suppressed);
    if (waiting.length > 0) await waitingEvents.upsertAll(tx, waiting);
    await windows.save();
    return sent.length;
  };

  /** Routes events that were accepted. */
  const routeNew = (): Promise<Routed> =>
    database.system.write(async (tx) => {
      const unrouted = await events.lockUnrouted(tx, BATCH);
      if (unrouted.length === 0) return NOTHING;
      const known = await knowledge.load(tx, tenantsOf(unrouted));
      const wanted = unrouted.flatMap((event): Wanted[] => {
        const own = known.get(event.tenant);
        if (!own || own.ruleSetVersion === null) return [];
        const ruleSetVersion = own.ruleSetVersion;
        const started = performance.now();
        const actions = actionsOf(event, own);
        meters.evaluated(event.tenant, performance.now() - started);
        return actions.map((action) => {
          const deliveryId = newId('NotificationDelivery');
          return { ...action, event, deliveryId, knowledge: own, ruleSetVersion };
        });
      });
      const sent = await settle(tx, wanted);
      await failpoint('notifier.event.planned');
      const versions = unrouted.map(({ tenant, id }) => {
        const ruleSetVersion = known.get(tenant)?.ruleSetVersion ?? null;
        return { tenant, id, ruleSetVersion };
      });
      await events.setRouted(tx, versions);
      return { routed: unrouted.length, sent };
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
    if (fresh.sent + later.sent > 0) due.notify();
    return fresh.routed + later.routed;
  };
};

export type Router = ReturnType<typeof createRouter>;
