import { BLOCK_BITS, numberHash } from './assemble.ts';
import { documentsOf, type Segment } from './segment.ts';

/** Searchable segment with its removed documents. */
export interface LiveSegment {
  /** Its name among all that there were in this process. */
  readonly id: number;
  readonly segment: Segment;
  /** A bit a document. */
  readonly removed: Uint8Array<SharedArrayBuffer>;
  removedCount: number;
  readonly least: number;
  readonly greatest: number;
  /** The least number of each block of documents. */
  readonly leastNumbers: Float64Array;
  readonly entityKeys: Buffer;
}

let created = 0;

const freshBits = (segment: Segment): Uint8Array<SharedArrayBuffer> =>
  new Uint8Array(new SharedArrayBuffer((documentsOf(segment) + 7) >> 3));

/** Wraps a segment and its deletion bits, both in shared memory, so that another thread can continue with them. */
export const liveSegmentOf = (segment: Segment, removed?: Uint8Array<SharedArrayBuffer>): LiveSegment => {
  const bits = removed ?? freshBits(segment);
  let removedCount = 0;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  const { numbers, entityBytes } = segment.columns;
  const entityKeys = Buffer.from(segment.buffer, entityBytes.byteOffset, entityBytes.length);
  const leastNumbers = new Float64Array(((numbers.length - 1) >> BLOCK_BITS) + 1).fill(Number.POSITIVE_INFINITY);
  for (let doc = 0; doc < numbers.length; doc++) {
    if (isRemoved(bits, doc)) removedCount++;
    const number = numbers[doc] ?? 0;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
    if (number < (leastNumbers[doc >> BLOCK_BITS] ?? 0)) leastNumbers[doc >> BLOCK_BITS] = number;
  }
  return { id: ++created, segment, removed: bits, removedCount, least, greatest, leastNumbers, entityKeys };
};

export const isRemoved = (removed: Uint8Array, doc: number): boolean =>
  ((removed[doc >> 3] ?? 0) & (1 << (doc & 7))) !== 0;

/** Removes the chunk of that number, wherever it is in the segment. */
export const removeNumber = (live: LiveSegment, number: number): void => {
  if (number < live.least || number > live.greatest) return;
  const { numbers, numberHeads, numberNext } = live.segment.columns;
  let next = numberHeads[numberHash(number) & (numberHeads.length - 1)] ?? 0;
  // A chain is no longer than there are documents, unless the file is damaged.
  for (let most = numbers.length; next !== 0 && most > 0; next = numberNext[next - 1] ?? 0, most--) {
    const doc = next - 1;
    if (numbers[doc] !== number || isRemoved(live.removed, doc)) continue;
    live.removed[doc >> 3] = (live.removed[doc >> 3] ?? 0) | (1 << (doc & 7));
    live.removedCount++;
  }
};

export const entityKeyIn = ({ segment, entityKeys }: LiveSegment, doc: number): string => {
  const { entityOffsets } = segment.columns;
  return entityKeys.toString('utf8', entityOffsets[doc] ?? 0, entityOffsets[doc + 1] ?? 0);
};

export const liveCountOf = (live: LiveSegment): number => documentsOf(live.segment) - live.removedCount;

/** Numbers of documents removed since the deletion bitmap was `before`. */
export const removedSince = ({ segment, removed }: LiveSegment, before: Uint8Array | undefined): number[] => {
  const numbers: number[] = [];
  for (let index = 0; index < removed.length; index++) {
    const fresh = (removed[index] ?? 0) & ~(before?.[index] ?? 0);
    for (let bit = 0; fresh !== 0 && bit < 8; bit++)
      if ((fresh & (1 << bit)) !== 0) numbers.push(segment.columns.numbers[index * 8 + bit] ?? 0);
  }
  return numbers;
};
