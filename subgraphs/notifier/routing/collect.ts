import { type Id, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { conditionKey } from '../events/condition-key.ts';
import { isMomentary } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { Recipient } from '../people/recipients.ts';
import { digestKey, placeInDigest } from '../policies/digest.ts';
import { groupKey } from '../policies/grouping.ts';
import type { Action, Rule } from '../rules/rule.ts';
import type { Suppressed } from './group-decision.ts';
import * as groupEvents from './group-events.store.ts';
import * as groups from './groups.store.ts';

/** Members of a group, at most; a message is decided about all of them at once. Ends have room beyond, or what ended would go on. */
const MOST_MEMBERS = 1_000;

const FULL: Suppressed = {
  policy: 'grouping',
  policyId: null,
  reason: `The group has ${MOST_MEMBERS} members already. Its next message tells of these.`,
};

/** Action of a rule that an event is collected for. */
interface Collectable {
  readonly event: StoredEvent;
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly ruleSetVersion: number;
  /** Person who is told; undefined for a channel with an address of its own. */
  readonly recipient?: Recipient | undefined;
}

const after = (time: Date, seconds: number): Date => new Date(time.getTime() + 1_000 * seconds);

/** Group or digest that an action collects events in; undefined for one that tells of each by itself. */
const placeOf = ({ event, rule, actionIndex, ruleSetVersion, recipient }: Collectable, now: Date) => {
  const action = rule.actions[actionIndex];
  if (!action || (!action.digest && action.groupBy.length === 0)) return undefined;
  const { digest, groupWaitSeconds } = action;
  const { methodId, subject = null, timeZone = digest?.timeZone ?? 'UTC', waitSeconds = 0 } = recipient ?? {};
  const common = {
    tenant: event.tenant,
    ruleId: toId(rule.id, 'NotificationRule'),
    actionIndex,
    ruleSetVersion,
    contactMethodId: methodId ?? null,
    recipient: subject,
    waitSeconds: digest ? 0 : waitSeconds,
  };
  return digest
    ? {
        ...common,
        action,
        kind: 'digest' as const,
        key: digestKey(rule, actionIndex, methodId),
        dueAt: placeInDigest(digest, timeZone, null, now).collectsUntil,
        condition: event.id,
      }
    : {
        ...common,
        action,
        kind: 'group' as const,
        key: groupKey(event, rule, actionIndex, methodId),
        dueAt: after(now, groupWaitSeconds + waitSeconds),
        condition: isMomentary(event) ? event.id : conditionKey(event),
      };
};

/** Time at which an open group is decided again since an event joined it; a digest keeps its own. */
const clockOf = (group: groups.StoredGroup, { groupIntervalSeconds, groupWaitSeconds }: Action): Date | null => {
  const { kind, firstAt, toldAt, dueAt, waitSeconds } = group;
  if (kind === 'digest') return dueAt;
  return toldAt ? after(toldAt, groupIntervalSeconds) : after(firstAt, groupWaitSeconds + waitSeconds);
};

const byKey = ({ tenant, key }: { readonly tenant: TenantId; readonly key: string }): string => `${tenant} ${key}`;

/**
 * Puts events into the groups and digests of their actions, under the locks of their rows.
 * @returns what is planned now: actions that tell of each event, and the first of a digest that sends it at once
 */
export const collect = async <W extends Collectable>(
  tx: Tx,
  wanted: readonly W[],
  { now, newGroupId }: { readonly now: Date; readonly newGroupId: () => Id<'NotificationGroup'> },
) => {
  const placed = wanted.map((each) => ({ each, place: placeOf(each, now) }));
  const collected = placed.flatMap(({ each, place }) => (place ? [{ each, place, key: byKey(place) }] : []));
  if (collected.length === 0) return { immediate: wanted, full: [] };
  const rows = new Map(collected.map(({ key, place }) => [key, { ...place, id: newGroupId() }]));
  const open = await groups.openAll(tx, [...rows.values()]);
  await failpoint('notifier.groups.opened');
  const found = new Map(open.map((group) => [byKey(group), group]));
  const sizes = new Map((await groupEvents.listSizes(tx, open)).map(({ groupId, size }) => [groupId, size]));
  /** Digests that begin with an event that is sent at once. */
  const begun = new Set(
    collected
      .filter(({ key, place }) => found.get(key)?.id === rows.get(key)?.id && place.action.digest?.sendsFirst)
      .map(({ key }) => key),
  );
  const immediate = placed.filter(({ place }) => !place).map(({ each }) => each);
  const full: (W & { readonly suppressed: Suppressed })[] = [];
  const joining: groupEvents.NewGroupEvent[] = [];
  const clocks = new Map<string, Parameters<typeof groups.bringForward>[1][number]>();
  for (const { each, place, key } of collected) {
    const group = found.get(key);
    if (!group) throw new RangeError(`The group ${key} was not opened.`);
    const { tenant, id } = group;
    const size = sizes.get(id) ?? 0;
    if (begun.delete(key)) immediate.push(each);
    else if (size >= (each.event.status === 'resolved' ? 2 * MOST_MEMBERS : MOST_MEMBERS))
      full.push({ ...each, suppressed: FULL });
    else {
      sizes.set(id, size + 1);
      joining.push({ tenant, groupId: id, eventId: each.event.id, condition: place.condition });
      clocks.set(key, { tenant, id, dueAt: clockOf(group, place.action) });
    }
  }
  if (joining.length > 0) await groupEvents.insertAll(tx, joining);
  if (clocks.size > 0) await groups.bringForward(tx, [...clocks.values()]);
  return { immediate, full };
};
