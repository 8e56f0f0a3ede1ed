import type { TenantId } from '@landfall/kernel/core/ids';
import { createLru } from '@landfall/kernel/core/lru';
import type { Deps } from '@landfall/kernel/module';
import { countClicks } from './analytics.store.ts';

/** Recent clicks by entity key, zeros omitted. */
export type Popularity = (tenant: TenantId, entityKeys: readonly string[]) => Promise<ReadonlyMap<string, number>>;

const WINDOW_DAYS = 30;
/** Lifetime of cached counts in milliseconds. */
const FRESH_MS = 60_000;
/** Maximum number of cached counts of all tenants. */
const MAX_ENTRIES = 20_000;

export const createPopularity = ({ database, clock }: Pick<Deps, 'database' | 'clock'>): Popularity => {
  const popularityCache = createLru<string, number>({
    most: MAX_ENTRIES,
    lifeMs: FRESH_MS,
    now: () => clock.now().getTime(),
  });
  const slotOf = (tenant: TenantId, entityKey: string): string => `${tenant}\0${entityKey}`;

  return async (tenant, entityKeys) => {
    const found = new Map(
      entityKeys.map((entityKey) => [entityKey, popularityCache.get(slotOf(tenant, entityKey))] as const),
    );
    const missing = entityKeys.filter((entityKey) => found.get(entityKey) === undefined);
    if (missing.length > 0) {
      const rows = await database.read(tenant, (query) => countClicks(query, tenant, missing, WINDOW_DAYS));
      const counts = new Map(rows.map((row) => [row.entityKey, row.clicks]));
      for (const entityKey of missing) {
        const clicks = counts.get(entityKey) ?? 0;
        popularityCache.set(slotOf(tenant, entityKey), clicks);
        found.set(entityKey, clicks);
      }
    }
    return new Map([...found].flatMap(([entityKey, clicks = 0]) => (clicks > 0 ? [[entityKey, clicks] as const] : [])));
  };
};
