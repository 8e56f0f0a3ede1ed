import { type Id, toId } from '@landfall/kernel/core/ids';
import type { NewDelivery } from '../deliveries/deliveries.store.ts';
import type { NewSuppression } from '../deliveries/suppressions.store.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { Rule } from '../rules/rule.ts';
import type { PlannedAction } from './plan.ts';
import type { WaitingEvent } from './waiting-events.store.ts';

/** Action of a rule with what becomes of the event. */
export interface Planned extends PlannedAction {
  readonly event: StoredEvent;
  readonly deliveryId: NewDelivery['id'];
  readonly ruleSetVersion: number;
}

type Outcome<Kind extends PlannedAction['outcome']['kind']> = Extract<
  PlannedAction['outcome'],
  { readonly kind: Kind }
>;

/** Source of new ids. */
type NewId = <Name extends string>(name: Name) => Id<Name>;

const commonOf = ({ event, rule }: Planned) => ({
  tenant: event.tenant,
  eventId: event.id,
  ruleId: toId(rule.id, 'NotificationRule'),
});

const templateKeyOf = (rule: Rule, actionIndex: number): string => rule.actions[actionIndex]?.templateKey ?? '';

const deliveryOf = (planned: Planned, { message }: Outcome<'send'>): NewDelivery => ({
  ...commonOf(planned),
  ...message,
  id: planned.deliveryId,
  actionIndex: planned.actionIndex,
  channelId: toId(planned.channelId, 'NotificationChannel'),
  templateKey: templateKeyOf(planned.rule, planned.actionIndex),
  reason: planned.event.status === 'resolved' ? 'resolved' : 'first',
  correlationId: planned.event.correlationId,
});

const waitingOf = (planned: Planned, { until, kind: _, ...facts }: Outcome<'hold'>, newId: NewId): WaitingEvent => ({
  ...commonOf(planned),
  ...facts,
  id: newId('WaitingEvent'),
  ruleSetVersion: planned.ruleSetVersion,
  actionIndex: planned.actionIndex,
  dueAt: until,
});

const suppressionOf = (planned: Planned, { kind: _, ...facts }: Outcome<'suppress'>, newId: NewId): NewSuppression => ({
  ...commonOf(planned),
  ...facts,
  id: newId('NotificationSuppression'),
  channelId: toId(planned.channelId, 'NotificationChannel'),
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
