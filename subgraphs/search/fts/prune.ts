import { BLOCK_BITS } from './assemble.ts';
import { BLOCK, type Bounds, basesOf, boundsOf } from './block-bounds.ts';
import { BlockQueue } from './block-queue.ts';
import { NONE } from './dictionary.ts';
import { isRemoved } from './live-segment.ts';
import { lowerBound, MAX_GROUPS, type Search, scoredAt, startInBlock } from './score.ts';
import type { Columns } from './segment.ts';
import { type ScoredDocument, TopDocuments } from './top-documents.ts';

/**
 * Up to so many documents are looked up in a term's postings one by one; otherwise the block's postings are scanned.
 */
const SMALL_LIMIT = 24;

/** State of the block in scoring: scores, and candidates. */
const scores = new Float64Array(BLOCK);
const best = new Float64Array(BLOCK);
const touched = new Uint16Array(BLOCK);
/** The groups that are in the block, the one that adds least first. */
const order = new Uint8Array(MAX_GROUPS);

/** Adds postings to the scores up to document `beyond`; returns the number of documents with a score. */
const addRun = (
  columns: Columns,
  from: number,
  end: number,
  factor: number,
  beyond: number,
  seenCount: number,
): number => {
  const { postingDocs, postingParts } = columns;
  let count = seenCount;
  for (let at = from; at < end; at++) {
    const doc = postingDocs[at] ?? 0;
    if (doc >= beyond) break;
    const i = doc & (BLOCK - 1);
    const before = scores[i] ?? 0;
    if (before === 0) touched[count++] = i;
    scores[i] = before + (postingParts[at] ?? 0) * factor;
  }
  return count;
};

/** Adds postings to the scores without recording the documents, for blocks whose documents are known. */
const addMore = (columns: Columns, from: number, end: number, factor: number, beyond: number): void => {
  const { postingDocs, postingParts } = columns;
  for (let at = from; at < end; at++) {
    const doc = postingDocs[at] ?? 0;
    if (doc >= beyond) return;
    const i = doc & (BLOCK - 1);
    scores[i] = (scores[i] ?? 0) + (postingParts[at] ?? 0) * factor;
  }
};

/** Keeps the best of several runs for each document. */
const raiseRun = (columns: Columns, from: number, end: number, factor: number, beyond: number): void => {
  const { postingDocs, postingParts } = columns;
  for (let at = from; at < end; at++) {
    const doc = postingDocs[at] ?? 0;
    if (doc >= beyond) return;
    const score = (postingParts[at] ?? 0) * factor;
    const i = doc & (BLOCK - 1);
    if (score > (best[i] ?? 0)) best[i] = score;
  }
};

/** Adds the best of several runs. @param seen how many documents have anything; -1 where it is known which are looked at */
const addBest = (seenCount: number): number => {
  let count = seenCount;
  for (let i = 0; i < BLOCK; i++) {
    const part = best[i] ?? 0;
    if (part === 0) continue;
    const before = scores[i] ?? 0;
    if (before === 0 && seenCount >= 0) touched[count++] = i;
    scores[i] = before + part;
    best[i] = 0;
  }
  return count;
};

/** Lowest chunk number of each block across segments. */
let leastNumbers = new Float64Array(0);

interface Run {
  readonly id: number;
  readonly factor: number;
}

class Pruning {
  readonly #search: Search;
  readonly #bases: Uint32Array;
  readonly #bounds: Bounds;
  readonly #top: TopDocuments;
  /** Known members by segment and group. */
  readonly #runs: readonly (readonly (readonly Run[])[])[];

  constructor(search: Search, limit: number) {
    this.#search = search;
    this.#bases = basesOf(search.segments);
    this.#bounds = boundsOf(search.segments, search.groups, this.#bases);
    this.#top = new TopDocuments(limit);
    const blocks = this.#bases.at(-1) ?? 0;
    if (leastNumbers.length < blocks) leastNumbers = new Float64Array(blocks * 2);
    search.segments.forEach((live, segment) => {
      leastNumbers.set(live.leastNumbers, this.#bases[segment] ?? 0);
    });
    this.#runs = search.segments.map((_, segment) =>
      search.groups.map(({ members }) =>
        members.flatMap(({ ids, factor }) => {
          const id = ids[segment] ?? NONE;
          return id === NONE ? [] : [{ id, factor }];
        }),
      ),
    );
  }

