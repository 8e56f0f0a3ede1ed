import { BLOCK_BITS } from './assemble.ts';
import { BLOCK } from './block-bounds.ts';
import { NONE } from './dictionary.ts';
import { isRemoved, type LiveSegment } from './live-segment.ts';
import { type Columns, documentsOf } from './segment.ts';
import type { Member, TermGroup } from './term-groups.ts';
import { compareScored, type ScoredDocument } from './top-documents.ts';

/** Limit of term groups, above the number of words of a query (weights.ts). */
export const MAX_GROUPS = 64;

export type Filter = (columns: Columns, doc: number) => boolean;

export interface Search {
  readonly segments: readonly LiveSegment[];
  readonly groups: readonly TermGroup[];
  /** A filter a segment; absent if all documents may be found. */
  readonly filters?: readonly Filter[] | undefined;
}

/** Index of the first element of `[from, to)` that is not below `value`. */
export const lowerBound = (array: Uint32Array, from: number, to: number, value: number): number => {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((array[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Start of a term's postings in a block, or their end. */
export const startInBlock = (columns: Columns, id: number, block: number): number => {
  const { postingOffsets, postingDocs, blockOffsets, blockIds, blockStarts } = columns;
  const end = postingOffsets[id + 1] ?? 0;
  const firstEntry = blockOffsets[id] ?? 0;
  const lastEntry = blockOffsets[id + 1] ?? 0;
  if (firstEntry === lastEntry) return lowerBound(postingDocs, postingOffsets[id] ?? 0, end, block << BLOCK_BITS);
  const entry = lowerBound(blockIds, firstEntry, lastEntry, block);
  return entry < lastEntry && blockIds[entry] === block ? (blockStarts[entry] ?? 0) : end;
};

export const scoredAt = ({ segments }: Search, index: number, doc: number, score: number): ScoredDocument => {
  const columns = segments[index]?.segment.columns;
  const number = columns?.numbers[doc] ?? 0;
  const high = columns?.entityHigh[doc] ?? 0;
  const low = columns?.entityLow[doc] ?? 0;
  return { score, number, place: index, doc, high, low };
};

export const searchExhaustively = (search: Search, limit: number): ScoredDocument[] => {
  const entities = new Map<string, ScoredDocument>();
  search.segments.forEach(({ segment, removed }, segmentIndex) => {
    const { columns } = segment;
    const filter = search.filters?.[segmentIndex];
    const scores = new Float64Array(documentsOf(segment));
    for (const { members } of search.groups) addGroup(columns, segmentIndex, members, scores);
    scores.forEach((score, doc) => {
      if (score === 0 || isRemoved(removed, doc) || (filter && !filter(columns, doc))) return;
      const found = scoredAt(search, segmentIndex, doc, score);
      const key = `${found.high} ${found.low}`;
      const known = entities.get(key);
      if (!known || compareScored(found, known) < 0) entities.set(key, found);
    });
  });
  return [...entities.values()].sort(compareScored).slice(0, limit);
};

const addGroup = (columns: Columns, index: number, members: readonly Member[], scores: Float64Array): void => {
  const best = new Map<number, number>();
  for (const { ids, factor } of members) {
    const id = ids[index] ?? NONE;
    const end = id === NONE ? 0 : (columns.postingOffsets[id + 1] ?? 0);
    for (let at = columns.postingOffsets[id] ?? 0; at < end; at++) {
      const doc = columns.postingDocs[at] ?? 0;
      best.set(doc, Math.max(best.get(doc) ?? 0, (columns.postingParts[at] ?? 0) * factor));
    }
  }
  for (const [doc, score] of best) scores[doc] = (scores[doc] ?? 0) + score;
};

/** A term's part in one document; 0 if it is not there. */
const termScore = (columns: Columns, id: number, doc: number): number => {
  const from = startInBlock(columns, id, doc >>> BLOCK_BITS);
  const end = columns.postingOffsets[id + 1] ?? 0;
  const at = lowerBound(columns.postingDocs, from, Math.min(end, from + BLOCK), doc);
  return at < end && columns.postingDocs[at] === doc ? (columns.postingParts[at] ?? 0) : 0;
};

const groupScore = (columns: Columns, members: readonly Member[], index: number, doc: number): number => {
  let most = 0;
  for (const { ids, factor } of members) {
    const id = ids[index] ?? NONE;
    if (id === NONE) continue;
    const score = termScore(columns, id, doc) * factor;
    if (score > most) most = score;
  }
  return most;
};

const parts = new Float64Array(MAX_GROUPS);

/** Score of each group in a document; valid until the next call. */
export const contributions = ({ segments, groups }: Search, index: number, doc: number): Float64Array => {
  const columns = segments[index]?.segment.columns;
  for (let i = 0; i < groups.length; i++)
    parts[i] = columns ? groupScore(columns, groups[i]?.members ?? [], index, doc) : 0;
  return parts;
};

export const scoreOf = (search: Search, index: number, doc: number): ScoredDocument => {
  const columns = search.segments[index]?.segment.columns;
  let score = 0;
  for (const { members } of search.groups) score += columns ? groupScore(columns, members, index, doc) : 0;
  return scoredAt(search, index, doc, score);
};
