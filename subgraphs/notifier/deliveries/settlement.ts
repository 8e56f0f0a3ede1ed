import { systemCaller } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { disable, noteFailures, noteSuccess } from '../channels/channels.store.ts';
import { channelKey, type OpenChannel } from '../channels/open-channels.ts';
import { nextPause } from '../channels/retry-schedule.ts';
import type { SendOutcome } from '../channels/send-outcome.ts';
import { confirm } from '../channels/webhook-secrets.store.ts';
import { suppress } from '../people/contact-methods.store.ts';
import * as store from './deliveries.store.ts';
import type { DeliveryMeters } from './delivery-meters.ts';
import type { LeasedDelivery } from './jobs.store.ts';
import { storableId, storableText } from './storable.ts';

/** Failures in a row that open a channel's circuit breaker, and the time for which it is open (spec 8). */
export const BREAKER = { threshold: 5, pauseSeconds: 60 } as const;
/** Age of a channel's first failure without a success since at which it is disabled. */
const LONGEST_FAILURE_MS = 5 * 24 * 3_600_000;
/** Answers that say something about one message, not about the receiver. */
const MESSAGE_STATUSES = new Set([400, 413, 422]);
const GONE = 410;

const record = eventsOf('NotificationChannel');
const recordMethod = eventsOf('ContactMethod');

/** Attempt that ended. */
export interface Attempted {
  readonly delivery: LeasedDelivery;
  /** Undefined for a channel that was removed. */
  readonly channel: OpenChannel | undefined;
  readonly startedAt: Date;
  readonly latencyMs: number;
  readonly outcome: SendOutcome;
}

/** Result of an attempt as it is stored. */
const settledOf = (
  { delivery, channel, startedAt, latencyMs, outcome }: Attempted,
  random: number,
): store.SettledAttempt => {
  const excerpt = storableText(outcome.excerpt);
  const common = { ...delivery, startedAt, latencyMs, httpStatus: outcome.httpStatus, excerpt };
  if (outcome.kind === 'accepted') {
    const { state } = outcome;
    const externalId = storableId(outcome.externalId);
    return { ...common, state, pauseMs: null, externalId, outcome: state, error: null, cause: null };
  }
  const question = {
    isWebhook: channel?.type === 'webhook',
    hasLongSchedule: channel?.hasLongSchedule === true,
    attempts: delivery.attempts - delivery.earlierAttempts,
    retryAfterMs: outcome.retryAfterMs,
    random,
  };
  const pause = outcome.isRetryable && channel ? nextPause(question) : undefined;
  const error = storableText(outcome.error);
  const { cause } = outcome;
  return pause === undefined
    ? { ...common, state: 'dead-lettered', pauseMs: null, externalId: null, outcome: 'failed', error, cause }
    : { ...common, state: 'failed', pauseMs: pause, externalId: null, outcome: 'retry', error, cause: null };
};

/** Whether a failure is one of a person's address, and says nothing of the channel that carries it. */
const isOfAddress = ({ delivery, channel, outcome }: Attempted): boolean => {
  if (delivery.address === null || outcome.kind !== 'failed') return false;
  if (channel?.type === 'webhook') return true;
  const isRefused = outcome.cause === 'recipient_refused' || outcome.cause === 'address_removed';
  return isRefused || (channel?.type === 'slack' && !outcome.isRetryable);
};

/** Reason to suppress the address of a person, which takes no messages any more. */
const reasonToSuppress = (attempted: Attempted): string | undefined => {
  const { outcome } = attempted;
  if (!isOfAddress(attempted) || outcome.kind !== 'failed') return undefined;
  const isGone = outcome.cause === 'recipient_refused' || outcome.httpStatus === GONE;
  return isGone ? (storableText(outcome.error) ?? undefined) : undefined;
};

/** Secret of a webhook that a receiver's 2xx proves: it alone signed. A person's own webhook proves nothing of the channel's. */
const provenSecretOf = ({ delivery, channel, outcome }: Attempted) =>
  outcome.kind === 'accepted' && delivery.address === null && (delivery.isTest || channel?.hasOneSecret)
    ? (channel?.unconfirmedSecretId ?? null)
    : null;

const isReceiverFailure = (attempted: Attempted): boolean => isChannelFailure(attempted) && !isOfAddress(attempted);

const isChannelFailure = ({ outcome }: Attempted): boolean =>
  outcome.kind === 'failed' && !(outcome.httpStatus !== null && MESSAGE_STATUSES.has(outcome.httpStatus));

