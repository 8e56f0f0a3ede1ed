import { type Domain, ENTITY_TYPES, SEVERITIES } from '../domains.ts';
import type { LaneAnswer } from './lane.ts';
import type { Live } from './live.ts';
import type { Found } from './top.ts';

/** The best entities of a domain. */
export interface FoundInDomain {
  readonly domain: Domain;
  readonly segments: readonly Live[];
  readonly best: readonly Found[];
}

/** Counts an entity once a value, in however many domains it was found. */
class Tally {
  readonly #entities = new Map<string, Set<number>>();

  add(value: string | undefined, entity: number): void {
    if (value === undefined) return;
    const entities = this.#entities.get(value);
    if (entities) entities.add(entity);
    else this.#entities.set(value, new Set([entity]));
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#entities].map(([value, entities]) => [value, entities.size]));
  }
}

/** How many of the best entities have each value. */
export const countFacets = (found: readonly FoundInDomain[]): LaneAnswer['facets'] => {
  const tallies = { domain: new Tally(), severity: new Tally(), ecosystem: new Tally(), entityType: new Tally() };
  for (const { domain, segments, best } of found)
    for (const { place, doc, high, low } of best) {
      const segment = segments[place]?.segment;
      if (!segment) continue;
      // As much of the sixty-four bits as a number holds.
      const entity = high * 0x20_0000 + (low >>> 11);
      tallies.domain.add(domain, entity);
      tallies.severity.add(SEVERITIES[(segment.columns.severities[doc] ?? 0) - 1], entity);
      tallies.entityType.add(ENTITY_TYPES[(segment.columns.entityTypes[doc] ?? 0) - 1], entity);
      tallies.ecosystem.add(segment.ecosystems[(segment.columns.ecosystems[doc] ?? 0) - 1], entity);
    }
  return {
    domain: tallies.domain.counts(),
    severity: tallies.severity.counts(),
    ecosystem: tallies.ecosystem.counts(),
    entityType: tallies.entityType.counts(),
  };
};
