import { isRemoved } from './live-segment.ts';
import { type Search, scoredAt } from './score.ts';
import { documentsOf } from './segment.ts';
import type { ScoredDocument } from './top-documents.ts';

/** Documents that are looked at, in all segments: filters that let little through must not hold a search up. */
const MAX_EXAMINED = 200_000;

/** Latest documents that pass the filters, one an entity, for queries without words. */
export const listFiltered = (search: Search, limit: number): ScoredDocument[] => {
  const entities = new Set<string>();
  const found: ScoredDocument[] = [];
  let looked = 0;
  search.segments.forEach(({ segment, removed }, segmentIndex) => {
    const { columns } = segment;
    const filter = search.filters?.[segmentIndex];
    for (let doc = documentsOf(segment) - 1; doc >= 0 && found.length < limit && looked < MAX_EXAMINED; doc--) {
      looked++;
      if (isRemoved(removed, doc) || (filter && !filter(columns, doc))) continue;
      const one = scoredAt(search, segmentIndex, doc, 0);
      const key = `${one.high} ${one.low}`;
      if (entities.has(key)) continue;
      entities.add(key);
      found.push(one);
    }
  });
  return found;
};
