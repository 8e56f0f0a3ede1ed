import type { NotificationEvent } from '../events/event.ts';
import { matchesAll } from '../rules/matcher.ts';
import type { Action, Rule } from '../rules/rule.ts';
import type { FlappingEffect, FlappingPolicy } from './flapping.ts';
import { type CompiledInhibition, compileInhibition, type Inhibition } from './inhibition.ts';
import { type QuietHours, quietInterval } from './quiet-hours.ts';
import type { Maintenance, Silence } from './silence.ts';
import { throttleKey } from './throttle.ts';
import { isInInterval, nextChange, type TimeInterval } from './time-interval.ts';
import { durationInWords, timeInWords } from './wall-clock.ts';

/** Policies of a tenant as they are stored and pinned to an event. */
export interface Policies {
  readonly maintenance: readonly Maintenance[];
  readonly silences: readonly Silence[];
  readonly inhibitions: readonly Inhibition[];
  readonly timeIntervals: readonly TimeInterval[];
  readonly flapping: readonly FlappingPolicy[];
  /** Quiet hours of channels. */
  readonly quietHours: readonly (QuietHours & { readonly channelId: string })[];
}

interface CompiledWindow<W> {
  readonly window: W;
  readonly endsAt: Date;
  readonly applies: (event: NotificationEvent, now: Date) => boolean;
}

/** Flapping policy with the events that it applies to. */
export interface CompiledFlapping {
  readonly policy: FlappingPolicy;
  readonly applies: (event: NotificationEvent) => boolean;
}

/** Policies that are ready to be applied. */
export interface CompiledPolicies {
  readonly maintenance: readonly CompiledWindow<Maintenance>[];
  readonly silences: readonly CompiledWindow<Silence>[];
  readonly inhibitions: readonly CompiledInhibition[];
  readonly timeIntervals: ReadonlyMap<string, TimeInterval>;
  readonly flapping: readonly CompiledFlapping[];
  /** Quiet hours by the channel's id. */
  readonly quietHours: ReadonlyMap<string, readonly QuietHours[]>;
}