interface SettlementDeps extends Pick<Deps, 'database' | 'clock' | 'ids'> {
  readonly meters: DeliveryMeters;
  /** Number from 0 to 1 that spreads retries. */
  readonly random: () => number;
}

/** Creates the settlement of attempts: deliveries, attempts, dead letters and the health of channels, in one transaction. */
export const createSettlement = ({ database, clock, ids, meters, random }: SettlementDeps) => {
  /** Reason to disable a channel whose receiver is gone or has failed for days. */
  const reasonToDisable = (channel: OpenChannel, attempts: readonly Attempted[]): string | undefined => {
    if (attempts.some((each) => each.outcome.httpStatus === GONE && !isOfAddress(each)))
      return 'The receiver answered 410: it is gone. Enter its new address and enable the channel.';
    const failingMs = channel.failingSince === null ? 0 : clock.now().getTime() - channel.failingSince.getTime();
    return failingMs < LONGEST_FAILURE_MS
      ? undefined
      : 'Nothing was delivered for five days. Mend the receiver and enable the channel.';
  };

  /** Disables a channel and tells it by an event. */
  const disableChannel = ({ tenant, id }: OpenChannel, reason: string): Promise<void> =>
    database.write(tenant, async (tx) => {
      const disabled = await disable(tx, tenant, id, reason);
      const who = systemCaller(tenant, 'notifier.deliveries', ids.uuid());
      if (disabled) await record(tx, who, 'notificationChannel.fail', disabled, { name: disabled.name, reason });
    });

  /** Suppresses the address of a person, and tells it by an event. */
  const suppressAddress = (
    tenant: TenantId,
    methodId: NonNullable<Attempted['delivery']['contactMethodId']>,
    reason: string,
  ): Promise<void> =>
    database.write(tenant, async (tx) => {
      const method = await suppress(tx, tenant, methodId, reason);
      if (!method) return;
      const { kind, subject, address } = method;
      const who = systemCaller(tenant, 'notifier.deliveries', ids.uuid());
      await recordMethod(tx, who, 'contactMethod.suppress', method, { kind, subject, address, reason });
    });

  /** Notes a success or the failures of a channel. @returns whether it failed */
  const noteHealth = async (tx: Tx, channel: OpenChannel, attempts: readonly Attempted[]): Promise<boolean> => {
    if (attempts.some(({ outcome }) => outcome.kind === 'accepted')) {
      if (channel.failures > 0 || channel.failingSince !== null) await noteSuccess(tx, channel.tenant, channel.id);
      return false;
    }
    const failures = attempts.filter(isReceiverFailure).length;
    if (failures > 0) await noteFailures(tx, channel.tenant, channel.id, failures, BREAKER);
    return failures > 0;
  };

  return async (attempted: readonly Attempted[]): Promise<void> => {
    const settled = attempted.map((each) => settledOf(each, random()));
    const deadLetterIds = settled.map(({ cause }) => (cause === null ? null : ids.uuid()));
    const failing = await database.system.write(async (tx) => {
      const done = await store.settleAll(tx, settled, deadLetterIds);
      const own = attempted.filter(({ delivery }) => done.has(delivery.id));
      const byChannel = Map.groupBy(own, ({ delivery }) => channelKey(delivery.tenant, delivery.channelId));
      const failed: { readonly channel: OpenChannel; readonly attempts: readonly Attempted[] }[] = [];
      // In one order in every process, so that two never wait for each other.
      for (const [, attempts] of [...byChannel].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const channel = attempts[0]?.channel;
        if (channel?.isEnabled && (await noteHealth(tx, channel, attempts))) failed.push({ channel, attempts });
      }
      for (const each of own) {
        const secretId = provenSecretOf(each);
        if (secretId !== null) await confirm(tx, each.delivery.tenant, secretId);
      }
      return failed;
    });
    for (const { channel, attempts } of failing) {
      const reason = reasonToDisable(channel, attempts);
      if (reason !== undefined) await disableChannel(channel, reason);
    }
    for (const each of attempted) {
      const { tenant, contactMethodId } = each.delivery;
      const reason = reasonToSuppress(each);
      if (contactMethodId !== null && reason !== undefined) await suppressAddress(tenant, contactMethodId, reason);
    }
    for (const [at, { delivery, channel }] of attempted.entries()) {
      const each = settled[at];
      const { createdAt, correlationId } = delivery;
      if (each) meters.attempted({ ...each, createdAt, correlationId, channelType: channel?.type ?? 'none' });
    }
  };
};
