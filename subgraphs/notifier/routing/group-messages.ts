import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as suppressions from '../deliveries/suppressions.store.ts';
import * as events from '../events/events.store.ts';
import type { Audiences, Recipient } from '../people/recipients.ts';
import type { Action, Rule } from '../rules/rule.ts';
import * as rules from '../rules/rules.store.ts';
import { decideGroup, type GroupDecision, type GroupOutcome, type PlacedEvent } from './group-decision.ts';
import * as groupEvents from './group-events.store.ts';
import * as groups from './groups.store.ts';
import type { Batch, Isolation, Routed } from './isolation.ts';
import type { Knowledge, TenantKnowledge } from './knowledge.ts';
import { deliveryOf, ERROR_REASON, GONE, type NewId, type Planned, suppressionOf } from './outcome-rows.ts';
import * as plan from './plan.ts';
import type { Planning, Wanted } from './planning.ts';
import type { RoutingMeters } from './routing-meters.ts';

/** Groups that one transaction decides. */
const BATCH = 20;
/** Pause before a group is tried again whose message met an error. */
const PAUSE_MS = 300_000;

interface GroupMessagesDeps extends Pick<Deps, 'database' | 'clock' | 'log'> {
  readonly knowledge: Knowledge;
  readonly planAll: Planning;
  readonly isolate: Isolation;
  readonly audiences: Pick<Audiences, 'findAgain'>;
  readonly meters: RoutingMeters;
  readonly newId: NewId;
}

/** Group that is decided, with the rule that collects its events. */
interface Decided {
  readonly group: groups.StoredGroup;
  readonly rule: Rule;
  readonly decision: GroupDecision;
  readonly wanted: Wanted | undefined;
  /** Person who is told; undefined where the channel has an address of its own. */
  readonly recipient: Recipient | undefined;
  /** Whether its rule was changed or removed, so that nothing is repeated, or its person is gone. */
  readonly isOver: boolean;
}

const outcomeOf = ({ isOver, group, recipient }: Decided, planned: Planned | undefined): GroupOutcome => {
  const isGone = group.contactMethodId !== null && !recipient;
  if (!planned)
    return isOver ? { kind: 'end', why: isGone ? { ...GONE, policyId: null } : undefined } : { kind: 'none' };
  return planned.outcome.kind === 'send' ? { kind: 'send', deliveryId: planned.deliveryId } : planned.outcome;
};

/** Whether the rules of now collect as those by which a group was made. */
const goesOn = ({ ruleSet }: TenantKnowledge, rule: Rule, actionIndex: number): boolean => {
  const now = ruleSet.rules.find(({ id }) => id === rule.id);
  const placeOf = (each: Rule | undefined): string => {
    const { channelId, recipients, groupBy } = each?.actions[actionIndex] ?? {};
    return JSON.stringify([channelId, recipients, groupBy]);
  };
  return now?.isEnabled === true && placeOf(now) === placeOf(rule);
};

/** Action of a group as it holds for its person: in their zone, and after the wait of their step. */
const actionFor = (action: Action, { waitSeconds }: groups.StoredGroup, recipient: Recipient | undefined): Action => {
  if (!recipient) return action;
  const { digest, groupWaitSeconds } = action;
  return {
    ...action,
    groupWaitSeconds: groupWaitSeconds + waitSeconds,
    ...(digest && { digest: { ...digest, timeZone: recipient.timeZone } }),
  };
};

