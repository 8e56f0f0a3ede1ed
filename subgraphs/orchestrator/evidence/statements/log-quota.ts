import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';

/** Burst of entries after a rest. */
const BURST = 256;
/** Sustained rate of entries. */
const PER_SECOND = 20;
/** Tenants that have rested are forgotten past this many. */
const REMEMBERED = 1_024;

interface Bucket {
  readonly tokens: number;
  /** Time of that count, in milliseconds. */
  readonly at: number;
}

/** Limits the entries of each tenant in this process by a token bucket of its own. */
export const createQuota = ({ now }: Clock) => {
  const buckets = new Map<TenantId, Bucket>();

  const held = ({ tokens, at }: Bucket, time: number): number =>
    Math.min(BURST, tokens + (Math.max(0, time - at) * PER_SECOND) / 1_000);

  const forgetRested = (time: number): void => {
    if (buckets.size <= REMEMBERED) return;
    for (const [tenant, bucket] of buckets) if (held(bucket, time) >= BURST) buckets.delete(tenant);
  };

  return {
    /** @throws Fault SYS_OVERLOADED that says when to come back */
    take(tenant: TenantId): void {
      const at = now().getTime();
      forgetRested(at);
      const tokens = held(buckets.get(tenant) ?? { tokens: BURST, at }, at);
      if (tokens < 1)
        throw new Fault('SYS_OVERLOADED', `A tenant logs ${PER_SECOND} entries a second here. Try again.`, {
          limit: PER_SECOND,
          retryAfter: Math.ceil((1 - tokens) / PER_SECOND),
        });
      buckets.set(tenant, { tokens: tokens - 1, at });
    },
  };
};
