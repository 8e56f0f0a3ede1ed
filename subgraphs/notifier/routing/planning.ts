import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Recipient } from '../people/recipients.ts';
import type { Rule } from '../rules/rule.ts';
import type { Flapping } from './flapping.ts';
import type { TenantKnowledge } from './knowledge.ts';
import type { Planned } from './outcome-rows.ts';
import { type Collected, planAction } from './plan.ts';
import type { RoutingMeters } from './routing-meters.ts';
import { loadWindows, type Windows } from './throttle-windows.ts';

/** Reason for which a message is kept back by a bug. */
export const ERROR_REASON = 'An error of the notifier kept the message back. The log has it.';

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

/** Creates the planning of actions under the locks of their throttles. */
export const createPlanning = ({ clock, log, meters, baseUrl }: PlanningDeps) => {
  /** Plans an action. An error is its reason, and stops no other. */
  const plan = (wanted: Wanted, windows: Windows): Planned => {
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

  return async (tx: Tx, wanted: readonly Wanted[]): Promise<Planned[]> => {
    if (wanted.length === 0) return [];
    const windows = await loadWindows(tx, wanted);
    const planned = wanted.map((each) => plan(each, windows));
    await windows.save();
    return planned;
  };
};

export type Planning = ReturnType<typeof createPlanning>;
