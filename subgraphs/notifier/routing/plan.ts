import type { StoredEvent } from '../events/events.store.ts';
import type { Recipient } from '../people/recipients.ts';
import { type Decision, decide, type PolicySnapshot } from '../policies/decision.ts';
import { throttleKey } from '../policies/throttle.ts';
import { durationInWords } from '../policies/wall-clock.ts';
import type { Rule } from '../rules/rule.ts';
import type { Reason } from '../templates/context.ts';
import type { Flapping } from './flapping.ts';
import type { Suppressed } from './group-decision.ts';
import type { StoredGroup } from './groups.store.ts';
import type { TenantKnowledge } from './knowledge.ts';
import { type Message, messageOf } from './message.ts';

/** Plan of what becomes of an event for one action of a rule. */
export interface PlannedAction {
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly channelId: string | undefined;
  readonly outcome:
    | {
        readonly kind: 'send';
        readonly message: Extract<Message, { kind: 'message' }>;
        readonly reason: Reason;
        readonly templateKey: string;
        readonly throttle: Throttled | null;
      }
    | {
        readonly kind: 'hold';
        readonly until: Date;
        readonly policy: string;
        readonly policyId: string;
        readonly reason: string;
      }
    | { readonly kind: 'suppress'; readonly policy: string; readonly policyId: string | null; readonly reason: string };
}

/** Count that a message adds to. */
interface Throttled {
  readonly key: string;
  readonly windowSeconds: number;
}

export interface Moment {
  readonly now: Date;
  readonly baseUrl: string;
  /** Messages in the current windows by throttle key. */
  readonly counts: ReadonlyMap<string, number>;
  /** Called with the duration of a rendering, in milliseconds. */
  readonly rendered: (ms: number) => void;
}

/** Message about several events. */
export interface Collected {
  readonly group: Pick<StoredGroup, 'id' | 'kind' | 'key'>;
  readonly reason: Reason;
  readonly members: readonly StoredEvent[];
}

/** Action that is to be planned, with the id that its delivery would have. */
interface WantedAction {
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly deliveryId: string;
  /** Undefined for a message about one event. */
  readonly collected?: Collected | undefined;
  /** Undefined for an event whose condition no policy watches. */
  readonly flapping?: Flapping | undefined;
  /** Person who is told; undefined for a channel with an address of its own. */
  readonly recipient?: Recipient | undefined;
}

/** Template of digests. */
const DIGEST_KEY = 'digest';

/** State of a tenant that decisions depend on. */
const snapshotOf = (
  { policies, firing }: TenantKnowledge,
  { rule, actionIndex, flapping, recipient }: Pick<WantedAction, 'rule' | 'actionIndex' | 'flapping' | 'recipient'>,
  { now, counts }: Pick<Moment, 'now' | 'counts'>,
): PolicySnapshot => {
  const channelId = recipient?.channelId ?? rule.actions[actionIndex]?.channelId ?? '';
  const own = policies.quietHours.get(channelId) ?? [];
  return {
    now,
    timeZone: recipient?.timeZone ?? 'UTC',
    policies,
    firing,
    quietHours: recipient?.quietHours ? [...own, recipient.quietHours] : own,
    flapping: flapping ?? null,
    methodId: recipient?.methodId,
    counts,
  };
};

/** Reason for which an event would not be told now, however few messages there were. */
export const suppressionOf = (
  event: StoredEvent,
  wanted: Pick<WantedAction, 'rule' | 'actionIndex' | 'flapping' | 'recipient'>,
  knowledge: TenantKnowledge,
  now: Date,
): Suppressed | undefined => {
  const snapshot = snapshotOf(knowledge, wanted, { now, counts: new Map() });
  const decision = decide(event, wanted.rule, wanted.actionIndex, snapshot);
  if (decision.kind !== 'suppress') return undefined;
  const { policy, reason } = decision;
  return { policy: policy.kind, policyId: policy.id, reason };
};

/** Policy of a step of a person's list that is not the first. */
export const STEP = 'contact_step';

