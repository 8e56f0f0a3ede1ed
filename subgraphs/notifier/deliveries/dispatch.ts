import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { claimProbe } from '../channels/channels.store.ts';
import { channelKey, type createOpenChannels, type OpenChannel } from '../channels/open-channels.ts';
import { failed, type SendOutcome } from '../channels/send-outcome.ts';
import type { Unsubscribe } from '../people/unsubscribe.ts';
import { AT_ONCE, createInFlight } from './in-flight.ts';
import * as jobs from './jobs.store.ts';
import { type Attempted, BREAKER, type createSettlement } from './settlement.ts';

/** Longer than an attempt, which ends after 30 s (spec 8); what a killed process had begun waits as long. */
const LEASE_SECONDS = 45;
/**
 * Room for attempts that is awaited before more is leased, and the longest wait for it: one lease of many costs little more
 * than one of a few.
 */
const ROOM = { attempts: AT_ONCE.total - 1.5 * AT_ONCE.tenant, everyMs: 5, longestMs: 25 } as const;
/** Types of channels that keep one message of a group, which its deliveries change one after the other. */
const ORDERED: ReadonlySet<string> = new Set(['slack', 'pagerduty']);
/** Shortest wait of a delivery whose channel's circuit breaker is open, or that another one of its group goes before. */
const SHORTEST_WAIT_MS = 1_000;

/** Reason for a message that would open, or end, at its receiver what a later event ended, or opened again. */
const SUPERSEDED =
  'A later event changed what the message is about before it was taken. The message of that one is sent.';

interface DispatchDeps extends Pick<Deps, 'database' | 'clock' | 'log' | 'ids'> {
  readonly openChannels: ReturnType<typeof createOpenChannels>;
  readonly settle: ReturnType<typeof createSettlement>;
  readonly unsubscribe: Pick<Unsubscribe, 'linkOf'>;
}

type Channels = ReadonlyMap<string, OpenChannel>;

const keyOf = ({ tenant, channelId }: jobs.LeasedDelivery): string => channelKey(tenant, channelId);

