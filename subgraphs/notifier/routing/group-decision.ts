import { isMomentary, SEVERITIES } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import { closeDigest } from '../policies/digest.ts';
import { afterMessage, closesAt, type Group, type Member, nextMessage } from '../policies/grouping.ts';
import type { Action } from '../rules/rule.ts';
import type { Reason } from '../templates/context.ts';
import type { GroupEvent } from './group-events.store.ts';
import type { StoredGroup } from './groups.store.ts';

/** Event of a group with its place there. */
export interface PlacedEvent extends GroupEvent {
  readonly event: StoredEvent;
}

/** Reason for which an event is not told. */
export interface Suppressed {
  readonly policy: string;
  readonly policyId: string | null;
  readonly reason: string;
}

/** Condition with its events in a group, of which the newest counts. */
interface Condition {
  readonly key: string;
  readonly events: readonly PlacedEvent[];
  readonly newest: PlacedEvent;
  readonly wasTold: boolean;
}

/** Outcome of the message of a group: `none` if it was not due, `end` if there will be no more. */
export type GroupOutcome =
  | { readonly kind: 'send'; readonly deliveryId: NonNullable<GroupEvent['deliveryId']> }
  | { readonly kind: 'hold'; readonly until: Date; readonly reason: string }
  | ({ readonly kind: 'suppress' } & Suppressed)
  | { readonly kind: 'none' }
  /** `why` is the reason for the events that were not told. */
  | { readonly kind: 'end'; readonly why: Suppressed | undefined };

const memberOf = ({ key, newest }: Condition): Member => ({
  key,
  status: newest.event.status,
  isMomentary: isMomentary(newest.event),
});

const conditionsOf = (events: readonly PlacedEvent[]): Condition[] =>
  [...Map.groupBy(events, ({ condition }) => condition)].flatMap(([key, own]) => {
    const newest = own.at(-1);
    return newest ? [{ key, events: own, newest, wasTold: own.some(({ isTold }) => isTold) }] : [];
  });

const firstIn = (conditions: readonly Condition[], reason: Reason): StoredEvent | undefined =>
  conditions
    .map(({ newest }) => newest.event)
    .filter(({ status }) => reason === 'digest' || (status === 'resolved') === (reason === 'resolved'))
    .toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || (a.id < b.id ? 1 : -1))[0];

/** Newest event of each condition, the oldest first. */
const membersOf = (conditions: readonly Condition[]): StoredEvent[] =>
  conditions.map(({ newest }) => newest.event).toSorted((a, b) => (a.id < b.id ? -1 : 1));

const isPending = ({ deliveryId, isSuppressed }: GroupEvent): boolean => deliveryId === null && !isSuppressed;

/** Reason for the events of a condition that ended before anybody was told that it began. */
const ENDED: Suppressed = {
  policy: 'grouping',
  policyId: null,
  reason: 'It ended before the message of its group was due.',
};

/** Outcome of a condition and its events. */
interface Fate {
  /** Whether the newest of its events stays in the group. */
  readonly stays: boolean;
  readonly isTold: boolean;
  /** Message that told those of its events that were not told before. */
  readonly deliveryId?: GroupEvent['deliveryId'];
  /** Reason for which they are not told. */
  readonly why?: Suppressed;
}

/**
 * Fate of a condition whose message is not due. Another event of what was told and goes on says nothing new: the message
 * that told the one before told it. Others wait.
 */
const waitingFate = ({ events, wasTold }: Condition): Fate => {
  const isSame = wasTold && events.every(({ event }) => event.status === 'firing');
  const told = isSame ? events.find(({ isTold }) => isTold)?.deliveryId : undefined;
  return { stays: true, isTold: wasTold, deliveryId: told ?? null };
};

/** Places of the events of a condition. Those that wait for a message all stay. */
const placesOf = ({ events, newest }: Condition, { stays, isTold, deliveryId, why }: Fate): PlacedEvent[] => {
  const isDecided = deliveryId !== null;
  return events.map((each) => ({
    ...each,
    isMember: stays && (each === newest || !isDecided),
    isTold: isDecided ? stays && isTold && each === newest : each.isTold,
    deliveryId: each.deliveryId ?? deliveryId ?? null,
    isSuppressed: each.isSuppressed || (why !== undefined && each.deliveryId === null),
  }));
};

/**
 * Decides a group or digest at a time: which of its events are suppressed, and whether a message is due.
 * @param suppressionOf reason for which an event is not told now
 */