/** State of a tenant that a decision depends on besides the event and its rule. */
export interface PolicySnapshot {
  readonly now: Date;
  /** Zone of the times in reasons. */
  readonly timeZone: string;
  readonly policies: CompiledPolicies;
  /** Events that fire now: sources of inhibitions. */
  readonly firing: readonly NotificationEvent[];
  /** Quiet hours of the channel and of the person who would be told. */
  readonly quietHours: readonly QuietHours[];
  /** Flapping policy of the event's group with what the event's status did to it; null where none applies. */
  readonly flapping: { readonly policy: FlappingPolicy; readonly effect: FlappingEffect } | null;
  /** Contact method of the person who would be told; undefined for a channel with an address of its own. */
  readonly methodId?: string | undefined;
  /** Messages in the current window by {@link throttleKey}. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Policy that decided, with the name that people gave it. */
interface PolicyReference {
  readonly kind:
    | 'maintenance'
    | 'silence'
    | 'inhibition'
    | 'flapping'
    | 'muted_interval'
    | 'active_interval'
    | 'quiet_hours'
    | 'throttle';
  readonly id: string;
  readonly name: string;
}

/** Outcome of an event for one action of a rule. `reason` is a sentence for people. */
export type Decision =
  | { readonly kind: 'send' }
  /** Decided again at `until`. */
  | { readonly kind: 'hold'; readonly until: Date; readonly policy: PolicyReference; readonly reason: string }
  | { readonly kind: 'suppress'; readonly policy: PolicyReference; readonly reason: string };

const compileWindow = <W extends Maintenance>(window: W): CompiledWindow<W> => {
  const matches = matchesAll(window.matchers);
  const [start, end] = [Date.parse(window.startsAt), Date.parse(window.endsAt)];
  return {
    window,
    endsAt: new Date(end),
    applies: (event, now) => start <= now.getTime() && now.getTime() < end && matches(event),
  };
};

export const compilePolicies = (policies: Policies): CompiledPolicies => ({
  maintenance: policies.maintenance.map(compileWindow),
  silences: policies.silences.map(compileWindow),
  inhibitions: policies.inhibitions.map(compileInhibition),
  timeIntervals: new Map(policies.timeIntervals.map((interval) => [interval.id, interval])),
  flapping: policies.flapping.map((policy) => ({ policy, applies: matchesAll(policy.matchers) })),
  quietHours: Map.groupBy(policies.quietHours, ({ channelId }) => channelId),
});

interface Case {
  readonly event: NotificationEvent;
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly action: Action;
  readonly snapshot: PolicySnapshot;
}

const inWords = (time: Date, { now, timeZone }: PolicySnapshot): string => timeInWords(time, now, timeZone);

const suppress = (
  kind: PolicyReference['kind'],
  { id, name }: { readonly id: string; readonly name: string },
  reason: string,
): Decision => ({ kind: 'suppress', policy: { kind, id, name }, reason });

/** Time window that applies, of those that apply the one that ends last. */
const lastToEnd = <W>(
  windows: readonly CompiledWindow<W>[],
  { event, snapshot }: Case,
): CompiledWindow<W> | undefined =>
  windows
    .filter(({ applies }) => applies(event, snapshot.now))
    .reduce<CompiledWindow<W> | undefined>(
      (last, each) => (last && last.endsAt >= each.endsAt ? last : each),
      undefined,
    );

const maintained = (asked: Case): Decision | undefined => {
  const found = asked.event.status === 'firing' ? lastToEnd(asked.snapshot.policies.maintenance, asked) : undefined;
  if (!found) return undefined;
  const until = inWords(found.endsAt, asked.snapshot);
  return suppress('maintenance', found.window, `Maintenance until ${until}: ${found.window.name}`);
};

const silenced = (asked: Case): Decision | undefined => {
  const found = lastToEnd(asked.snapshot.policies.silences, asked);
  if (!found) return undefined;
  const { createdBy, reason } = found.window;
  const until = inWords(found.endsAt, asked.snapshot);
  return suppress('silence', found.window, `Silenced until ${until} by ${createdBy}: ${reason}`);
};

const inhibited = ({ event, snapshot }: Case): Decision | undefined => {
  for (const { inhibition, sourceOf } of snapshot.policies.inhibitions) {
    const source = sourceOf(event, snapshot.firing);
    if (!source) continue;
    const since = inWords(source.at, snapshot);
    const reason = `Inhibited by ${inhibition.name}: ${source.kind} of ${source.producer} fires since ${since}`;
    return suppress('inhibition', inhibition, reason);
  }
  return undefined;
};

const flaps = ({ snapshot: { flapping } }: Case): Decision | undefined => {
  if (flapping?.effect !== 'continues') return undefined;
  const { policy } = flapping;
  const window = durationInWords(policy.windowSeconds);
  const quiet = durationInWords(policy.quietSeconds);
  const reason = `Flapping (${policy.name}): ${policy.minChanges} changes in ${window}. Told once, and again after ${quiet} without a change`;
  return suppress('flapping', policy, reason);
};

/** Holds until an interval begins or ends; suppresses where it does neither within a year. */
const holdFor = (
  kind: PolicyReference['kind'],
  interval: TimeInterval,
  snapshot: PolicySnapshot,
  state: string,
): Decision => {
  const until = nextChange(interval, snapshot.now);
  if (!until) return suppress(kind, interval, `${state} for the whole coming year`);
  const { id, name } = interval;
  return { kind: 'hold', until, policy: { kind, id, name }, reason: `${state} until ${inWords(until, snapshot)}` };
};

const muted = ({ action, snapshot }: Case): Decision | undefined => {
  const intervals = action.mutedDuring.flatMap((id) => snapshot.policies.timeIntervals.get(id) ?? []);
  const found = intervals.find((interval) => isInInterval(interval, snapshot.now));
  return found && holdFor('muted_interval', found, snapshot, `Muted during ${found.name}`);
};

const inactive = ({ action, snapshot }: Case): Decision | undefined => {
  const intervals = action.activeDuring.flatMap((id) => snapshot.policies.timeIntervals.get(id) ?? []);
  if (intervals.some((interval) => isInInterval(interval, snapshot.now))) return undefined;
  const decisions = intervals.map((interval) =>
    holdFor('active_interval', interval, snapshot, `Outside ${interval.name}, which is not active`),
  );
  const holds = decisions.flatMap((decision) => (decision.kind === 'hold' ? [decision] : []));
  return holds.toSorted((a, b) => a.until.getTime() - b.until.getTime())[0] ?? decisions[0];
};

const quiet = ({ event, snapshot }: Case): Decision | undefined => {
  if (event.severity === 'critical') return undefined;
  const intervals = snapshot.quietHours.map(quietInterval);
  const found = intervals.find((interval) => isInInterval(interval, snapshot.now));
  return found && holdFor('quiet_hours', found, snapshot, `Quiet hours of ${found.name}`);
};

const throttled = ({ event, rule, actionIndex, action, snapshot }: Case): Decision | undefined => {
  const key = throttleKey(event, rule, actionIndex, snapshot.methodId);
  if (key === undefined || !action.throttle) return undefined;
  const { max, windowSeconds } = action.throttle;
  if ((snapshot.counts.get(key) ?? 0) < max) return undefined;
  const limit = `${max} ${max === 1 ? 'message' : 'messages'} in ${durationInWords(windowSeconds)}`;
  return suppress('throttle', rule, `Throttled by the rule ${rule.name}: ${limit} at most`);
};

/** Policies in the order in which they are asked: what suppresses, what holds, what counts. */
const ORDER = [maintained, silenced, inhibited, flaps, muted, inactive, quiet, throttled] as const;

/**
 * Decides what becomes of an event for one action of a rule that it matched. The first policy that applies answers.
 * @param actionIndex place of the action in the rule; a place without an action is a bug
 */
export const decide = (
  event: NotificationEvent,
  rule: Rule,
  actionIndex: number,
  snapshot: PolicySnapshot,
): Decision => {
  const action = rule.actions[actionIndex];
  if (!action) throw new RangeError(`Rule ${rule.id} has no action ${actionIndex}`);
  const asked = { event, rule, actionIndex, action, snapshot };
  for (const ask of ORDER) {
    const decision = ask(asked);
    if (decision) return decision;
  }
  return { kind: 'send' };
};
