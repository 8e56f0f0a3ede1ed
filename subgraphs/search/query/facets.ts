import type { LaneAnswer } from '../fts/lane.ts';
import type { Facet } from './card.ts';

/** In the order in which they are told. */
const NAMES = ['domain', 'severity', 'ecosystem', 'entityType'] as const;

/** Of one facet. */
const MOST_VALUES = 20;

/** The counts of a lane as they are told: the most frequent value first, equal ones by name. */
export const facetsOf = (facets: LaneAnswer['facets']): Facet[] =>
  NAMES.map((name) => ({
    name,
    values: Object.entries(facets[name])
      .map(([value, count]) => ({ value, count }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
      .slice(0, MOST_VALUES),
  }));
