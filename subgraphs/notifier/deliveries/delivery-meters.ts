import type { Meter } from '@landfall/kernel/system/telemetry';
import type { Tracer } from '@landfall/kernel/system/tracing';
import type { SettledAttempt } from './deliveries.store.ts';
import type { LeasedDelivery } from './jobs.store.ts';

const NONE = (): void => undefined;

/** Span of an attempt (spec 6.7). */
const spanOf = ({
  tenant,
  id,
  channelId,
  channelType,
  attempts,
  state,
  correlationId,
  ...attempt
}: MeteredAttempt) => ({
  startedAt: attempt.startedAt,
  durationMs: attempt.latencyMs,
  error: attempt.error,
  attributes: {
    tenant,
    channel: channelId,
    'channel.type': channelType,
    'delivery.id': id,
    'delivery.attempt': attempts,
    'delivery.status': state,
    'correlation.id': correlationId,
    ...(attempt.httpStatus === null ? {} : { 'http.response.status_code': attempt.httpStatus }),
  },
});

/** Instruments and spans of deliveries (spec 6.7). Without a meter nothing is counted, without a tracer nothing recorded. */
export const createDeliveryMeters = (meter: Meter | undefined, tracer?: Tracer | undefined) => {
  const counter = (name: string, description: string) => meter?.counter(name, { description }) ?? NONE;
  const histogram = (name: string, description: string) => meter?.histogram(name, { description, unit: 'ms' }) ?? NONE;
  const attempts = counter('notify.delivery.attempts', 'Attempts to deliver.');
  const duration = histogram('notify.delivery.duration', 'Duration of an attempt.');
  const all = counter('notifier.delivery.attempts', 'Attempts to deliver.');
  const successes = counter('notifier.delivery.successes', 'Attempts that the receiver accepted.');
  const failures = counter('notifier.delivery.failures', 'Attempts that failed.');
  const latency = histogram('notifier.delivery.latency', 'Time from the delivery’s creation to its acceptance.');
  const deadLetters = counter('notify.deadletter.entries', 'Deliveries that became dead letters.');
  const deadLetterCount = counter('notifier.deadletter.count', 'Deliveries that became dead letters.');
  return {
    attempted(attempt: MeteredAttempt): void {
      const { tenant, channelId: channel, state, latencyMs, startedAt, createdAt, cause } = attempt;
      tracer?.span('notify.delivery', spanOf(attempt));
      const tags = { tenant, channel };
      const isAccepted = state === 'sent' || state === 'delivered';
      attempts({ ...tags, status: state });
      duration(latencyMs, { ...tags, status: state });
      all(tags);
      if (isAccepted) {
        successes(tags);
        latency(startedAt.getTime() + latencyMs - createdAt.getTime(), tags);
      } else failures(tags);
      if (cause === null) return;
      deadLetters({ ...tags, cause });
      deadLetterCount({ ...tags, cause });
    },
  };
};

type MeteredAttempt = SettledAttempt &
  Pick<LeasedDelivery, 'createdAt' | 'correlationId'> & {
    /** Type of the channel; `none` of a removed one. */
    readonly channelType: string;
  };

export type DeliveryMeters = ReturnType<typeof createDeliveryMeters>;
