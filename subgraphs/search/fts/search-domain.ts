import { type Domain, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';
import { find, NONE, rangeOf } from './dictionary.ts';
import { listFiltered } from './filter-listing.ts';
import type { DomainHits, LaneFilters, LaneHit } from './lane.ts';
import { entityKeyIn, isRemoved, type LiveSegment } from './live-segment.ts';
import { searchPruned } from './prune.ts';
import { contributions, type Filter, type Search, scoreOf, searchExhaustively } from './score.ts';
import type { Segment } from './segment.ts';
import { publicScore } from './term-groups.ts';
import { compareScored, type ScoredDocument, TopDocuments } from './top-documents.ts';

const MAX_ALTERNATIVES = 2;
/** Documents of an entity considered for them in a segment. */
const MAX_SIBLINGS = 6;
/** Number of best hits that list further chunks of the entity; callers show at most as many. */
const MAX_WITH_ALTERNATIVES = 16;
/** Documents that a query may name exactly, in one segment. */
const MAX_NAMED = 10_000;
/** Number of documents that are scored one by one. */
const MAX_LOOKUPS = 100;

/** Allowed values as flags; undefined if all are. */
const indexesOf = (names: readonly string[], requested: readonly string[] | undefined): Uint8Array | undefined => {
  if (!requested) return undefined;
  const lower = new Set(requested.map((name) => name.toLowerCase()));
  return Uint8Array.from([0, ...names.map((name) => (lower.has(name.toLowerCase()) ? 1 : 0))]);
};

export const filterOf = (segment: Segment, filters: LaneFilters | undefined): Filter | undefined => {
  const severities = indexesOf(SEVERITIES, filters?.severity);
  const types = indexesOf(ENTITY_TYPES, filters?.entityType);
  const ecosystems = indexesOf(segment.ecosystems, filters?.ecosystem);
  if (!severities && !types && !ecosystems) return undefined;
  return (columns, doc) =>
    (!severities || severities[columns.severities[doc] ?? 0] === 1) &&
    (!types || types[columns.entityTypes[doc] ?? 0] === 1) &&
    (!ecosystems || ecosystems[columns.ecosystems[doc] ?? 0] === 1);
};

export class DomainSearch {
  readonly #search: Search;
  readonly #weights: readonly number[];
  /** Cache of hits by chunk, so that a chunk found by two queries is built once. */
  readonly #knownHits = new Map<number, LaneHit>();
  /** Total weight of the query's words, including words unknown in this domain. */
  readonly #whole: number;
  readonly #isListing: boolean;

  readonly domain: Domain;

  constructor(
    domain: Domain,
    search: Search,
    words: { readonly weights: readonly number[]; readonly whole: number; readonly isListing?: boolean },
  ) {
    this.domain = domain;
    this.#search = search;
    this.#weights = words.weights;
    this.#whole = words.whole;
    this.#isListing = words.isListing === true;
  }

  best(limit: number, isExhaustive: boolean): ScoredDocument[] {
    if (limit < 1) return [];
    if (this.#search.groups.length === 0) return this.#isListing ? listFiltered(this.#search, limit) : [];
    return isExhaustive ? searchExhaustively(this.#search, limit) : searchPruned(this.#search, limit);
  }

  named(own: readonly ExactName[], limit: number): ScoredDocument[] {
    if (limit < 1) return [];
    const named = this.#search.segments.map((live) => namedIn(live, own));
    const count = named.reduce((sum, docs) => sum + docs.size, 0);
    if (count > MAX_LOOKUPS) return this.#bestOf(named, limit);
    const top = new TopDocuments(limit);
    this.#search.segments.forEach((live, segment) => {
      const filter = this.#search.filters?.[segment];
      for (const doc of named[segment] ?? [])
        if (!filter || filter(live.segment.columns, doc)) top.offer(scoreOf(this.#search, segment, doc));
    });
    return top.sorted();
  }

  /** For many documents scans postings instead of scoring each. */
  #bestOf(named: readonly ReadonlySet<number>[], limit: number): ScoredDocument[] {
    const filters = named.map((docs, segment): Filter => {
      const filter = this.#search.filters?.[segment];
      return (columns, doc) => docs.has(doc) && (!filter || filter(columns, doc));
    });
    return searchPruned({ ...this.#search, filters }, limit);
  }

  hits(found: readonly ScoredDocument[]): DomainHits {
    return { domain: this.domain, hits: found.map((one, rank) => this.#hit(one, rank)) };
  }

  #hit(found: ScoredDocument, rank: number): LaneHit {
    const { number, score, place: segment, doc } = found;
    const known = this.#knownHits.get(number);
    if (known) return known;
    const parts = contributions(this.#search, segment, doc);
    let matched = 0;
    for (let i = 0; i < this.#weights.length; i++) if ((parts[i] ?? 0) > 0) matched += this.#weights[i] ?? 0;
    // Every hit of a listing covers the query in full.
    const coverage = this.#isListing ? 1 : this.#whole > 0 ? Math.min(1, matched / this.#whole) : 0;
    const live = this.#search.segments[segment];
    const entityKey = live ? entityKeyIn(live, doc) : '';
    const others = rank < MAX_WITH_ALTERNATIVES ? this.#others(found) : [];
    const hit = { number, entityKey, score: publicScore(score), coverage, others };
    this.#knownHits.set(number, hit);
    return hit;
  }

  #others({ high, low, number }: ScoredDocument): number[] {
    const found: ScoredDocument[] = [];
    this.#search.segments.forEach((live, segment) => {
      const { columns } = live.segment;
      const filter = this.#search.filters?.[segment];
      let looked = 0;
      // A chain is no longer than there are documents, unless the file is damaged.
      let most = columns.numbers.length;
      let next = columns.entityHeads[low & (columns.entityHeads.length - 1)] ?? 0;
      for (; next !== 0 && looked < MAX_SIBLINGS && most > 0; next = columns.entityNext[next - 1] ?? 0, most--) {
        const doc = next - 1;
        if (columns.entityLow[doc] !== low || columns.entityHigh[doc] !== high) continue;
        looked++;
        if (columns.numbers[doc] === number || isRemoved(live.removed, doc)) continue;
        if (!filter || filter(columns, doc)) found.push(scoreOf(this.#search, segment, doc));
      }
    });
    return found
      .filter(({ score }) => score > 0)
      .sort(compareScored)
      .slice(0, MAX_ALTERNATIVES)
      .map((other) => other.number);
  }
}

/** Exact name as a query term, and whether longer names with this prefix match too. */
export interface ExactName {
  readonly term: Uint8Array;
  readonly isPrefix: boolean;
}

const namedIn = ({ segment: { columns }, removed }: LiveSegment, own: readonly ExactName[]): Set<number> => {
  const docs = new Set<number>();
  for (const { term, isPrefix } of own) {
    const id = isPrefix ? NONE : find(columns, term);
    const [from, to] = isPrefix ? rangeOf(columns, term) : id === NONE ? [0, 0] : [id, id + 1];
    const end = columns.postingOffsets[to] ?? 0;
    for (let at = columns.postingOffsets[from] ?? 0; at < end && docs.size < MAX_NAMED; at++) {
      const doc = columns.postingDocs[at] ?? 0;
      if (!isRemoved(removed, doc)) docs.add(doc);
    }
  }
  return docs;
};