/** Creates the messages of groups and digests: what is due is decided by the policies of now, under the lock of its row. */
export const createGroupMessages = (deps: GroupMessagesDeps) => {
  const { database, clock, log, knowledge, planAll, isolate, audiences, meters, newId } = deps;

  const membersOf = async (tx: Tx, { tenant, id }: groups.StoredGroup): Promise<PlacedEvent[]> => {
    const members = await groupEvents.listMembers(tx, tenant, id);
    const ids = members.map(({ eventId }) => eventId);
    const found = new Map((await events.listByIds(tx, tenant, ids)).map((event) => [event.id, event]));
    return members.flatMap((member) => {
      const event = found.get(member.eventId);
      return event ? [{ ...member, event }] : [];
    });
  };

  /** Decides a group by the rule that collected its events. The clock of this process may be behind that of the database. */
  const decide = async (
    tx: Tx,
    group: groups.StoredGroup,
    known: TenantKnowledge | undefined,
    now: Date,
  ): Promise<Decided> => {
    const { tenant, ruleId, actionIndex, ruleSetVersion } = group;
    const stored = await rules.findRuleSet(tx, tenant, ruleSetVersion);
    const rule = knowledge.ruleSetOf(stored).rules.find(({ id }) => id === ruleId);
    const stated = rule?.actions[actionIndex];
    if (!rule || !stated || !known) throw new RangeError(`The group ${group.id} has no rule.`);
    const { contactMethodId } = group;
    const recipient = contactMethodId === null ? undefined : await audiences.findAgain(tx, tenant, contactMethodId);
    const members = await membersOf(tx, group);
    const decision = decideGroup(group, actionFor(stated, group, recipient), members, now, (event) =>
      plan.suppressionOf(event, { rule, actionIndex, recipient }, known, now),
    );
    const { message } = decision;
    const isGone = contactMethodId !== null && !recipient;
    const isOver = isGone || (message?.reason === 'repeat' && !goesOn(known, rule, actionIndex));
    if (!message || isOver) return { group, rule, decision, recipient, wanted: undefined, isOver };
    const { event, ...collected } = message;
    const deliveryId = newId('NotificationDelivery');
    const common = { event, rule, actionIndex, deliveryId, ruleSetVersion, knowledge: known, recipient };
    return { group, rule, decision, recipient, wanted: { ...common, collected: { ...collected, group } }, isOver };
  };

  /** Writes the messages of groups, the reasons of what they leave out, and their clocks. @returns the number of messages */
  const settle = async (
    tx: Tx,
    decided: readonly Decided[],
    failed: readonly groups.DecidedGroup[],
  ): Promise<number> => {
    const planned = await planAll(
      tx,
      decided.flatMap(({ wanted }) => wanted ?? []),
    );
    const byGroup = new Map(planned.map((each) => [each.collected?.group.id, each]));
    const sent = planned.flatMap((each) => (each.outcome.kind === 'send' ? [deliveryOf(each, each.outcome)] : []));
    if (sent.length > 0) await deliveries.insertAll(tx, sent);
    await failpoint('notifier.groups.sent');
    const settled = decided.map((each) => ({
      ...each.decision.settle(outcomeOf(each, byGroup.get(each.group.id))),
      rule: each.rule,
      recipient: each.recipient,
      actionIndex: each.group.actionIndex,
      told: each.group.recipient,
    }));
    const suppressed = settled.flatMap(({ suppressed: own, told, ...of }) =>
      // A person who is gone is named all the same.
      own.map(({ event, why }) => ({ ...suppressionOf({ ...of, event }, why, newId), recipient: told })),
    );
    for (const { tenant, policy } of suppressed) meters.suppressed(tenant, policy);
    if (suppressed.length > 0) await suppressions.insertAll(tx, suppressed);
    const places = settled.flatMap(({ places: own }) => own);
    if (places.length > 0) await groupEvents.setPlaces(tx, places);
    await groups.setDecided(tx, [...settled.map(({ group }) => group), ...failed]);
    await failpoint('notifier.groups.decided');
    return sent.length;
  };

  /** Group that failed at a time, as it is tried again. */
  const pausedOf = (group: groups.StoredGroup, now: Date): groups.DecidedGroup => ({
    ...group,
    dueAt: new Date(now.getTime() + PAUSE_MS),
    reason: ERROR_REASON,
    isClosed: false,
  });

  /** Decides the groups that are due once. One that fails is tried again later, and stops no other. */
  const run = ({ limit, taken }: Batch<groups.StoredGroup>): Promise<Routed> =>
    database.system.write(async (tx) => {
      const due = await groups.lockDue(tx, limit);
      taken(due);
      if (due.length === 0) return { routed: 0, sent: 0 };
      const known = await knowledge.load(tx, [...new Set(due.map(({ tenant }) => tenant))]);
      const decided: Decided[] = [];
      const failed: groups.DecidedGroup[] = [];
      for (const group of due) {
        const now = new Date(Math.max(clock.now().getTime(), group.dueAt?.getTime() ?? 0));
        try {
          decided.push(await decide(tx, group, known.get(group.tenant), now));
        } catch (error) {
          log.error({ err: error, group: group.id }, 'notifier.groups');
          failed.push(pausedOf(group, now));
        }
      }
      return { routed: due.length, sent: await settle(tx, decided, failed) };
    });

  const park = async (group: groups.StoredGroup): Promise<void> => {
    await database.system.write((tx) => groups.setDecided(tx, [pausedOf(group, clock.now())]));
  };

  return isolate({ name: 'notifier.groups', limit: BATCH, run, park });
};

export type GroupMessages = ReturnType<typeof createGroupMessages>;
