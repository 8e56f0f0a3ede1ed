import { type Id, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Addressed, NewDelivery } from '../deliveries/deliveries.store.ts';
import type { NewSuppression } from '../deliveries/suppressions.store.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { Recipient, Unreached } from '../people/recipients.ts';
import type { Suppressed } from './group-decision.ts';
import type { Collected, PlannedAction } from './plan.ts';
import type { WaitingEvent } from './waiting-events.store.ts';

/** Reason for which a message is kept back by a bug. */
export const ERROR_REASON = 'An error of the notifier kept the message back. The log has it.';

/** Action of a rule with what becomes of the event. */
export interface Planned extends PlannedAction {
  readonly event: StoredEvent;
  readonly deliveryId: NewDelivery['id'];
  readonly ruleSetVersion: number;
  /** Undefined for a message about one event. */
  readonly collected?: Collected | undefined;
  readonly recipient?: Recipient | undefined;
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

const personOf = ({ recipient, event }: Planned): Addressed | null =>
  recipient
    ? {
        recipient: recipient.subject,
        contactMethodId: recipient.methodId,
        address: recipient.address,
        unsubscribeKind: event.severity === 'critical' ? null : event.kind,
      }
    : null;

export const deliveryOf = (planned: Planned, { message, reason, templateKey }: Outcome<'send'>): NewDelivery => ({
  ...commonOf(planned),
  ...message,
  id: planned.deliveryId,
  actionIndex: planned.actionIndex,
  channelId: toId(planned.channelId ?? '', 'NotificationChannel'),
  templateKey,
  reason,
  correlationId: planned.event.correlationId,
  groupId: planned.collected?.group.id ?? null,
  person: personOf(planned),
});

const waitingOf = (planned: Planned, { until, kind: _, ...facts }: Outcome<'hold'>, newId: NewId): WaitingEvent => ({
  ...commonOf(planned),
  ...facts,
  id: newId('WaitingEvent'),
  ruleSetVersion: planned.ruleSetVersion,
  actionIndex: planned.actionIndex,
  dueAt: until,
  contactMethodId: planned.recipient?.methodId ?? null,
});

const channelIdOf = ({ rule, actionIndex, recipient }: Pick<Planned, 'rule' | 'actionIndex' | 'recipient'>) => {
  const channelId = recipient?.channelId ?? rule.actions[actionIndex]?.channelId;
  return channelId === undefined ? null : toId(channelId, 'NotificationChannel');
};

/** Row of the reason for which an event was not told. */
export const suppressionOf = (
  planned: Pick<Planned, 'event' | 'rule' | 'actionIndex' | 'recipient'>,
  { policy, policyId, reason }: Suppressed,
  newId: NewId,
): NewSuppression => ({
  ...commonOf(planned),
  policy,
  policyId,
  reason,
  id: newId('NotificationSuppression'),
  channelId: channelIdOf(planned),
  recipient: planned.recipient?.subject ?? null,
});

/** Row of the reason for which people of an action were not told. */
export const unreachedOf = (
  planned: Pick<Planned, 'event' | 'rule'>,
  { subject, policy, reason }: Unreached,
  newId: NewId,
): NewSuppression => ({
  ...commonOf(planned),
  policy,
  policyId: null,
  reason,
  id: newId('NotificationSuppression'),
  channelId: null,
  recipient: subject,
});

/** Reason for a message that waited for a person whose address or account is gone by now. */
export const GONE = {
  subject: null,
  policy: 'unreachable',
  reason: 'The contact method, or its owner, was removed while the message waited.',
} as const;

/** Row of the reason for which an event was not routed, as its routing meets an error for good. */
export const parkedOf = (tenant: TenantId, eventId: NewSuppression['eventId'], newId: NewId): NewSuppression => ({
  tenant,
  id: newId('NotificationSuppression'),
  eventId,
  ruleId: null,
  channelId: null,
  policy: 'error',
  policyId: null,
  reason: ERROR_REASON,
  recipient: null,
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
