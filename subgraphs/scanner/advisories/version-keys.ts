import type { VersionOrder } from '../packages/version-order.ts';

/** Keys of an order that are cached before all are dropped: a few megabytes. */
const MOST_KEYS = 100_000;

const caches = new WeakMap<VersionOrder, Map<string, string>>();

/** Sort key of a version, cached: advisories of many packages list the same texts, and parsing costs more than all else. */
export const versionKey = (order: VersionOrder, version: string): string => {
  const keys = caches.getOrInsertComputed(order, () => new Map());
  const cached = keys.get(version);
  if (cached !== undefined) return cached;
  const key = order.sortKey(version);
  if (keys.size >= MOST_KEYS) keys.clear();
  keys.set(version, key);
  return key;
};
