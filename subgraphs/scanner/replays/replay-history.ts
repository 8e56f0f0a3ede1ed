import type { TenantId } from '@landfall/kernel/core/ids';
import type { RecordedReplay } from './score-replays.store.ts';

/** Replays of a scan that a list shows. */
export const LIST_LIMIT = 100;
/** Scans whose replays are in memory; the one without a replay for the longest time leaves first. */
const MAX_SCANS = 10_000;

/** History of the replays of this process, lost when it ends (spec 2.4, rulings 8). */
export const createReplayHistory = () => {
  const byScan = new Map<string, readonly RecordedReplay[]>();
  const keyOf = (tenant: TenantId, scanId: string): string => `${tenant}/${scanId}`;
  return {
    add(tenant: TenantId, replay: RecordedReplay): void {
      const key = keyOf(tenant, replay.scanId);
      const earlier = byScan.get(key) ?? [];
      byScan.delete(key);
      byScan.set(key, [replay, ...earlier].slice(0, LIST_LIMIT));
      const [oldest] = byScan.keys();
      if (byScan.size > MAX_SCANS && oldest !== undefined) byScan.delete(oldest);
    },
    /** Replays of a scan, the newest first. */
    list: (tenant: TenantId, scanId: string): readonly RecordedReplay[] => byScan.get(keyOf(tenant, scanId)) ?? [],
  };
};
