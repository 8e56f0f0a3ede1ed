import { BLOCK_BITS } from './assemble.ts';
import { NONE } from './dictionary.ts';
import type { Group } from './groups.ts';
import { isRemoved, type Live } from './live.ts';
import { type Columns, documentsOf } from './segment.ts';
import { compareFound, type Found, Top } from './top.ts';

const BLOCK = 1 << BLOCK_BITS;

/** Which documents of a segment may be found. */
export type Filter = (columns: Columns, doc: number) => boolean;

/** What is searched for, where. */
export interface Search {
  readonly segments: readonly Live[];
  readonly groups: readonly Group[];
  /** A filter a segment; absent if all documents may be found. */
  readonly filters?: readonly Filter[] | undefined;
}

/** The first of `[from, to)` that is not below `value`. */
const lowerBound = (array: Uint32Array, from: number, to: number, value: number): number => {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((array[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Where a term's postings of a block begin, and no further than where its postings end. */
const startInBlock = (columns: Columns, id: number, block: number): number => {
  const { postingOffsets, postingDocs, blockOffsets, blockIds, blockStarts } = columns;
  const end = postingOffsets[id + 1] ?? 0;
  const firstEntry = blockOffsets[id] ?? 0;
  const lastEntry = blockOffsets[id + 1] ?? 0;
  if (firstEntry === lastEntry) return lowerBound(postingDocs, postingOffsets[id] ?? 0, end, block << BLOCK_BITS);
  const entry = lowerBound(blockIds, firstEntry, lastEntry, block);
  return entry < lastEntry && blockIds[entry] === block ? (blockStarts[entry] ?? 0) : end;
};

const scores = new Float64Array(BLOCK);
const best = new Float64Array(BLOCK);

/** Adds a member's parts in a block to what is best of its group there. */
const readBlock = (columns: Columns, id: number, factor: number, block: number): void => {
  const { postingOffsets, postingDocs, postingParts } = columns;
  const end = postingOffsets[id + 1] ?? 0;
  const beyond = (block + 1) << BLOCK_BITS;
  for (let at = startInBlock(columns, id, block); at < end; at++) {
    const doc = postingDocs[at] ?? 0;
    if (doc >= beyond) return;
    const score = (postingParts[at] ?? 0) * factor;
    const i = doc & (BLOCK - 1);
    if (score > (best[i] ?? 0)) best[i] = score;
  }
};

/** Adds the parts of a group's only member in a block to the scores. */
const addBlock = (columns: Columns, id: number, factor: number, block: number): void => {
  const { postingOffsets, postingDocs, postingParts } = columns;
  const end = postingOffsets[id + 1] ?? 0;
  const beyond = (block + 1) << BLOCK_BITS;
  for (let at = startInBlock(columns, id, block); at < end; at++) {
    const doc = postingDocs[at] ?? 0;
    if (doc >= beyond) return;
    const i = doc & (BLOCK - 1);
    scores[i] = (scores[i] ?? 0) + (postingParts[at] ?? 0) * factor;
  }
};

/** The scores of a block's documents. Groups are always added in the query's order: so is every bound, and so it holds. */
const scoreBlock = (columns: Columns, place: number, groups: readonly Group[], block: number): void => {
  scores.fill(0);
  for (const { members } of groups) {
    const here = members.filter(({ ids }) => (ids[place] ?? NONE) !== NONE);
    const [only] = here;
    if (!only) continue;
    if (here.length === 1) {
      addBlock(columns, only.ids[place] ?? NONE, only.factor, block);
      continue;
    }
    for (const { ids, factor } of here) readBlock(columns, ids[place] ?? NONE, factor, block);
    for (let i = 0; i < BLOCK; i++) scores[i] = (scores[i] ?? 0) + (best[i] ?? 0);
    best.fill(0);
  }
};

/** The greatest score that any document of each block may have, blocks of all segments behind one another. */
const boundsOf = ({ segments, groups }: Search, bases: Uint32Array): Float64Array => {
  const bounds = new Float64Array(bases[segments.length] ?? 0);
  segments.forEach(({ segment: { columns } }, place) => {
    const base = bases[place] ?? 0;
    const blocks = (bases[place + 1] ?? 0) - base;
    const greatest = new Float64Array(blocks);
    for (const { members } of groups) {
      let isAny = false;
      for (const { ids, factor } of members) {
        const id = ids[place] ?? NONE;
        if (id === NONE) continue;
        raise(greatest, columns, id, factor);
        isAny = true;
      }
      if (!isAny) continue;
      for (let i = 0; i < blocks; i++) bounds[base + i] = (bounds[base + i] ?? 0) + (greatest[i] ?? 0);
      greatest.fill(0);
    }
  });
  return bounds;
};

const raise = (greatest: Float64Array, columns: Columns, id: number, factor: number): void => {
  const { blockOffsets, blockIds, blockMaxima, postingOffsets, postingDocs, postingParts } = columns;
  const lastEntry = blockOffsets[id + 1] ?? 0;
  const firstEntry = blockOffsets[id] ?? 0;
  for (let entry = firstEntry; entry < lastEntry; entry++) {
    const block = blockIds[entry] ?? 0;
    const score = (blockMaxima[entry] ?? 0) * factor;
    if (score > (greatest[block] ?? 0)) greatest[block] = score;
  }
  if (lastEntry > firstEntry) return;
  const end = postingOffsets[id + 1] ?? 0;
  for (let at = postingOffsets[id] ?? 0; at < end; at++) {
    const block = (postingDocs[at] ?? 0) >>> BLOCK_BITS;
    const score = (postingParts[at] ?? 0) * factor;
    if (score > (greatest[block] ?? 0)) greatest[block] = score;
  }
};

const basesOf = (segments: readonly Live[]): Uint32Array => {
  const bases = new Uint32Array(segments.length + 1);
  segments.forEach(({ segment }, place) => {
    bases[place + 1] = (bases[place] ?? 0) + Math.ceil(documentsOf(segment) / BLOCK);
  });
  return bases;
};

/** Blocks by their bounds, the greatest first: a heap, of which mostly only the first few are taken. */
class BlockQueue {
  readonly #bounds: Float64Array;
  readonly #heap: Uint32Array;
  #size = 0;

  constructor(bounds: Float64Array) {
    this.#bounds = bounds;
    this.#heap = new Uint32Array(bounds.length);
    for (let block = 0; block < bounds.length; block++) if ((bounds[block] ?? 0) > 0) this.#heap[this.#size++] = block;
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** The bound of the next block; 0 if there is none. */
  get bound(): number {
    return this.#size === 0 ? 0 : (this.#bounds[this.#heap[0] ?? 0] ?? 0);
  }

  take(): number {
    const first = this.#heap[0] ?? 0;
    this.#heap[0] = this.#heap[--this.#size] ?? 0;
    this.#sink(0);
    return first;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const bounds = this.#bounds;
    const block = heap[from] ?? 0;
    const bound = bounds[block] ?? 0;
    let at = from;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (bounds[heap[child + 1] ?? 0] ?? 0) > (bounds[heap[child] ?? 0] ?? 0)) child++;
      if ((bounds[heap[child] ?? 0] ?? 0) <= bound) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = block;
  }
}

const foundAt = ({ segments }: Search, place: number, doc: number, score: number): Found => {
  const columns = segments[place]?.segment.columns;
  const [number, high, low] = [columns?.numbers[doc] ?? 0, columns?.entityHigh[doc] ?? 0, columns?.entityLow[doc] ?? 0];
  return { score, number, place, doc, high, low };
};

/** Calls `found` with the documents of a block whose scores reach what `least` says. */
const visitBlock = (
  search: Search,
  place: number,
  block: number,
  least: () => number,
  found: (f: Found) => void,
): void => {
  const live = search.segments[place];
  if (!live) return;
  const { columns } = live.segment;
  scoreBlock(columns, place, search.groups, block);
  const filter = search.filters?.[place];
  let threshold = least();
  for (let i = 0; i < BLOCK; i++) {
    const score = scores[i] ?? 0;
    if (score === 0 || score < threshold) continue;
    const doc = (block << BLOCK_BITS) + i;
    if (isRemoved(live.removed, doc) || (filter && !filter(columns, doc))) continue;
    found(foundAt(search, place, doc, score));
    threshold = least();
  }
};

/**
 * The best entities: blocks of documents are scored in the order of the greatest score that could be in them, until none
 * that is left could change the answer. The answer is that of `searchAll`, to the last bit of every score.
 */
export const searchPruned = (search: Search, limit: number): Found[] => {
  const bases = basesOf(search.segments);
  const queue = new BlockQueue(boundsOf(search, bases));
  const top = new Top(limit);
  const least = (): number => top.threshold;
  const offer = (found: Found): void => top.offer(found);
  // A block that could only reach the worst of the best may still hold a document of a lower number.
  while (queue.bound > 0 && queue.bound >= top.threshold) {
    const block = queue.take();
    const place = placeOf(bases, block);
    visitBlock(search, place, block - (bases[place] ?? 0), least, offer);
  }
  return top.sorted();
};

const placeOf = (bases: Uint32Array, block: number): number => {
  let place = 0;
  while (block >= (bases[place + 1] ?? 0)) place++;
  return place;
};

/** The same by scoring every document: for tests. */
export const searchAll = (search: Search, limit: number): Found[] => {
  const entities = new Map<string, Found>();
  search.segments.forEach(({ segment }, place) => {
    const keep = (found: Found): void => {
      const key = `${found.high} ${found.low}`;
      const known = entities.get(key);
      if (!known || compareFound(found, known) < 0) entities.set(key, found);
    };
    for (let block = 0; block << BLOCK_BITS < documentsOf(segment); block++)
      visitBlock(search, place, block, () => 0, keep);
  });
  return [...entities.values()].sort(compareFound).slice(0, limit);
};

/** A term's part in one document; 0 if it is not there. */
const partIn = (columns: Columns, id: number, doc: number): number => {
  const from = startInBlock(columns, id, doc >>> BLOCK_BITS);
  const end = columns.postingOffsets[id + 1] ?? 0;
  const at = lowerBound(columns.postingDocs, from, Math.min(end, from + BLOCK), doc);
  return at < end && columns.postingDocs[at] === doc ? (columns.postingParts[at] ?? 0) : 0;
};

/** What each group adds to one document's score. */
export const contributions = ({ segments, groups }: Search, place: number, doc: number): number[] => {
  const columns = segments[place]?.segment.columns;
  if (!columns) return groups.map(() => 0);
  return groups.map(({ members }) => {
    let most = 0;
    for (const { ids, factor } of members) {
      const id = ids[place] ?? NONE;
      const score = id === NONE ? 0 : partIn(columns, id, doc) * factor;
      if (score > most) most = score;
    }
    return most;
  });
};

/** One document's score, as a search would give it. */
export const scoreOf = (search: Search, place: number, doc: number): Found => {
  const score = contributions(search, place, doc).reduce((sum, part) => sum + part, 0);
  return foundAt(search, place, doc, score);
};