/**
 * Outcome of a later step of a person: it is told once its wait is over, of beginnings only. Undefined for a first step, and for
 * a message about several events, which waits by its group.
 */
const stepOf = (
  { status }: StoredEvent,
  { recipient, collected }: Pick<WantedAction, 'recipient' | 'collected'>,
  now: Date,
): PlannedAction['outcome'] | undefined => {
  if (!recipient || collected || recipient.waitSeconds === 0) return undefined;
  const { name, methodId, waitSeconds } = recipient;
  const facts = { policy: STEP, policyId: methodId };
  if (status !== 'firing') {
    const reason = `A later step of ${name}: the first one tells what is over or acknowledged.`;
    return { kind: 'suppress', ...facts, reason };
  }
  const wait = durationInWords(waitSeconds);
  const reason = `A later step of ${name}: it is told after ${wait}, unless it is over or acknowledged by then.`;
  return { kind: 'hold', until: new Date(now.getTime() + 1_000 * waitSeconds), ...facts, reason };
};

/** Outcome of a policy that keeps a message back. */
const keptOf = (decision: Exclude<Decision, { kind: 'send' }>): PlannedAction['outcome'] => {
  const { policy, reason } = decision;
  const facts = { policy: policy.kind, policyId: policy.id, reason };
  return decision.kind === 'hold' ? { kind: 'hold', until: decision.until, ...facts } : { kind: 'suppress', ...facts };
};

/** Plans one action of a rule that an event matched. Of several events it is the one that the policies decide by. */
export const planAction = (
  event: StoredEvent,
  wanted: WantedAction,
  knowledge: TenantKnowledge,
  { now, baseUrl, counts, rendered }: Moment,
): PlannedAction => {
  const { rule, actionIndex, deliveryId, collected, flapping, recipient } = wanted;
  const action = rule.actions[actionIndex];
  if (!action) throw new RangeError(`Rule ${rule.id} has no action ${actionIndex}.`);
  const channelId = recipient?.channelId ?? action.channelId;
  const planned = (outcome: PlannedAction['outcome']): PlannedAction => ({ rule, actionIndex, channelId, outcome });
  const channelType = channelId === undefined ? undefined : knowledge.channelTypes.get(channelId);
  if (channelId === undefined || !channelType)
    return planned({
      kind: 'suppress',
      policy: 'channel_removed',
      policyId: channelId ?? null,
      reason: 'The channel was removed.',
    });
  const decision = decide(event, rule, actionIndex, snapshotOf(knowledge, wanted, { now, counts }));
  const kept = decision.kind === 'send' ? stepOf(event, wanted, now) : keptOf(decision);
  if (kept) return planned(kept);
  const started = flapping?.effect === 'started' ? 'flapping' : undefined;
  const reason = collected?.reason ?? started ?? (event.status === 'resolved' ? 'resolved' : 'first');
  const templateKey = collected?.group.kind === 'digest' ? DIGEST_KEY : action.templateKey;
  const message = messageOf(knowledge, {
    event,
    members: collected?.members,
    addressee: { deliveryId, ruleId: rule.id, channelId, groupKey: collected?.group.key ?? null },
    channelType,
    action: { ...action, templateKey },
    reason,
    baseUrl,
    recipient,
    rendered,
  });
  if (message.kind === 'none')
    return planned({ kind: 'suppress', policy: message.policy, policyId: templateKey, reason: message.reason });
  const key = throttleKey(event, rule, actionIndex, recipient?.methodId);
  const throttle = key === undefined || !action.throttle ? null : { key, windowSeconds: action.throttle.windowSeconds };
  return planned({ kind: 'send', message, reason, templateKey, throttle });
};

/** Actions of the rules that an event matches, in their order. */
export const actionsOf = (event: StoredEvent, { ruleSet }: Pick<TenantKnowledge, 'ruleSet'>) =>
  ruleSet
    .evaluate(event)
    .matched.flatMap((rule) => rule.actions.map((_action, actionIndex) => ({ rule, actionIndex })));
