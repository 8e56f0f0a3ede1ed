import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';

/** Burst capacity of a tenant's bucket, in entries. */
const BURST = 256;
/** Refill rate of a bucket, in entries a second. */
const PER_SECOND = 20;
/** Number of buckets above which full ones are deleted. */
const REMEMBERED = 1_024;

interface Bucket {
  readonly tokens: number;
  /** Time of that token count, in milliseconds. */
  readonly at: number;
}

/** Limits each tenant's log entries in this process by a token bucket. */
export const createQuota = ({ now }: Clock) => {
  const buckets = new Map<TenantId, Bucket>();

  const available = ({ tokens, at }: Bucket, time: number): number =>
    Math.min(BURST, tokens + (Math.max(0, time - at) * PER_SECOND) / 1_000);

  const forgetRested = (time: number): void => {
    if (buckets.size <= REMEMBERED) return;
    for (const [tenant, bucket] of buckets) if (available(bucket, time) >= BURST) buckets.delete(tenant);
  };

  return {
    /** Takes a token of a tenant's bucket; throws Fault SYS_OVERLOADED with the seconds to retry after. */
    spend(tenant: TenantId): void {
      const at = now().getTime();
      forgetRested(at);
      const tokens = available(buckets.get(tenant) ?? { tokens: BURST, at }, at);
      if (tokens < 1)
        throw new Fault('SYS_OVERLOADED', `A tenant logs ${PER_SECOND} entries a second here. Try again.`, {
          limit: PER_SECOND,
          retryAfter: Math.ceil((1 - tokens) / PER_SECOND),
        });
      buckets.set(tenant, { tokens: tokens - 1, at });
    },
  };
};
