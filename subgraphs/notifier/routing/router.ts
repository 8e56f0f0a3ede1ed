import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as conditions from '../events/conditions.store.ts';
import * as events from '../events/events.store.ts';
import type { Signal } from '../shared/signal.ts';
import { type FindAudiences, type FoundAudiences, NO_AUDIENCES, type PeopleAction, tellsPeople } from './audience.ts';
import { collect } from './collect.ts';
import { endFlapping, type Flapping, recordConditions } from './flapping.ts';
import type { GroupMessages } from './group-messages.ts';
import type { Batch, Isolation, Routed } from './isolation.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { type NewId, parkedOf, suppressionOf, unreachedOf } from './outcome-rows.ts';
import { ownerActionsOf } from './owner-rule.ts';
import { actionsOf, suppressionOf as suppressionFor } from './plan.ts';
import type { Wanted } from './planning.ts';
import type { Resumption } from './resumption.ts';
import type { RoutingMeters } from './routing-meters.ts';
import type { RoutingSettlement } from './routing-settlement.ts';

/** Events that one transaction routes. */
const BATCH = 200;
/** Events of one tenant among them. */
const BATCH_OF_TENANT = 100;

/** Actions whose events are left until their people are found. */
interface Asking extends Routed {
  readonly asking: readonly PeopleAction[];
}

/** Event with the actions that it matches. */
interface Matched {
  readonly event: events.StoredEvent;
  readonly actions: readonly Pick<Wanted, 'rule' | 'actionIndex'>[];
}

const NOTHING: Asking = { routed: 0, sent: 0, asking: [] };

interface RouterDeps extends Pick<Deps, 'database' | 'clock'> {
  readonly knowledge: Knowledge;
  readonly settlement: RoutingSettlement;
  readonly isolate: Isolation;
  readonly resumeWaiting: Resumption;
  readonly tellGroups: GroupMessages;
  readonly findAudiences: FindAudiences;
  readonly meters: RoutingMeters;
  readonly newId: NewId;
  /** Notified once deliveries are due. */
  readonly due: Signal;
}

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
  const {
    database,
    clock,
    knowledge,
    settlement,
    isolate,
    resumeWaiting,
    tellGroups,
    findAudiences,
    meters,
    newId,
    due,
  } = deps;
  const { suppress, settle } = settlement;

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
  const routeNew = (found: FoundAudiences, { limit, taken }: Batch<events.StoredEvent>): Promise<Asking> =>
    database.system.write(async (tx) => {
      const unrouted = await events.lockUnrouted(tx, { total: limit, perTenant: Math.min(limit, BATCH_OF_TENANT) });
      taken(unrouted);
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
  const routeQuiet = (found: FoundAudiences, { limit, taken }: Batch<conditions.StoredCondition>): Promise<Asking> =>
    database.system.write(async (tx) => {
      const rows = await conditions.lockQuiet(tx, limit);
      taken(rows);
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

  /** Routes what needs no people, finds those of the rest, and routes it. */
  const inPasses =
    <Row>(route: (found: FoundAudiences, batch: Batch<Row>) => Promise<Asking>) =>
    async (batch: Batch<Row>): Promise<Routed> => {
      const first = await route(NO_AUDIENCES, batch);
      if (first.asking.length === 0) return first;
      const second = await route(await findAudiences(first.asking), batch);
      return { routed: first.routed + second.routed, sent: first.sent + second.sent };
    };

  /** Marks an event as routed whose routing fails for good. */
  const parkEvent = (event: events.StoredEvent): Promise<void> =>
    database.system.write(async (tx) => {
      await suppress(tx, [parkedOf(event.tenant, event.id, newId)]);
      await events.setRouted(tx, [{ tenant: event.tenant, id: event.id, ruleSetVersion: null }]);
    });

  /** Ends the flapping of a condition whose last event cannot be told. */
  const parkCondition = (row: conditions.StoredCondition): Promise<void> =>
    database.system.write(async (tx) => {
      await suppress(tx, [parkedOf(row.tenant, row.eventId, newId)]);
      await conditions.setAll(tx, [{ ...row, changedAt: [], dueAt: null }]);
    });

  const fresh = isolate({ name: 'notifier.routing', limit: BATCH, run: inPasses(routeNew), park: parkEvent });
  const quiet = isolate({ name: 'notifier.routing', limit: BATCH, run: inPasses(routeQuiet), park: parkCondition });

  /** Routes what is due once. @returns the number of events */
  return async (): Promise<number> => {
    let [routed, sent] = [0, 0];
    for (const turn of [fresh, resumeWaiting, quiet, tellGroups]) {
      const done = await turn();
      routed += done.routed;
      sent += done.sent;
    }
    if (sent > 0) due.notify();
    return routed;
  };
};

export type Router = ReturnType<typeof createRouter>;
