import type { TenantId } from '@landfall/kernel/core/ids';
import type { LeasedDelivery } from './jobs.store.ts';

/** Attempts under way in a process, at most: in all, of one tenant, of one channel, and to one person's receiver. */
export const AT_ONCE = { total: 256, tenant: 64, channel: 16, lane: 2 } as const;

/** Counts attempts under way, so that a slow receiver takes up no more than its channel's share. */
export const createInFlight = () => {
  const tenants = new Map<TenantId, number>();
  const channels = new Map<string, number>();
  const lanes = new Map<string, number>();
  let total = 0;
  const add = <K>(counts: Map<K, number>, key: K, by: number): void => {
    const next = (counts.get(key) ?? 0) + by;
    if (next > 0) counts.set(key, next);
    else counts.delete(key);
  };
  const move = (delivery: LeasedDelivery, by: 1 | -1): void => {
    total += by;
    add(tenants, delivery.tenant, by);
    add<string>(channels, delivery.channelId, by);
    if (delivery.lane !== delivery.channelId) add(lanes, delivery.lane, by);
  };
  return {
    /** Attempts of each tenant, of each channel and to each person's receiver. */
    tenants: tenants satisfies ReadonlyMap<TenantId, number>,
    channels: channels satisfies ReadonlyMap<string, number>,
    lanes: lanes satisfies ReadonlyMap<string, number>,
    /** Attempts that may still begin. */
    free: (): number => AT_ONCE.total - total,
    begin: (deliveries: readonly LeasedDelivery[]): void => {
      for (const delivery of deliveries) move(delivery, 1);
    },
    end: (delivery: LeasedDelivery): void => move(delivery, -1),
  };
};
