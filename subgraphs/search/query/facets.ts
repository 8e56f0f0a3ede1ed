import type { LaneAnswer } from '../fts/lane.ts';
import type { Facet } from './card.ts';

/** Facet names in the order of the answer. */
const NAMES = ['domain', 'severity', 'ecosystem', 'entityType'] as const;

const MAX_VALUES = 20;

/** Facets by descending count, then by name. */
export const facetsOf = (facets: LaneAnswer['facets']): Facet[] =>
  NAMES.map((name) => ({
    name,
    values: Object.entries(facets[name])
      .map(([value, count]) => ({ value, count }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
      .slice(0, MAX_VALUES),
  }));
