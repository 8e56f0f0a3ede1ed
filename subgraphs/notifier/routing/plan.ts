import type { StoredEvent } from '../events/events.store.ts';
import { decide } from '../policies/decision.ts';
import { throttleKey } from '../policies/throttle.ts';
import type { Rule } from '../rules/rule.ts';
import type { TenantKnowledge } from './knowledge.ts';
import { type Message, messageOf } from './message.ts';

/** Plan of what becomes of an event for one action of a rule. */
export interface PlannedAction {
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly channelId: string;
  readonly outcome:
    | {
        readonly kind: 'send';
        readonly message: Extract<Message, { kind: 'message' }>;
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

interface Moment {
  readonly now: Date;
  readonly baseUrl: string;
  /** Events that fire now: sources of inhibitions. */
  readonly firing: readonly StoredEvent[];
  /** Messages in the current windows by throttle key. */
  readonly counts: ReadonlyMap<string, number>;
  /** Called with the duration of a rendering, in milliseconds. */
  readonly rendered: (ms: number) => void;
}

/** Action that is to be planned, with the id that its delivery would have. */
interface WantedAction {
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly deliveryId: string;
}

/** Plans one action of a rule that an event matched. */
export const planAction = (
  event: StoredEvent,
  { rule, actionIndex, deliveryId }: WantedAction,
  knowledge: TenantKnowledge,
  { now, baseUrl, firing, counts, rendered }: Moment,
): PlannedAction => {
  const action = rule.actions[actionIndex];
  if (!action) throw new RangeError(`Rule ${rule.id} has no action ${actionIndex}.`);
  const { channelId } = action;
  const planned = (outcome: PlannedAction['outcome']): PlannedAction => ({ rule, actionIndex, channelId, outcome });
  const channelType = knowledge.channelTypes.get(channelId);
  if (!channelType)
    return planned({
      kind: 'suppress',
      policy: 'channel_removed',
      policyId: channelId,
      reason: 'The channel was removed.',
    });
  const decision = decide(event, rule, actionIndex, {
    now,
    timeZone: 'UTC',
    policies: knowledge.policies,
    firing,
    quietHours: [],
    flapping: null,
    counts,
  });
  if (decision.kind !== 'send') {
    const { policy, reason } = decision;
    const facts = { policy: policy.kind, policyId: policy.id, reason };
    return planned(
      decision.kind === 'hold' ? { kind: 'hold', until: decision.until, ...facts } : { kind: 'suppress', ...facts },
    );
  }
  const reason = event.status === 'resolved' ? 'resolved' : 'first';
  const message = messageOf(knowledge, {
    event,
    addressee: { deliveryId, ruleId: rule.id, channelId },
    channelType,
    action,
    reason,
    baseUrl,
    rendered,
  });
  if (message.kind === 'none')
    return planned({ kind: 'suppress', policy: message.policy, policyId: action.templateKey, reason: message.reason });
  const key = throttleKey(event, rule, actionIndex);
  const throttle = key === undefined || !action.throttle ? null : { key, windowSeconds: action.throttle.windowSeconds };
  return planned({ kind: 'send', message, throttle });
};

/** Actions of the rules that an event matches, in their order. */
export const actionsOf = (event: StoredEvent, { ruleSet }: Pick<TenantKnowledge, 'ruleSet'>) =>
  ruleSet
    .evaluate(event)
    .matched.flatMap((rule) => rule.actions.map((_action, actionIndex) => ({ rule, actionIndex })));
