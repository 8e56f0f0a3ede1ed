import { type Id, toId } from '@landfall/kernel/core/ids';
import type { NewDelivery } from '../deliveries/deliveries.store.ts';
import type { NewSuppression } from '../deliveries/suppressions.store.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { Suppressed } from './group-decision.ts';
import type { Collected, PlannedAction } from './plan.ts';
import type { WaitingEvent } from './waiting-events.store.ts';

/** Action of a rule with what becomes of the event. */
export interface Planned extends PlannedAction {
  readonly event: StoredEvent;
  readonly deliveryId: NewDelivery['id'];
  readonly ruleSetVersion: number;
  /** Undefined for a message about one event. */
  readonly collected?: Collected | undefined;
}

type Outcome<Kind extends PlannedAction['outcome']['kind']> = Extract<
  PlannedAction['outcome'],
  { readonly kind: Kind }
>;

/** Source of new ids. */
export type NewId = <Name extends string>(name: Name) => Id<Name>;

const commonOf = ({ event, rule }: Pick<Planned, 'event' | 'rule'>) => ({
  tenant: event.tenant,
  eventId: event.id,
  ruleId: toId(rule.id, 'NotificationRule'),
});

export const deliveryOf = (planned: Planned, { message, reason, templateKey }: Outcome<'send'>): NewDelivery => ({
  ...commonOf(planned),
  ...message,
  id: planned.deliveryId,
  actionIndex: planned.actionIndex,
  channelId: toId(planned.channelId, 'NotificationChannel'),
  templateKey,
  reason,
  correlationId: planned.event.correlationId,
  groupId: planned.collected?.group.id ?? null,
});

const waitingOf = (planned: Planned, { until, kind: _, ...facts }: Outcome<'hold'>, newId: NewId): WaitingEvent => ({
  ...commonOf(planned),
  ...facts,
  id: newId('WaitingEvent'),
  ruleSetVersion: planned.ruleSetVersion,
  actionIndex: planned.actionIndex,
  dueAt: until,
});

/** Row of the reason for which an event was not told. */
export const suppressionOf = (
  planned: Pick<Planned, 'event' | 'rule' | 'actionIndex'>,
  { policy, policyId, reason }: Suppressed,
  newId: NewId,
): NewSuppression => ({
  ...commonOf(planned),
  policy,
  policyId,
  reason,
  id: newId('NotificationSuppression'),
  channelId: toId(planned.rule.actions[planned.actionIndex]?.channelId ?? '', 'NotificationChannel'),
});

/** Rows of what becomes of events. */
export const rowsOf = (all: readonly Planned[], newId: NewId) => {
  const sent: NewDelivery[] = [];
  const waiting: WaitingEvent[] = [];
  const suppressed: NewSuppression[] = [];
  for (const planned of all) {
    const { outcome } = planned;
    if (outcome.kind === 'send') sent.push(deliveryOf(planned, outcome));
    else if (outcome.kind === 'hold') waiting.push(waitingOf(planned, outcome, newId));
    else suppressed.push(suppressionOf(planned, outcome, newId));
  }
  return { sent, waiting, suppressed };
};
