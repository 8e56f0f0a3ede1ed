import type { Meter } from '@landfall/kernel/system/telemetry';
import type { SettledAttempt } from './deliveries.store.ts';

const NONE = (): void => undefined;

/** Instruments of deliveries (spec 6.7). Without a meter nothing is counted. */
export const createDeliveryMeters = (meter: Meter | undefined) => {
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
    attempted({ tenant, channelId: channel, state, latencyMs, startedAt, createdAt, cause }: MeteredAttempt): void {
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

type MeteredAttempt = SettledAttempt & { readonly createdAt: Date };

export type DeliveryMeters = ReturnType<typeof createDeliveryMeters>;
