import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as anchors from './anchors.store.ts';
import * as clocks from './clocks.store.ts';
import type { MonotonicReading } from './monotonic-clock.ts';
import { ageSeconds, type Freshness, freshnessOf } from './staleness.ts';
import type { TimeOptions } from './time-options.ts';
import { trustedNow } from './trusted-now.ts';

type AnchorState = 'unknown' | 'untrusted' | Freshness;

/** Trusted time of a tenant. */
export interface TenantTime {
  readonly now: Date;
  /** Anchor that counts, else the latest one that does not; undefined without any. */
  readonly anchor: anchors.Anchor | undefined;
  /** The anchor, if it counts. */
  readonly counted: anchors.Anchor | undefined;
  readonly state: AnchorState;
  /** Age of the anchor in seconds; null without one. */
  readonly ageSeconds: number | null;
}

/** Reason why an anchor cannot be relied on. */
type AnchorReason = 'anchor_unknown' | 'anchor_untrusted' | 'anchor_breach';

const WORDS: Readonly<Record<AnchorReason, string>> = {
  anchor_unknown: 'the tenant has no time anchor',
  anchor_untrusted: 'the tenant’s time anchor is not trusted',
  anchor_breach: 'the tenant’s time anchor is too old',
};

interface TimeDeps extends Pick<Deps, 'clock'> {
  readonly options: TimeOptions;
  readonly readMonotonicClock: () => MonotonicReading;
}

/** Creates the reader of a tenant's trusted time. */
export const createTenantTime = ({ clock, options, readMonotonicClock }: TimeDeps) => {
  const { roots, allowsUntrusted, allowsRequestRoots, staleness } = options;
  const rootDigests = new Set([...roots.authorities, ...roots.keys].map(({ digest }) => digest));
  /** Whether an anchor that was trusted still is: a root that was removed takes its anchors with it. */
  const isTrusted = ({ trusted, trustRootDigest }: anchors.Anchor): boolean =>
    trusted && trustRootDigest !== null && (allowsRequestRoots || rootDigests.has(trustRootDigest));

  /** Latest anchor that counts, else the latest one that does not. */
  const findAnchor = async (query: Query, tenant: TenantId): Promise<anchors.Anchor | undefined> => {
    const counted = allowsUntrusted
      ? undefined
      : await anchors.findLatestTrusted(query, tenant, allowsRequestRoots ? null : [...rootDigests]);
    return counted ?? anchors.findLatest(query, tenant);
  };

  const read = async (query: Query, tenant: TenantId): Promise<TenantTime> => {
    const anchor = await findAnchor(query, tenant);
    const known = await clocks.find(query, tenant);
    const counted = anchor && (isTrusted(anchor) || allowsUntrusted) ? anchor : undefined;
    const now = trustedNow({ wall: clock.now(), monotonic: readMonotonicClock(), highest: known?.highestNow }, counted);
    if (!anchor) return { now, anchor, counted, state: 'unknown', ageSeconds: null };
    const age = ageSeconds(now, anchor.anchorTime);
    return { now, anchor, counted, state: counted ? freshnessOf(age, staleness) : 'untrusted', ageSeconds: age };
  };

  /** Reason why the anchor does not carry a start while sealed: an old one does. */
  const startReason = ({ state }: TenantTime): AnchorReason | undefined =>
    state === 'unknown' || state === 'untrusted' ? `anchor_${state}` : undefined;

  return {
    read,
    isTrusted,
    startReason,
    /**
     * Trusted time for what is gated by it, such as an import while sealed.
     * @throws Fault airgap_anchor_unusable when the anchor is unknown, untrusted or too old
     */
    async require(query: Query, tenant: TenantId): Promise<TenantTime> {
      const time = await read(query, tenant);
      const reason = time.state === 'breach' ? 'anchor_breach' : startReason(time);
      if (reason !== undefined)
        throw new Fault('airgap_anchor_unusable', `This needs a time anchor, and ${WORDS[reason]}. Set one first.`, {
          reason,
          ageSeconds: time.ageSeconds,
        });
      return time;
    },
  };
};

export type TenantTimes = ReturnType<typeof createTenantTime>;
