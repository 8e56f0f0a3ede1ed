import { assemble, type SegmentParts } from './assemble.ts';
import { isRemoved, type LiveSegment, liveCountOf } from './live-segment.ts';
import { type Columns, documentsOf, type Segment } from './segment.ts';

interface Source {
  readonly segment: Segment;
  /** A bit a document. */
  readonly removed: Uint8Array;
}

const REMOVED = 0xffff_ffff;

/** Target document numbers of each source, consecutive, without removed documents. */
const locate = (sources: readonly Source[]): { places: Uint32Array[]; count: number } => {
  let count = 0;
  const slots = sources.map(({ segment, removed }) =>
    Uint32Array.from({ length: documentsOf(segment) }, (_, doc) => (isRemoved(removed, doc) ? REMOVED : count++)),
  );
  return { places: slots, count };
};

const compareTerms = (a: Columns, idA: number, b: Columns, idB: number): number => {
  const startA = a.termOffsets[idA] ?? 0;
  const startB = b.termOffsets[idB] ?? 0;
  const lengthA = (a.termOffsets[idA + 1] ?? 0) - startA;
  const lengthB = (b.termOffsets[idB + 1] ?? 0) - startB;
  const length = Math.min(lengthA, lengthB);
  for (let i = 0; i < length; i++) {
    const difference = (a.termBytes[startA + i] ?? 0) - (b.termBytes[startB + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
};

class Writer {
  readonly termOffsets: Uint32Array;
  readonly termBytes: Uint8Array;
  readonly postingOffsets: Uint32Array;
  readonly postingDocs: Uint32Array;
  readonly postingParts: Uint16Array;
  #terms = 0;
  #postings = 0;

  constructor(sources: readonly Columns[]) {
    const sum = (length: (columns: Columns) => number): number => sources.reduce((all, one) => all + length(one), 0);
    const terms = sum(({ termOffsets }) => termOffsets.length - 1);
    this.termOffsets = new Uint32Array(terms + 1);
    this.termBytes = new Uint8Array(sum(({ termBytes }) => termBytes.length));
    this.postingOffsets = new Uint32Array(terms + 1);
    this.postingDocs = new Uint32Array(sum(({ postingDocs }) => postingDocs.length));
    this.postingParts = new Uint16Array(this.postingDocs.length);
  }

  postings({ postingOffsets, postingDocs, postingParts }: Columns, id: number, slots: Uint32Array): void {
    const end = postingOffsets[id + 1] ?? 0;
    for (let at = postingOffsets[id] ?? 0; at < end; at++) {
      const doc = slots[postingDocs[at] ?? 0] ?? REMOVED;
      if (doc === REMOVED) continue;
      this.postingDocs[this.#postings] = doc;
      this.postingParts[this.#postings++] = postingParts[at] ?? 0;
    }
  }

  term({ termOffsets, termBytes }: Columns, id: number): void {
    if (this.#postings === this.postingOffsets[this.#terms]) return;
    const start = this.termOffsets[this.#terms] ?? 0;
    const bytes = termBytes.subarray(termOffsets[id] ?? 0, termOffsets[id + 1] ?? 0);
    this.termBytes.set(bytes, start);
    this.#terms++;
    this.termOffsets[this.#terms] = start + bytes.length;
    this.postingOffsets[this.#terms] = this.#postings;
  }

  finish(): Pick<SegmentParts, 'termOffsets' | 'termBytes' | 'postingOffsets' | 'postingDocs' | 'postingParts'> {
    const termOffsets = this.termOffsets.subarray(0, this.#terms + 1);
    return {
      termOffsets,
      termBytes: this.termBytes.subarray(0, termOffsets[this.#terms] ?? 0),
      postingOffsets: this.postingOffsets.subarray(0, this.#terms + 1),
      postingDocs: this.postingDocs.subarray(0, this.#postings),
      postingParts: this.postingParts.subarray(0, this.#postings),
    };
  }
}

interface Head {
  readonly columns: Columns;
  readonly places: Uint32Array;
  readonly source: number;
  id: number;
}

/** Compares by term, then by source, which keeps the order of documents. */
const compareHeads = (a: Head, b: Head): number =>
  compareTerms(a.columns, a.id, b.columns, b.id) || a.source - b.source;

/** Lets the first of a heap sink to where it belongs. */
const sink = (heap: Head[], first: Head): void => {
  let index = 0;
  for (;;) {
    const remaining = heap[index * 2 + 1];
    const right = heap[index * 2 + 2];
    if (!remaining) break;
    const isRight = right !== undefined && compareHeads(right, remaining) < 0;
    const least = isRight ? right : remaining;
    if (compareHeads(first, least) < 0) break;
    heap[index] = least;
    index = index * 2 + (isRight ? 2 : 1);
  }
  heap[index] = first;
};

/** Walks all dictionaries at once, in the order of terms: the one whose term is the least is first of a heap. */
const mergeTerms = (sources: readonly Columns[], slots: readonly Uint32Array[]): ReturnType<Writer['finish']> => {
  const writer = new Writer(sources);
  const heads = sources.map((columns, source) => ({
    columns,
    places: slots[source] ?? new Uint32Array(0),
    source,
    id: 0,
  }));
  // A sorted array is a valid heap.
  const heap: Head[] = heads.filter(({ columns }) => columns.termOffsets.length > 1).sort(compareHeads);
  for (let head = heap[0]; head; head = heap[0]) {
    const { columns, id } = head;
    writer.postings(columns, id, head.places);
    head.id++;
    if (head.id + 1 < columns.termOffsets.length) sink(heap, head);
    else {
      const last = heap.pop();
      if (last && last !== head) sink(heap, last);
    }
    const next = heap[0];
    if (!next || compareTerms(next.columns, next.id, columns, id) !== 0) writer.term(columns, id);
  }
  return writer.finish();
};

type Documents = Omit<SegmentParts, keyof ReturnType<Writer['finish']> | 'tenant' | 'domain'>;

const mergeDocuments = (sources: readonly Source[], slots: readonly Uint32Array[], count: number): Documents => {
  const ecosystemNames = [...new Set(sources.flatMap(({ segment }) => segment.ecosystems))];
  const merged = {
    numbers: new Float64Array(count),
    entityHigh: new Uint32Array(count),
    entityLow: new Uint32Array(count),
    entityOffsets: new Uint32Array(count + 1),
    entityBytes: new Uint8Array(sources.reduce((sum, { segment }) => sum + segment.columns.entityBytes.length, 0)),
    severities: new Uint8Array(count),
    entityTypes: new Uint8Array(count),
    ecosystems: new Uint16Array(count),
  };
  sources.forEach(({ segment: { columns, ecosystems } }, i) => {
    const ecosystemNumbers = [0, ...ecosystems.map((name) => ecosystemNames.indexOf(name) + 1)];
    slots[i]?.forEach((to, doc) => {
      if (to === REMOVED) return;
      merged.numbers[to] = columns.numbers[doc] ?? 0;
      merged.entityHigh[to] = columns.entityHigh[doc] ?? 0;
      merged.entityLow[to] = columns.entityLow[doc] ?? 0;
      merged.severities[to] = columns.severities[doc] ?? 0;
      merged.entityTypes[to] = columns.entityTypes[doc] ?? 0;
      merged.ecosystems[to] = ecosystemNumbers[columns.ecosystems[doc] ?? 0] ?? 0;
      const key = columns.entityBytes.subarray(columns.entityOffsets[doc] ?? 0, columns.entityOffsets[doc + 1] ?? 0);
      const start = merged.entityOffsets[to] ?? 0;
      merged.entityBytes.set(key, start);
      merged.entityOffsets[to + 1] = start + key.length;
    });
  });
  return { ...merged, entityBytes: merged.entityBytes.subarray(0, merged.entityOffsets[count] ?? 0), ecosystemNames };
};

/** Merges segments of one tenant and domain from their postings, without deleted documents; scores stay valid. */
export const mergeSegments = (sources: readonly Source[]): Segment => {
  const { places: slots, count } = locate(sources);
  const columns = sources.map(({ segment }) => segment.columns);
  const { tenant = '', domain = '' } = sources[0]?.segment ?? {};
  return assemble({
    tenant,
    domain,
    ...mergeTerms(columns, slots),
    ...mergeDocuments(sources, slots, count),
  });
};

/** Number of segments of similar size that triggers a merge. */
export const MERGE_FACTOR = 4;
/** Merge fan-in while an index loads and few queries run: a larger one merges each posting fewer times. */
export const LOADING_MERGE_FACTOR = 12;
const SMALLEST = 256;
/** Share of removed documents that triggers a rewrite. */
const MAX_REMOVED = 0.3;

/** Sizes of one tier differ by no more than the fan: 0 is up to 256 documents. */
const tierOf = (live: LiveSegment): number =>
  Math.max(0, Math.ceil(Math.log(liveCountOf(live) / SMALLEST) / Math.log(MERGE_FACTOR)));

/**
 * Selects the segments to merge: a full tier with all smaller ones, or one with many removals. Undefined if no merge is
 * due.
 */
export const planMerge = (
  segments: readonly LiveSegment[],
  fan: number = MERGE_FACTOR,
): readonly LiveSegment[] | undefined => {
  const tiers = Map.groupBy(segments, tierOf);
  const full = [...tiers].filter(([, same]) => same.length >= fan).map(([tier]) => tier);
  if (full.length > 0) {
    const tier = Math.max(...full);
    return segments.filter((live) => tierOf(live) <= tier);
  }
  const expired = segments.find(
    (live) => documentsOf(live.segment) >= SMALLEST && live.removedCount > documentsOf(live.segment) * MAX_REMOVED,
  );
  return expired && [expired];
};