export const decideGroup = (
  group: StoredGroup,
  action: Action,
  events: readonly PlacedEvent[],
  now: Date,
  suppressionOf: (event: StoredEvent) => Suppressed | undefined,
) => {
  const isDigest = group.kind === 'digest';
  const conditions = conditionsOf(events);
  const hidden = new Map<Condition, Suppressed>();
  for (const condition of conditions) {
    const { newest, wasTold } = condition;
    const hasEnded = !isDigest && newest.event.status === 'resolved' && !wasTold;
    const why = hasEnded ? ENDED : suppressionOf(newest.event);
    if (why) hidden.set(condition, why);
  }
  const visible = conditions.filter((each) => !hidden.has(each));
  const groupOf = (members: readonly Condition[], toldAt = group.toldAt): Group => ({
    firstAt: group.firstAt,
    members: members.map(memberOf),
    told: toldAt && { at: toldAt, firing: members.filter(({ wasTold }) => wasTold).map(({ key }) => key) },
  });
  const nextOf = (members: readonly Condition[]): { readonly reason: Reason; readonly dueAt: Date } | null => {
    if (!isDigest) return nextMessage(groupOf(members), action);
    return members.length > 0 ? { reason: 'digest', dueAt: now } : null;
  };
  const next = nextOf(visible);
  const reason = next && next.dueAt <= now ? next.reason : undefined;
  const event = reason && firstIn(visible, reason);
  const whole = nextOf(conditions);
  const isRepeat = whole?.reason === 'repeat' && whole.dueAt <= now;

  const clockOf = (staying: readonly Condition[], toldAt: Date | null, outcome: GroupOutcome): Date | null => {
    if (outcome.kind === 'hold') return outcome.until;
    if (isDigest && action.digest)
      return closeDigest(action.digest, action.digest.timeZone, outcome.kind === 'send' ? visible.length : 0, now)
        .collectsUntil;
    const state = groupOf(staying, toldAt);
    const following = nextMessage(state, action);
    if (!following) {
      const closing = closesAt(state, action);
      return closing && closing > now ? closing : null;
    }
    // Suppressed conditions are looked at again after the group interval: their silence may be over.
    return following.dueAt > now ? following.dueAt : new Date(now.getTime() + 1_000 * action.groupIntervalSeconds);
  };

  return {
    /** Message that is due. Its event is the most severe, and of those the newest: it gives the title. */
    message: reason && event && { reason, event, members: membersOf(visible) },

    /** State of the group and its events after what became of the message. */
    settle(outcome: GroupOutcome) {
      const goesOn = new Set(afterMessage(groupOf(conditions), now).told?.firing);
      const fateOf = (condition: Condition): Fate => {
        const stays = !isDigest && outcome.kind !== 'end' && goesOn.has(condition.key);
        if (outcome.kind === 'end') return { stays, isTold: false, ...(outcome.why && { why: outcome.why }) };
        const why = hidden.get(condition) ?? (outcome.kind === 'suppress' ? outcome : undefined);
        if (why) return { stays, isTold: condition.wasTold, why };
        if (outcome.kind === 'send') return { stays, isTold: stays, deliveryId: outcome.deliveryId };
        return waitingFate(condition);
      };
      const fates = conditions.map((condition) => ({ condition, fate: fateOf(condition) }));
      const suppressed = fates.flatMap(({ condition: { events: own, newest }, fate: { why } }) =>
        own
          .filter((each) => isPending(each) || (isRepeat && each === newest))
          .flatMap(({ event: of }) => (why ? [{ event: of, why }] : [])),
      );
      const staying = fates.flatMap(({ condition, fate: { stays, isTold } }) =>
        stays ? [{ ...condition, wasTold: isTold }] : [],
      );
      // A reminder that was suppressed had its turn.
      const hadTurn = outcome.kind === 'send' || (isRepeat && outcome.kind !== 'hold' && suppressed.length > 0);
      const toldAt = hadTurn ? now : group.toldAt;
      const dueAt = clockOf(staying, toldAt, outcome);
      const { tenant, id } = group;
      const kept = outcome.kind === 'hold' || outcome.kind === 'suppress' ? outcome : suppressed[0]?.why;
      const isClosed = dueAt === null && staying.length === 0;
      return {
        places: fates.flatMap(({ condition, fate }) => placesOf(condition, fate)),
        suppressed,
        group: { tenant, id, toldAt, dueAt, reason: kept?.reason ?? null, isClosed },
      };
    },
  };
};

export type GroupDecision = ReturnType<typeof decideGroup>;
