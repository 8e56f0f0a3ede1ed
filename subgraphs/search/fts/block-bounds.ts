import { BLOCK_BITS } from './assemble.ts';
import { NONE } from './dictionary.ts';
import type { LiveSegment } from './live-segment.ts';
import { type Columns, documentsOf } from './segment.ts';
import type { TermGroup } from './term-groups.ts';

/** Number of documents that are scored together. */
export const BLOCK = 1 << BLOCK_BITS;

/** Grown as needed and used by one search after the other: searches of a thread do not overlap. */
let greatest = new Float64Array(0);
let starts = new Uint32Array(0);
let sums = new Float64Array(0);

/** First block of each segment in the sequence of all, and the total at the end. */
export const basesOf = (segments: readonly LiveSegment[]): Uint32Array => {
  const bases = new Uint32Array(segments.length + 1);
  segments.forEach(({ segment }, segmentIndex) => {
    bases[segmentIndex + 1] = (bases[segmentIndex] ?? 0) + Math.ceil(documentsOf(segment) / BLOCK);
  });
  return bases;
};

export interface Bounds {
  /** Largest contribution of a group within a block, by block and group; 0 where the group does not occur. */
  readonly greatest: Float64Array;
  /** First posting of each group in a block, by block and group; only for groups with one member. */
  readonly starts: Uint32Array;
  /** Sum of the bounds of all groups, by block. */
  readonly sums: Float64Array;
}

/** Raises the bounds by a member's block maxima; `index` is the group's position in the segment's first block. */
const raise = (columns: Columns, id: number, factor: number, index: number, groups: number): void => {
  const { blockOffsets, blockIds, blockStarts, blockMaxima, postingOffsets, postingDocs, postingParts } = columns;
  const lastEntry = blockOffsets[id + 1] ?? 0;
  const firstEntry = blockOffsets[id] ?? 0;
  for (let entry = firstEntry; entry < lastEntry; entry++) {
    const offset = index + (blockIds[entry] ?? 0) * groups;
    const score = (blockMaxima[entry] ?? 0) * factor;
    starts[offset] = blockStarts[entry] ?? 0;
    if (score > (greatest[offset] ?? 0)) greatest[offset] = score;
  }
  if (lastEntry > firstEntry) return;
  const end = postingOffsets[id + 1] ?? 0;
  let last = -1;
  for (let posting = postingOffsets[id] ?? 0; posting < end; posting++) {
    const block = (postingDocs[posting] ?? 0) >>> BLOCK_BITS;
    const offset = index + block * groups;
    const score = (postingParts[posting] ?? 0) * factor;
    if (block !== last) starts[offset] = posting;
    if (score > (greatest[offset] ?? 0)) greatest[offset] = score;
    last = block;
  }
};

const clear = (blocks: number, groups: number): void => {
  if (greatest.length < blocks * groups) {
    greatest = new Float64Array(blocks * groups * 2);
    starts = new Uint32Array(blocks * groups * 2);
  } else greatest.fill(0, 0, blocks * groups);
  if (sums.length < blocks) sums = new Float64Array(blocks * 2);
};

export const boundsOf = (
  segments: readonly LiveSegment[],
  groups: readonly TermGroup[],
  bases: Uint32Array,
): Bounds => {
  const count = groups.length;
  const blocks = bases[segments.length] ?? 0;
  clear(blocks, count);
  groups.forEach(({ members }, group) => {
    for (const { ids, factor } of members)
      for (let segment = 0; segment < segments.length; segment++) {
        const id = ids[segment] ?? NONE;
        const columns = segments[segment]?.segment.columns;
        if (id !== NONE && columns) raise(columns, id, factor, (bases[segment] ?? 0) * count + group, count);
      }
  });
  for (let block = 0, at = 0; block < blocks; block++) {
    let sum = 0;
    for (const end = at + count; at < end; at++) sum += greatest[at] ?? 0;
    sums[block] = sum;
  }
  return { greatest, starts, sums };
};