/** Creates the sending of deliveries that are due. */
export const createDispatch = ({ database, clock, log, ids, openChannels, settle, unsubscribe }: DispatchDeps) => {
  const inFlight = createInFlight();

  /** Results that wait for their transaction: those that come during one are settled together by the next. */
  let waiting: Attempted[] = [];
  let settling: Promise<void> = Promise.resolve();

  const settleWaiting = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await settle(batch);
    } catch (error) {
      // Their leases end, and they are sent again with the same id.
      log.error({ err: error }, 'notifier.deliveries.settle');
    }
    for (const { delivery } of batch) inFlight.end(delivery);
  };

  const sendBy = (
    channel: OpenChannel | undefined,
    { id, attempts, ...message }: jobs.LeasedDelivery,
    signal: AbortSignal,
  ): Promise<SendOutcome> => {
    if (!channel) return Promise.resolve(failed('channel_disabled', 'The channel was removed.', false));
    if (!channel.isEnabled)
      return Promise.resolve(failed('channel_disabled', channel.disabledReason ?? 'The channel is disabled.', false));
    if (message.isAddressGone)
      return Promise.resolve(
        failed('address_removed', 'The person no longer has this address, or it is suppressed.', false),
      );
    const { tenant, contactMethodId: methodId, unsubscribeKind: kind } = message;
    const unsubscribeUrl = methodId !== null && kind !== null ? unsubscribe.linkOf({ tenant, methodId, kind }) : null;
    return channel.send({ ...message, deliveryId: id, attempt: attempts, unsubscribeUrl, signal });
  };

  /** Gives a delivery back whose attempt the end of the process broke off. */
  const release = async (delivery: jobs.LeasedDelivery): Promise<void> => {
    await database.system.write((tx) => jobs.deferAll(tx, [{ delivery, pauseMs: 0 }]));
    inFlight.end(delivery);
  };

  const attempt = async (
    delivery: jobs.LeasedDelivery,
    channel: OpenChannel | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    const startedAt = clock.now();
    const started = performance.now();
    const outcome = await sendBy(channel, delivery, signal).catch((error: unknown) => {
      log.error({ err: error, delivery: delivery.id }, 'notifier.deliveries.send');
      return failed('rejected', 'An error of the notifier. The log has it.', false);
    });
    await failpoint('notifier.delivery.sent');
    if (signal.aborted && outcome.kind === 'failed') return release(delivery);
    waiting.push({ delivery, channel, startedAt, latencyMs: Math.round(performance.now() - started), outcome });
    settling = settling.then(settleWaiting);
    await settling;
  };

  /** Whether the circuit breaker of a channel is open. Of all processes one sends the probe of one that was open long enough. */
  const isBroken = (channel: OpenChannel | undefined): channel is OpenChannel & { readonly openUntil: Date } =>
    channel?.isEnabled === true && channel.openUntil !== null;

  /** Ends what a later event superseded. Returns the others. */
  const withoutSuperseded = async (tx: Tx, leased: readonly jobs.LeasedDelivery[]) => {
    const superseded = leased.filter(({ isSuperseded }) => isSuperseded);
    if (superseded.length === 0) return leased;
    await jobs.supersedeAll(tx, superseded, { ids: superseded.map(() => ids.uuid()), reason: SUPERSEDED });
    return leased.filter(({ isSuperseded }) => !isSuperseded);
  };

  /** Gives back what waits behind an open circuit breaker or an earlier message of its group or condition. Returns the others. */
  const admit = async (tx: Tx, leased: readonly jobs.LeasedDelivery[], channels: Channels) => {
    const now: jobs.LeasedDelivery[] = [];
    const later: { readonly delivery: jobs.LeasedDelivery; readonly pauseMs: number }[] = [];
    for (const [key, deliveries] of Map.groupBy(leased, keyOf)) {
      const channel = channels.get(key);
      if (!isBroken(channel)) {
        const early = channel && ORDERED.has(channel.type) ? deliveries.filter(({ isEarly }) => isEarly) : [];
        now.push(...deliveries.filter((delivery) => !early.includes(delivery)));
        later.push(...early.map((delivery) => ({ delivery, pauseMs: SHORTEST_WAIT_MS })));
        continue;
      }
      const isProbe = !channel.isOpen && (await claimProbe(tx, channel.tenant, channel.id, BREAKER.pauseSeconds));
      const pauseMs = Math.max(SHORTEST_WAIT_MS, channel.openUntil.getTime() - clock.now().getTime());
      now.push(...deliveries.slice(0, isProbe ? 1 : 0));
      later.push(...deliveries.slice(isProbe ? 1 : 0).map((delivery) => ({ delivery, pauseMs })));
    }
    if (later.length > 0) await jobs.deferAll(tx, later);
    return now;
  };

  const leaseBatch = () =>
    database.system.write(async (tx) => {
      const leased = await jobs.lease(tx, {
        total: inFlight.free(),
        perTenant: AT_ONCE.tenant,
        perChannel: AT_ONCE.channel,
        perLane: AT_ONCE.lane,
        leaseSeconds: LEASE_SECONDS,
        busyTenants: inFlight.tenants,
        busyChannels: inFlight.channels,
        busyLanes: inFlight.lanes,
      });
      const keys = new Map(leased.map((each) => [keyOf(each), each]));
      const channels: Channels = keys.size === 0 ? new Map() : await openChannels(tx, [...keys.values()]);
      return { channels, now: await admit(tx, await withoutSuperseded(tx, leased), channels) };
    });

  return {
    /**
     * Begins the attempts that are due, as many as there is room for.
     * @returns a promise for each, of the time when it is settled
     */
    async begin(signal: AbortSignal): Promise<readonly Promise<void>[]> {
      for (let waited = 0; inFlight.free() < ROOM.attempts && waited < ROOM.longestMs; waited += ROOM.everyMs)
        await pause(ROOM.everyMs);
      if (inFlight.free() === 0) return [];
      const { now, channels } = await leaseBatch();
      inFlight.begin(now);
      await failpoint('notifier.delivery.leased');
      return now.map((delivery) => attempt(delivery, channels.get(keyOf(delivery)), signal));
    },
  };
};

export type Dispatch = ReturnType<typeof createDispatch>;
