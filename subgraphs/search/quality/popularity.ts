import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { countClicks } from './analytics.store.ts';

/** Recent clicks by entity key, zeros omitted. */
export type Popularity = (tenant: TenantId, entityKeys: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Window of clicks. */
const WINDOW_DAYS = 30;
/** A count may be so old: a click moves nothing up within a minute, and a page of results asks once a minute. */
const FRESH_MS = 60_000;
/** Counts that are kept, of all tenants. */
const MAX_KEPT = 20_000;

interface Kept {
  readonly clicks: number;
  readonly until: number;
}

export const createPopularity = ({ database, clock }: Pick<Deps, 'database' | 'clock'>): Popularity => {
  const kept = new Map<string, Kept>();
  const placeOf = (tenant: TenantId, entityKey: string): string => `${tenant}\0${entityKey}`;

  const keep = (tenant: TenantId, entityKeys: readonly string[], counts: ReadonlyMap<string, number>): void => {
    const until = clock.now().getTime() + FRESH_MS;
    for (const entityKey of entityKeys) {
      const place = placeOf(tenant, entityKey);
      // Taken out first, so that the oldest are at the front.
      kept.delete(place);
      kept.set(place, { clicks: counts.get(entityKey) ?? 0, until });
    }
    for (const place of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(place);
    }
  };

  return async (tenant, entityKeys) => {
    const now = clock.now().getTime();
    const missing = entityKeys.filter((entityKey) => (kept.get(placeOf(tenant, entityKey))?.until ?? 0) <= now);
    if (missing.length > 0) {
      const rows = await database.read(tenant, (query) => countClicks(query, tenant, missing, WINDOW_DAYS));
      keep(tenant, missing, new Map(rows.map((row) => [row.entityKey, row.clicks])));
    }
    const found = new Map<string, number>();
    for (const entityKey of entityKeys) {
      const clicks = kept.get(placeOf(tenant, entityKey))?.clicks ?? 0;
      if (clicks > 0) found.set(entityKey, clicks);
    }
    return found;
  };
};
