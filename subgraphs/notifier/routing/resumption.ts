import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type * as suppressions from '../deliveries/suppressions.store.ts';
import { conditionKey } from '../events/condition-key.ts';
import * as conditions from '../events/conditions.store.ts';
import { isMomentary } from '../events/event.ts';
import * as events from '../events/events.store.ts';
import type { Audiences } from '../people/recipients.ts';
import * as ruleStore from '../rules/rules.store.ts';
import type { Batch, Isolation, Routed } from './isolation.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { GONE, type NewId, parkedOf, unreachedOf } from './outcome-rows.ts';
import { ownerActionsOf } from './owner-rule.ts';
import { STEP } from './plan.ts';
import type { Wanted } from './planning.ts';
import type { RoutingSettlement } from './routing-settlement.ts';
import * as waitingEvents from './waiting-events.store.ts';

/** Events that one transaction resumes. */
const BATCH = 200;

/** Outcome of an event that waited. */
interface Resumed {
  readonly wanted: readonly Wanted[];
  readonly lost: readonly suppressions.NewSuppression[];
}

interface ResumptionDeps extends Pick<Deps, 'database'> {
  readonly knowledge: Knowledge;
  readonly settlement: RoutingSettlement;
  readonly isolate: Isolation;
  readonly audiences: Pick<Audiences, 'findAgain'>;
  readonly newId: NewId;
}

/** Reason for a later step of a person that is not told. */
const OVER = {
  subject: null,
  policy: STEP,
  reason: 'It was over, or somebody acknowledged it, before this step of the person.',
} as const;

/** Whether the condition of an event ended, or was acknowledged, since. */
const isOver = async (tx: Tx, event: events.StoredEvent): Promise<boolean> => {
  if (isMomentary(event)) return false;
  const condition = await conditions.find(tx, event.tenant, conditionKey(event));
  return condition !== undefined && condition.status !== 'firing' && condition.eventId > event.id;
};

/** Creates the routing of events whose wait is over. */
export const createResumption = ({ database, knowledge, settlement, isolate, audiences, newId }: ResumptionDeps) => {
  const { suppress, settle } = settlement;

  /** Action for which an event waited, or the reason for which its person is not told; undefined for a rule that is gone. */
  const resume = async (
    tx: Tx,
    { tenant, eventId, ruleId, ruleSetVersion, actionIndex, contactMethodId, policy }: waitingEvents.WaitingEvent,
    own: TenantKnowledge | undefined,
  ): Promise<Resumed> => {
    const event = await events.get(tx, tenant, eventId);
    const stored = await ruleStore.findRuleSet(tx, tenant, ruleSetVersion);
    const rules = [...ownerActionsOf(event).map((each) => each.rule), ...knowledge.ruleSetOf(stored).rules];
    const rule = rules.find((each) => each.id === ruleId);
    if (!rule || !own) return { wanted: [], lost: [] };
    const deliveryId = newId('NotificationDelivery');
    const wanted = { event, rule, actionIndex, deliveryId, knowledge: own, ruleSetVersion };
    if (contactMethodId === null) return { wanted: [wanted], lost: [] };
    if (policy === STEP && (await isOver(tx, event)))
      return { wanted: [], lost: [unreachedOf({ event, rule }, OVER, newId)] };
    const recipient = await audiences.findAgain(tx, tenant, contactMethodId);
    return recipient
      ? { wanted: [{ ...wanted, recipient }], lost: [] }
      : { wanted: [], lost: [unreachedOf({ event, rule }, GONE, newId)] };
  };

  /** Decides again about events that waited until now, by the rules that matched them. */
  const run = ({ limit, taken }: Batch<waitingEvents.WaitingEvent>): Promise<Routed> =>
    database.system.write(async (tx) => {
      const dueNow = await waitingEvents.takeDue(tx, limit);
      taken(dueNow);
      if (dueNow.length === 0) return { routed: 0, sent: 0 };
      const known = await knowledge.load(tx, [...new Set(dueNow.map(({ tenant }) => tenant))]);
      const resumed: Resumed[] = [];
      for (const each of dueNow) resumed.push(await resume(tx, each, known.get(each.tenant)));
      await suppress(
        tx,
        resumed.flatMap(({ lost }) => lost),
      );
      const sent = await settle(
        tx,
        resumed.flatMap(({ wanted }) => wanted),
      );
      return { routed: dueNow.length, sent };
    });

  /** Ends the wait of an event whose routing fails for good. */
  const park = (row: waitingEvents.WaitingEvent): Promise<void> =>
    database.system.write(async (tx) => {
      await suppress(tx, [{ ...parkedOf(row.tenant, row.eventId, newId), ruleId: row.ruleId }]);
      await waitingEvents.remove(tx, row);
    });

  return isolate({ name: 'notifier.routing', limit: BATCH, run, park });
};

export type Resumption = ReturnType<typeof createResumption>;
