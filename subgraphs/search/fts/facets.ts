import { type Domain, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';
import type { LaneAnswer } from './lane.ts';
import type { LiveSegment } from './live-segment.ts';
import type { ScoredDocument } from './top-documents.ts';

interface FoundInDomain {
  readonly domain: Domain;
  readonly segments: readonly LiveSegment[];
  readonly best: readonly ScoredDocument[];
}

class Tally {
  readonly #seen = new Map<number, number>();
  readonly #counts: number[] = [];

  /** @param place slot; 0 for none */
  add(index: number, entity: number): void {
    if (index === 0) return;
    const mask = this.#seen.get(entity) ?? 0;
    if ((mask & (1 << index)) !== 0) return;
    this.#seen.set(entity, mask | (1 << index));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  counts(names: readonly string[]): Record<string, number> {
    return Object.fromEntries(
      names.flatMap((name, i) => {
        const count = this.#counts[i + 1];
        return count === undefined ? [] : [[name, count] as const];
      }),
    );
  }
}

/** Counts the values of a facet with an unbounded number of values. */
class NameTally {
  readonly #entities = new Map<string, Set<number>>();

  add(name: string | undefined, entity: number): void {
    if (name === undefined) return;
    const entities = this.#entities.get(name);
    if (entities) entities.add(entity);
    else this.#entities.set(name, new Set([entity]));
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#entities].map(([name, entities]) => [name, entities.size]));
  }
}

export const countFacets = (found: readonly FoundInDomain[]): LaneAnswer['facets'] => {
  const [severities, entityTypes, ecosystems] = [new Tally(), new Tally(), new NameTally()];
  for (const { segments, best } of found)
    for (const { place: segmentIndex, doc, high, low } of best) {
      const segment = segments[segmentIndex]?.segment;
      if (!segment) continue;
      const { columns } = segment;
      // As many of the sixty-four bits as a JavaScript number can represent.
      const entity = high * 0x20_0000 + (low >>> 11);
      severities.add(columns.severities[doc] ?? 0, entity);
      entityTypes.add(columns.entityTypes[doc] ?? 0, entity);
      ecosystems.add(segment.ecosystems[(columns.ecosystems[doc] ?? 0) - 1], entity);
    }
  return {
    // Number of distinct entities among a domain's best results.
    domain: Object.fromEntries(
      found.flatMap(({ domain, best }) => (best.length > 0 ? [[domain, best.length] as const] : [])),
    ),
    severity: severities.counts(SEVERITIES),
    ecosystem: ecosystems.counts(),
    entityType: entityTypes.counts(ENTITY_TYPES),
  };
};