  found(): ScoredDocument[] {
    const queue = new BlockQueue(this.#bounds.sums, leastNumbers, this.#bases.at(-1) ?? 0);
    while (!queue.isEmpty) {
      const block = queue.first;
      const need = this.#need(block);
      // Every later block has at most this bound, and at an equal bound a higher number.
      if ((this.#bounds.sums[block] ?? 0) < need) break;
      queue.dropFirst();
      this.#visit(block, need);
    }
    return this.#top.sorted();
  }

  /** Least score that could enter the result: the threshold if the block may have a lower number, else one more. */
  #need(block: number): number {
    const { threshold, number } = this.#top;
    return (leastNumbers[block] ?? 0) < number ? threshold : threshold + 1;
  }

  #visit(block: number, need: number): void {
    let segment = 0;
    while (block >= (this.#bases[segment + 1] ?? 0)) segment++;
    const live = this.#search.segments[segment];
    if (!live) return;
    const { columns } = live.segment;
    const first = (block - (this.#bases[segment] ?? 0)) << BLOCK_BITS;
    const groups = this.#search.groups.length;
    const { greatest } = this.#bounds;
    const count = this.#sortGroups(block * groups, groups);
    // Groups whose sum is too low: a document in none of the other groups cannot be a result.
    let rest = 0;
    let idle = 0;
    for (; idle < count; idle++) {
      const more = rest + (greatest[block * groups + (order[idle] ?? 0)] ?? 0);
      if (more >= need) break;
      rest = more;
    }
    let seenCount = 0;
    for (let i = count - 1; i >= idle; i--)
      seenCount = this.#add(columns, segment, block, first, order[i] ?? 0, seenCount);
    for (let i = idle - 1; i >= 0; i--) {
      seenCount = keep(seenCount, need - rest);
      if (seenCount === 0) break;
      const group = order[i] ?? 0;
      rest -= greatest[block * groups + group] ?? 0;
      if (seenCount <= SMALL_LIMIT) this.#lookUp(columns, segment, block, first, group, seenCount);
      else this.#addMore(columns, segment, block, first, group);
    }
    this.#offer(segment, first, keep(seenCount, need));
    scores.fill(0);
  }

  #sortGroups(from: number, groups: number): number {
    const { greatest } = this.#bounds;
    let count = 0;
    for (let group = 0; group < groups; group++) {
      const bound = greatest[from + group] ?? 0;
      if (bound === 0) continue;
      let at = count++;
      for (; at > 0 && (greatest[from + (order[at - 1] ?? 0)] ?? 0) > bound; at--) order[at] = order[at - 1] ?? 0;
      order[at] = group;
    }
    return count;
  }

  /** Adds a group to the scores of the block. @returns how many documents have anything then */
  #add(columns: Columns, index: number, block: number, first: number, group: number, count: number): number {
    const runs = this.#runs[index]?.[group] ?? [];
    const [only] = runs;
    const beyond = first + BLOCK;
    const { postingOffsets } = columns;
    if (runs.length === 1 && only) {
      const start = this.#bounds.starts[block * this.#search.groups.length + group] ?? 0;
      return addRun(columns, start, postingOffsets[only.id + 1] ?? 0, only.factor, beyond, count);
    }
    for (const { id, factor } of runs)
      raiseRun(columns, startInBlock(columns, id, first >>> BLOCK_BITS), postingOffsets[id + 1] ?? 0, factor, beyond);
    return addBest(count);
  }

  #addMore(columns: Columns, index: number, block: number, first: number, group: number): void {
    const runs = this.#runs[index]?.[group] ?? [];
    const [only] = runs;
    if (runs.length > 1 || !only) {
      this.#add(columns, index, block, first, group, -1);
      return;
    }
    const start = this.#bounds.starts[block * this.#search.groups.length + group] ?? 0;
    addMore(columns, start, columns.postingOffsets[only.id + 1] ?? 0, only.factor, first + BLOCK);
  }

  /** Adds a group to those documents of the block that may still count. */
  #lookUp(columns: Columns, index: number, block: number, first: number, group: number, count: number): void {
    const { postingOffsets, postingDocs, postingParts } = columns;
    const runs = this.#runs[index]?.[group] ?? [];
    const known = this.#bounds.starts[block * this.#search.groups.length + group] ?? 0;
    for (let i = 0; i < count; i++) {
      const at = touched[i] ?? 0;
      let most = 0;
      for (const { id, factor } of runs) {
        const end = postingOffsets[id + 1] ?? 0;
        const start = runs.length === 1 ? known : startInBlock(columns, id, first >>> BLOCK_BITS);
        const posting = lowerBound(postingDocs, start, Math.min(end, start + at + 1), first + at);
        const score = posting < end && postingDocs[posting] === first + at ? (postingParts[posting] ?? 0) * factor : 0;
        if (score > most) most = score;
      }
      scores[at] = (scores[at] ?? 0) + most;
    }
  }

  #offer(index: number, first: number, count: number): void {
    const live = this.#search.segments[index];
    if (!live) return;
    const { columns } = live.segment;
    const filter = this.#search.filters?.[index];
    const top = this.#top;
    for (let i = 0; i < count; i++) {
      const at = touched[i] ?? 0;
      const doc = first + at;
      const score = scores[at] ?? 0;
      if (score < top.threshold || (score === top.threshold && (columns.numbers[doc] ?? 0) >= top.number)) continue;
      if (isRemoved(live.removed, doc) || (filter && !filter(columns, doc))) continue;
      top.offer(scoredAt(this.#search, index, doc, score));
    }
  }
}

/** Keeps candidates with at least this score. @returns their number */
const keep = (count: number, least: number): number => {
  let retainedCount = 0;
  for (let i = 0; i < count; i++) {
    const at = touched[i] ?? 0;
    if ((scores[at] ?? 0) >= least) touched[retainedCount++] = at;
  }
  return retainedCount;
};

/**
 * Finds the best entities: blocks of documents are scored by descending upper bound of their score, until no remaining
 * block could change the result. Within a block only documents of the required groups are scored, and other groups only
 * where they may still matter. Scores are sums of integers, so that their order does not matter. The result equals that
 * of `searchAll`.
 */
export const searchPruned = (search: Search, limit: number): ScoredDocument[] => new Pruning(search, limit).found();
