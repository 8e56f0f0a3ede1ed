import { packSegment, type Segment } from './segment.ts';
import { hashOf, slotsFor } from './term-table.ts';
import { buildNeighbours } from './typo-tolerance.ts';

export interface SegmentParts {
  readonly tenant: string;
  readonly domain: string;
  readonly ecosystemNames: readonly string[];
  readonly termOffsets: Uint32Array;
  readonly termBytes: Uint8Array;
  /** Precomputed `hashOf` of each term; computed when absent. */
  readonly termHashes?: Uint32Array;
  readonly postingOffsets: Uint32Array;
  readonly postingDocs: Uint32Array;
  readonly postingParts: Uint16Array;
  readonly numbers: Float64Array;
  readonly entityHigh: Uint32Array;
  readonly entityLow: Uint32Array;
  readonly entityOffsets: Uint32Array;
  readonly entityBytes: Uint8Array;
  readonly severities: Uint8Array;
  readonly entityTypes: Uint8Array;
  readonly ecosystems: Uint16Array;
}

/** Documents are scored a block at a time: 512 of them. */
export const BLOCK_BITS = 9;
/** Terms in fewer documents have no blocks: their postings are as soon read. */
const MIN_FOR_BLOCKS = 1_024;

export const assemble = ({ tenant, domain, ecosystemNames, termHashes, ...columns }: SegmentParts): Segment => {
  const neighbours = buildNeighbours(columns.termOffsets, columns.termBytes);
  const numbers = chained(columns.numbers.length, (doc) => numberHash(columns.numbers[doc] ?? 0));
  const entities = chained(columns.numbers.length, (doc) => columns.entityLow[doc] ?? 0);
  return packSegment(
    { tenant, domain, ecosystems: ecosystemNames },
    {
      ...columns,
      termPlaces: buildTable(columns.termOffsets, columns.termBytes, termHashes),
      ...blocksOf(columns),
      neighbourOffsets: neighbours.offsets,
      neighbourTerms: neighbours.terms,
      numberHeads: numbers.heads,
      numberNext: numbers.next,
      entityHeads: entities.heads,
      entityNext: entities.next,
    },
  );
};

/** Hash of a chunk number. Numbers are consecutive, so their last bits are spread well. */
export const numberHash = (number: number): number => Math.imul(number % 0x1_0000_0000, 0x9e3779b1) >>> 0;

/** Chains documents by hash: `heads` and `next` hold documents plus one, 0 ends a chain. Later documents come first. */
const chained = (count: number, hash: (doc: number) => number): { heads: Uint32Array; next: Uint32Array } => {
  const heads = new Uint32Array(slotsFor(count >> 1));
  const next = new Uint32Array(count);
  for (let doc = 0; doc < count; doc++) {
    const slot = (hash(doc) >>> 0) & (heads.length - 1);
    next[doc] = heads[slot] ?? 0;
    heads[slot] = doc + 1;
  }
  return { heads, next };
};

const buildTable = (offsets: Uint32Array, bytes: Uint8Array, hashes: Uint32Array | undefined): Uint32Array => {
  const count = offsets.length - 1;
  const slots = new Uint32Array(slotsFor(count));
  const mask = slots.length - 1;
  for (let id = 0; id < count; id++) {
    let slot = (hashes?.[id] ?? hashOf(bytes, offsets[id] ?? 0, offsets[id + 1] ?? 0)) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = id + 1;
  }
  return slots;
};

type Postings = Pick<SegmentParts, 'postingOffsets' | 'postingDocs' | 'postingParts'>;

interface Blocks {
  readonly termMaxima: Uint16Array;
  readonly blockOffsets: Uint32Array;
  readonly blockIds: Uint32Array;
  readonly blockStarts: Uint32Array;
  readonly blockMaxima: Uint16Array;
}

const countBlocks = ({ postingOffsets, postingDocs }: Postings): Uint32Array => {
  const terms = postingOffsets.length - 1;
  const offsets = new Uint32Array(terms + 1);
  let count = 0;
  for (let term = 0; term < terms; term++) {
    const start = postingOffsets[term] ?? 0;
    const end = postingOffsets[term + 1] ?? 0;
    let last = -1;
    for (let at = start; end - start >= MIN_FOR_BLOCKS && at < end; at++) {
      const block = (postingDocs[at] ?? 0) >>> BLOCK_BITS;
      if (block !== last) count++;
      last = block;
    }
    offsets[term + 1] = count;
  }
  return offsets;
};

const greatest = (parts: Uint16Array, from: number, to: number): number => {
  let most = 0;
  for (let at = from; at < to; at++) if ((parts[at] ?? 0) > most) most = parts[at] ?? 0;
  return most;
};

const blocksOf = (postings: Postings): Blocks => {
  const { postingOffsets, postingDocs, postingParts } = postings;
  const blockOffsets = countBlocks(postings);
  const terms = postingOffsets.length - 1;
  const count = blockOffsets[terms] ?? 0;
  const blockIds = new Uint32Array(count);
  const blockStarts = new Uint32Array(count);
  const blockMaxima = new Uint16Array(count);
  const termMaxima = new Uint16Array(terms);
  for (let term = 0; term < terms; term++) {
    let entry = (blockOffsets[term] ?? 0) - 1;
    const end = postingOffsets[term + 1] ?? 0;
    const start = postingOffsets[term] ?? 0;
    termMaxima[term] = greatest(postingParts, start, end);
    // Rare terms have no blocks.
    const from = (blockOffsets[term + 1] ?? 0) > entry + 1 ? start : end;
    let last = -1;
    for (let at = from; at < end; at++) {
      const part = postingParts[at] ?? 0;
      const block = (postingDocs[at] ?? 0) >>> BLOCK_BITS;
      if (block !== last) {
        entry++;
        last = block;
        blockIds[entry] = block;
        blockStarts[entry] = at;
      }
      if (part > (blockMaxima[entry] ?? 0)) blockMaxima[entry] = part;
    }
  }
  return { termMaxima, blockOffsets, blockIds, blockStarts, blockMaxima };
};
