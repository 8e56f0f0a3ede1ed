import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as suppressions from '../deliveries/suppressions.store.ts';
import * as events from '../events/events.store.ts';
import type { Audiences } from '../people/recipients.ts';
import * as ruleStore from '../rules/rules.store.ts';
import type { Signal } from '../shared/signal.ts';
import { type FindAudiences, type FoundAudiences, NO_AUDIENCES, type PeopleAction, tellsPeople } from './audience.ts';
import { collect } from './collect.ts';
import * as conditions from './conditions.store.ts';
import { endFlapping, type Flapping, recordConditions } from './flapping.ts';
import type { GroupMessages } from './group-messages.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { type NewId, rowsOf, suppressionOf, unreachedOf } from './outcome-rows.ts';
import { ownerActionsOf } from './owner-rule.ts';
import { actionsOf, suppressionOf as suppressionFor } from './plan.ts';
import type { Planning, Wanted } from './planning.ts';
import type { RoutingMeters } from './routing-meters.ts';
import * as waitingEvents from './waiting-events.store.ts';

/** Events that one transaction routes. */
const BATCH = 200;
/** Events of one tenant among them. */
const BATCH_OF_TENANT = 100;

interface Routed {
  /** Events that were looked at. */
  readonly routed: number;
  /** Deliveries that are due. */
  readonly sent: number;
}

/** Actions whose events are left until their people are found. */
interface Asking extends Routed {
  readonly asking: readonly PeopleAction[];
}

/** Event with the actions that it matches. */
interface Matched {
  readonly event: events.StoredEvent;
  readonly actions: readonly Pick<Wanted, 'rule' | 'actionIndex'>[];
}

/** Outcome of an event that waited. */
interface Resumed {
  readonly wanted: readonly Wanted[];
  readonly lost: readonly suppressions.NewSuppression[];
}

const NOTHING: Asking = { routed: 0, sent: 0, asking: [] };

interface RouterDeps extends Pick<Deps, 'database' | 'clock'> {
  readonly knowledge: Knowledge;
  readonly planAll: Planning;
  readonly tellGroups: GroupMessages;
  readonly findAudiences: FindAudiences;
  readonly audiences: Pick<Audiences, 'findAgain'>;
  readonly meters: RoutingMeters;
  readonly newId: NewId;
  /** Notified once deliveries are due. */
  readonly due: Signal;
}

/** Reason for a message that waited for a person whose address or account is gone by now. */
const GONE = {
  subject: null,
  policy: 'unreachable',
  reason: 'The contact method, or its owner, was removed while the message waited.',
} as const;

const tenantsOf = (rows: readonly { readonly tenant: TenantId }[]): TenantId[] => [
  ...new Set(rows.map(({ tenant }) => tenant)),
];

/** Events without those whose people are asked for. */
const without = (all: readonly events.StoredEvent[], asking: readonly PeopleAction[]): events.StoredEvent[] => {
  const waiting = new Set(asking.map(({ event }) => event.id));
  return all.filter(({ id }) => !waiting.has(id));
};

