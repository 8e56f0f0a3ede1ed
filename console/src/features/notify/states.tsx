import type { ReactNode } from 'react';
import type {
  ChannelRowFragment,
  DeadLetterStatus,
  NotificationSeverity,
  NotificationStatus,
  RuleOutcome,
} from '../../generated/operations.ts';
import { useNow } from '../../lib/now.ts';
import { type Look, type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { labelOr, t } from './labels.ts';

export const DELIVERY_STATES = ['pending', 'failed', 'sent', 'delivered', 'dead-lettered', 'cancelled'] as const;

const DELIVERY: Readonly<Record<string, Look>> = {
  pending: 'queued-waiting',
  failed: 'attention',
  sent: 'signed',
  delivered: 'verified',
  'dead-lettered': 'failed',
  cancelled: 'missing',
};

export const deliveryState = (state: string): string => labelOr(`delivery.state.${state}`, state);

export const DeliveryState = ({ state }: { readonly state: string }) => (
  <StateLabel look={DELIVERY[state] ?? 'unobserved'}>{deliveryState(state)}</StateLabel>
);

/** Whether a delivery is still to be sent, so that its state changes without a word from the feed. */
export const isUnderWay = (state: string): boolean => ['pending', 'failed'].includes(state);

const ATTEMPT: Readonly<Record<string, Look>> = {
  delivered: 'verified',
  sent: 'signed',
  retry: 'attention',
  failed: 'failed',
};

export const AttemptOutcome = ({ outcome }: { readonly outcome: string }) => (
  <StateLabel look={ATTEMPT[outcome] ?? 'unobserved'}>{labelOr(`attempt.${outcome}`, outcome)}</StateLabel>
);

const LETTER: Looks<DeadLetterStatus> = { OPEN: 'failed', RETRIED: 'back', DISCARDED: 'missing' };

export const LetterState = ({ status }: { readonly status: DeadLetterStatus }) => (
  <StateLabel look={LETTER[status]}>{t(`deadLetter.status.${status}`)}</StateLabel>
);

const OUTCOME: Looks<RuleOutcome> = {
  MATCHED: 'verified',
  FAILED: 'missing',
  DISABLED: 'held-muted',
  NOT_REACHED: 'queued',
  INVALID: 'failed',
};

export const RuleOutcomeLabel = ({ outcome }: { readonly outcome: RuleOutcome }) => (
  <StateLabel look={OUTCOME[outcome]}>{t(`ruleOutcome.${outcome}`)}</StateLabel>
);

type Health = Pick<ChannelRowFragment, 'isEnabled' | 'openUntil' | 'failingSince'>;

/** Health of a channel: disabled, kept from sending by its circuit breaker, failing, or without a failure. */
export function ChannelHealth({ channel: { isEnabled, openUntil, failingSince } }: { readonly channel: Health }) {
  const now = useNow();
  if (!isEnabled) return <StateLabel look="missing-attention">{t('channel.disabled')}</StateLabel>;
  const isOpen = openUntil !== null && new Date(openUntil) > now;
  const since: ReactNode = failingSince !== null && <RelativeTime at={failingSince} />;
  if (isOpen) return <StateLabel look="failed">{t('channel.breakerOpen')}</StateLabel>;
  if (since)
    return (
      <StateLabel look="attention">
        {t('channel.failingFor')} {since}
      </StateLabel>
    );
  return <StateLabel look="verified">{t('channel.healthy')}</StateLabel>;
}

const SEVERITY: Looks<NotificationSeverity> = { INFO: 'queued', WARNING: 'attention', CRITICAL: 'failed' };

type StateOfEvent = { readonly severity: NotificationSeverity; readonly status: NotificationStatus };

/** Severity of an event, or that its condition has ended or was taken on. */
export const SeverityOfEvent = ({ event: { severity, status } }: { readonly event: StateOfEvent }) =>
  status === 'FIRING' ? (
    <StateLabel look={SEVERITY[severity]}>{t(`event.severity.${severity}`)}</StateLabel>
  ) : (
    <StateLabel look={status === 'RESOLVED' ? 'verified' : 'held'}>{t(`event.status.${status}`)}</StateLabel>
  );
