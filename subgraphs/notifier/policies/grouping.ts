import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { NotificationEvent, Status } from '../events/event.ts';
import { encodeValues } from '../rules/path.ts';
import type { Action, Rule } from '../rules/rule.ts';

/**
 * Key of the group of an event for one action of a rule: the same for the same values at `groupBy`. 64 hex digits. Each contact
 * method has a group of its own.
 */
export const groupKey = (event: NotificationEvent, rule: Rule, actionIndex: number, methodId?: string): string => {
  const paths = rule.actions[actionIndex]?.groupBy ?? [];
  const named = methodId ? [methodId] : [];
  return sha256Hex(JSON.stringify(['group', rule.id, actionIndex, paths, encodeValues(event, paths), ...named]));
};

/** Condition in a group. */
export interface Member {
  /** Key of the condition, which is the same for its firing and its end. */
  readonly key: string;
  readonly status: Status;
  /** Whether the event has no duration: it is told once, never repeated and never resolved. */
  readonly isMomentary: boolean;
}

/** Group of events of one action that are told together. */
export interface Group {
  readonly firstAt: Date;
  readonly members: readonly Member[];
  /** Last message: its time, and the keys of the conditions that it said were firing. Null before the first. */
  readonly told: { readonly at: Date; readonly firing: readonly string[] } | null;
}

/** Reason of a message of a group. Escalations and tests have reasons of their own. */
type GroupReason = 'first' | 'new_members' | 'repeat' | 'resolved';

/** Message that a group will send unless it changes before. */
interface GroupMessage {
  readonly reason: GroupReason;
  readonly dueAt: Date;
}

type Timing = Pick<Action, 'groupWaitSeconds' | 'groupIntervalSeconds' | 'repeatIntervalSeconds'>;

const after = (time: Date, seconds: number): Date => new Date(time.getTime() + 1_000 * seconds);

/** Next message of a group with the time at which it is due; null for a group that has nothing to tell. */
export const nextMessage = ({ firstAt, members, told }: Group, timing: Timing): GroupMessage | null => {
  const open = members.filter(({ status }) => status !== 'resolved');
  if (!told) return open.length > 0 ? { reason: 'first', dueAt: after(firstAt, timing.groupWaitSeconds) } : null;
  const wasTold = new Set(told.firing);
  const changesAt = after(told.at, timing.groupIntervalSeconds);
  if (open.some(({ key }) => !wasTold.has(key))) return { reason: 'new_members', dueAt: changesAt };
  if (members.some(({ key, status }) => status === 'resolved' && wasTold.has(key)))
    return { reason: 'resolved', dueAt: changesAt };
  // A group that somebody acknowledged is being worked on.
  if (!open.some(({ status, isMomentary }) => status === 'firing' && !isMomentary)) return null;
  const { repeatIntervalSeconds, groupIntervalSeconds } = timing;
  return { reason: 'repeat', dueAt: after(told.at, Math.max(repeatIntervalSeconds, groupIntervalSeconds)) };
};

/** Group after its message: what ended or has no duration has left it. */
export const afterMessage = ({ firstAt, members }: Group, at: Date): Group => {
  const staying = members.filter(({ status, isMomentary }) => status !== 'resolved' && !isMomentary);
  return { firstAt, members: staying, told: { at, firing: staying.map(({ key }) => key) } };
};

/**
 * Time at which a group may be forgotten; null for one that has members. A group outlives its last message by the group
 * interval, so that a new member does not begin another one at once.
 */
export const closesAt = ({ members, told, firstAt }: Group, { groupIntervalSeconds }: Timing): Date | null => {
  if (members.length > 0) return null;
  return told ? after(told.at, groupIntervalSeconds) : firstAt;
};