/** Creates the routing of events: what they become is written in the transaction that marks them as routed. */
export const createRouter = (deps: RouterDeps) => {
  const { database, clock, knowledge, planAll, tellGroups, findAudiences, audiences, meters, newId, due } = deps;

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

  /** Events with the actions of the rules of now that each matches. */
  const match = (all: Iterable<events.StoredEvent>, known: ReadonlyMap<TenantId, TenantKnowledge>) =>
    [...all].map((event): Matched => {
      const own = known.get(event.tenant);
      if (!own || own.ruleSetVersion === null) return { event, actions: [] };
      const started = performance.now();
      const actions = [...ownerActionsOf(event), ...actionsOf(event, own)];
      meters.evaluated(event.tenant, performance.now() - started);
      return { event, actions };
    });

  /** Actions that an event matches, as they are to be planned, with its flapping policy. */
  const wantedOf = (
    { event, actions }: Matched,
    own: TenantKnowledge | undefined,
    flapping: Flapping | undefined,
  ): Wanted[] => {
    if (!own || own.ruleSetVersion === null) return [];
    const { ruleSetVersion } = own;
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

  /** Actions that tell people of an event and whose people were not found yet. */
  const askingOf = ({ event, actions }: Matched, found: FoundAudiences): readonly PeopleAction[] =>
    actions
      .filter(tellsPeople)
      .map((action) => ({ ...action, event }))
      .filter((action) => found.of(action) === undefined);

  /** Actions with one for each address of their people. The reasons of people who have none are written. */
  const expandAll = async (tx: Tx, actions: readonly Wanted[], found: FoundAudiences): Promise<readonly Wanted[]> => {
    const people = actions.filter(tellsPeople).map((action) => ({ action, audience: found.of(action) }));
    if (people.length === 0) return actions;
    await suppress(
      tx,
      people.flatMap(({ action, audience }) =>
        (audience?.unreached ?? []).map((each) => unreachedOf(action, each, newId)),
      ),
    );
    return [
      ...actions.filter((action) => !tellsPeople(action)),
      ...people.flatMap(({ action, audience }) =>
        (audience?.recipients ?? []).map((recipient) => ({
          ...action,
          recipient,
          deliveryId: newId('NotificationDelivery'),
        })),
      ),
    ];
  };

  /** Routes events that were accepted, but for those whose people are not found yet. */
  const routeNew = (found: FoundAudiences): Promise<Asking> =>
    database.system.write(async (tx) => {
      const unrouted = await events.lockUnrouted(tx, { total: BATCH, perTenant: BATCH_OF_TENANT });
      if (unrouted.length === 0) return NOTHING;
      const quiet = await knowledge.loadQuiet(tx, tenantsOf(unrouted));
      const matched = match(unrouted, quiet);
      const asking = matched.flatMap((each) => askingOf(each, found));
      const ready = without(unrouted, asking);
      if (ready.length === 0) return { ...NOTHING, asking };
      const flapping = await recordConditions(tx, ready, flappingOf(quiet));
      const known = await knowledge.withFiring(tx, quiet);
      const left = new Set(ready.map(({ id }) => id));
      const wanted = matched
        .filter(({ event }) => left.has(event.id))
        .flatMap((each) => wantedOf(each, known.get(each.event.tenant), flapping.get(each.event.id)));
      const sent = await settleNew(tx, await expandAll(tx, wanted, found));
      await failpoint('notifier.event.planned');
      const versions = ready.map(({ tenant, id }) => {
        const ruleSetVersion = known.get(tenant)?.ruleSetVersion ?? null;
        return { tenant, id, ruleSetVersion };
      });
      await events.setRouted(tx, versions);
      return { routed: ready.length, sent, asking };
    });

  /** Tells the last event of conditions that flapped and are quiet by now. */
  const routeQuiet = (found: FoundAudiences): Promise<Asking> =>
    database.system.write(async (tx) => {
      const rows = await conditions.lockQuiet(tx, BATCH);
      if (rows.length === 0) return NOTHING;
      const known = await knowledge.load(tx, tenantsOf(rows));
      const last = new Map<string, events.StoredEvent>();
      for (const { tenant, eventId } of rows)
        for (const event of await events.listByIds(tx, tenant, [eventId])) last.set(eventId, event);
      const matched = new Map(match(last.values(), known).map((each) => [each.event.id, each]));
      const asking = [...matched.values()].flatMap((each) => askingOf(each, found));
      const waiting = new Set(asking.map(({ event }) => event.id));
      const ready = rows.filter(({ eventId }) => !waiting.has(eventId));
      const wanted: Wanted[] = [];
      for (const { tenant, eventId } of await endFlapping(tx, ready, flappingOf(known))) {
        const each = matched.get(eventId);
        if (each) wanted.push(...wantedOf(each, known.get(tenant), undefined));
      }
      return { routed: ready.length, sent: await settleNew(tx, await expandAll(tx, wanted, found)), asking };
    });

  /** Action for which an event waited, or the reason for which its person is not told; undefined for a rule that is gone. */
  const resume = async (
    tx: Tx,
    { tenant, eventId, ruleId, ruleSetVersion, actionIndex, contactMethodId }: waitingEvents.WaitingEvent,
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
    const recipient = await audiences.findAgain(tx, tenant, contactMethodId);
    return recipient
      ? { wanted: [{ ...wanted, recipient }], lost: [] }
      : { wanted: [], lost: [unreachedOf({ event, rule }, GONE, newId)] };
  };

  /** Decides again about events that waited until now, by the rules that matched them. */
  const routeWaiting = (): Promise<Routed> =>
    database.system.write(async (tx) => {
      const dueNow = await waitingEvents.takeDue(tx, BATCH);
      if (dueNow.length === 0) return NOTHING;
      const known = await knowledge.load(tx, tenantsOf(dueNow));
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

  /** Routes what needs no people, finds those of the rest, and routes it. */
  const inPasses = async (route: (found: FoundAudiences) => Promise<Asking>): Promise<Routed> => {
    const first = await route(NO_AUDIENCES);
    if (first.asking.length === 0) return first;
    const second = await route(await findAudiences(first.asking));
    return { routed: first.routed + second.routed, sent: first.sent + second.sent };
  };

  /** Routes what is due once. @returns the number of events */
  return async (): Promise<number> => {
    const fresh = await inPasses(routeNew);
    const later = await routeWaiting();
    const quiet = await inPasses(routeQuiet);
    const grouped = await tellGroups();
    if (fresh.sent + later.sent + quiet.sent + grouped.sent > 0) due.notify();
    return fresh.routed + later.routed + quiet.routed + grouped.routed;
  };
};

export type Router = ReturnType<typeof createRouter>;
