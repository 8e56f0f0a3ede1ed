import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Recipient } from '../people/recipients.ts';
import type { Rule } from '../rules/rule.ts';
import type { Flapping } from './flapping.ts';
import type { TenantKnowledge } from './knowledge.ts';
import { ERROR_REASON, type Planned } from './outcome-rows.ts';
import { type Collected, planAction } from './plan.ts';
import type { RoutingMeters } from './routing-meters.ts';
import { loadWindows, type Windows } from './throttle-windows.ts';

/** One action of a rule that is to be planned for an event, or for several. */
export interface Wanted extends Pick<Planned, 'event' | 'deliveryId' | 'ruleSetVersion' | 'actionIndex'> {
  readonly rule: Rule;
  readonly knowledge: TenantKnowledge;
  readonly collected?: Collected | undefined;
  readonly flapping?: Flapping | undefined;
  readonly recipient?: Recipient | undefined;
}

interface PlanningDeps extends Pick<Deps, 'clock' | 'log'> {
  readonly meters: RoutingMeters;
  /** Public address of the console. */
  readonly baseUrl: string;
}

/** Address of a person with the event that it is told of; undefined for a channel's own, and for messages about several. */
const addressKey = ({ event, recipient, collected }: Pick<Wanted, 'event' | 'recipient' | 'collected'>) =>
  recipient && !collected ? `${event.id} ${recipient.methodId}` : undefined;

/** Outcome of a message to an address that another rule tells. */
const duplicateOf = ({ recipient }: Pick<Wanted, 'recipient'>, { id, name }: Rule) =>
  ({
    kind: 'suppress',
    policy: 'duplicate',
    policyId: id,
    reason: `The rule ${name} tells ${recipient?.name} of it at this address.`,
  }) as const;

/** Creates the planning of actions under the locks of their throttles. */
export const createPlanning = ({ clock, log, meters, baseUrl }: PlanningDeps) => {
  /** Plans an action. An error is its reason, and stops no other. */
  const planOne = (wanted: Wanted, windows: Windows): Planned => {
    const { event, rule, actionIndex, deliveryId, ruleSetVersion, collected, recipient } = wanted;
    const common = { event, deliveryId, ruleSetVersion, collected, recipient };
    const rendered = (ms: number): void => meters.rendered(event.tenant, ms);
    const moment = { now: clock.now(), baseUrl, counts: windows.of(event.tenant), rendered };
    try {
      const planned = planAction(event, wanted, wanted.knowledge, moment);
      windows.count(event.tenant, planned.outcome);
      return { ...common, ...planned };
    } catch (error) {
      log.error({ err: error, event: event.id, rule: rule.id }, 'notifier.routing');
      const channelId = recipient?.channelId ?? rule.actions[actionIndex]?.channelId;
      const outcome = { kind: 'suppress', policy: 'error', policyId: null, reason: ERROR_REASON } as const;
      return { ...common, rule, actionIndex, channelId, outcome };
    }
  };

  /** Plans actions in their order: of the messages about an event to one address of a person the first is sent, or waits. */
  const planEach = (wanted: readonly Wanted[], windows: Windows): Planned[] => {
    const sent = new Map<string, Rule>();
    const planned = wanted.map((each) => {
      const key = addressKey(each);
      const rule = key === undefined ? undefined : sent.get(key);
      if (rule) return { ...each, channelId: each.recipient?.channelId, outcome: duplicateOf(each, rule) };
      const one = planOne(each, windows);
      if (key !== undefined && one.outcome.kind === 'send') sent.set(key, each.rule);
      return one;
    });
    const told = new Map(sent);
    return planned.map((each) => {
      const key = each.outcome.kind === 'hold' ? addressKey(each) : undefined;
      const rule = key === undefined ? undefined : told.get(key);
      if (key !== undefined && !rule) told.set(key, each.rule);
      return rule ? { ...each, outcome: duplicateOf(each, rule) } : each;
    });
  };

  return async (tx: Tx, wanted: readonly Wanted[]): Promise<Planned[]> => {
    if (wanted.length === 0) return [];
    const windows = await loadWindows(tx, wanted);
    const planned = planEach(wanted, windows);
    await windows.save();
    return planned;
  };
};

export type Planning = ReturnType<typeof createPlanning>;
