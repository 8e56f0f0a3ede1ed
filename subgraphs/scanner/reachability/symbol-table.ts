/** Sorted unique symbol keys as UTF-8 bytes. A symbol's rank is its position. */
export interface SymbolTable {
  readonly size: number;
  /** Bytes of each key that it does not share with the key before it. */
  readonly bytes: Buffer;
  /** `size + 1` offsets; the own bytes of rank r are `bytes[offsets[r] .. offsets[r + 1])`. */
  readonly offsets: Uint32Array;
  /**
   * Bytes that each key shares with the key before it (front coding); undefined where every key is whole. A million
   * keys take a tenth of the memory, and touching new memory is what reading them costs.
   */
  readonly shared?: Uint16Array | undefined;
}

/** Keys from one that shares nothing to the next such one, so that a key can be read without all keys before it. */
const BLOCK_KEYS = 16;

/** Key as bytes in a buffer that the next call of the same reader uses again. */
interface KeyBytes {
  readonly bytes: Buffer;
  readonly length: number;
}

/** Reader of whole keys: of a front-coded table it reads the block of the key up to the key. */
const createKeyReader = ({ bytes, offsets, shared }: SymbolTable) => {
  let key = Buffer.alloc(256);
  return (rank: number): KeyBytes => {
    const first = shared === undefined ? rank : rank - (rank % BLOCK_KEYS);
    let length = 0;
    for (let at = first; at <= rank; at++) {
      const prefix = shared?.[at] ?? 0;
      const [from, to] = [offsets[at] ?? 0, offsets[at + 1] ?? 0];
      length = prefix + to - from;
      if (length > key.length) key = Buffer.concat([key], 2 * length);
      for (let own = from, into = prefix; own < to; own++, into++) key[into] = bytes[own] ?? 0;
    }
    return { bytes: key, length };
  };
};

export const keyAt = (table: SymbolTable, rank: number): string => {
  const { bytes, length } = createKeyReader(table)(rank);
  return bytes.toString('utf8', 0, length);
};

/** The same keys, each without the bytes that it shares with the key before it. */
export const frontCoded = (table: SymbolTable): SymbolTable & { readonly shared: Uint16Array } => {
  const { size, bytes, offsets } = table;
  if (table.shared !== undefined) return { ...table, shared: table.shared };
  const shared = new Uint16Array(size);
  const ownOffsets = new Uint32Array(size + 1);
  const own = Buffer.alloc(bytes.length);
  let used = 0;
  for (let rank = 0; rank < size; rank++) {
    const [before, from, to] = [offsets[rank - 1] ?? 0, offsets[rank] ?? 0, offsets[rank + 1] ?? 0];
    const most = rank % BLOCK_KEYS === 0 ? 0 : Math.min(from - before, to - from);
    let common = 0;
    while (common < most && bytes[before + common] === bytes[from + common]) common++;
    shared[rank] = common;
    used += bytes.copy(own, used, from + common, to);
    ownOffsets[rank + 1] = used;
  }
  return { size, bytes: own.subarray(0, used), offsets: ownOffsets, shared };
};

/** Order of two whole keys by their bytes. */
export const compareKeys = (a: SymbolTable, rank: number, b: SymbolTable, other: number): number =>
  a.bytes.compare(b.bytes, b.offsets[other], b.offsets[other + 1], a.offsets[rank], a.offsets[rank + 1]);

/** Union of two symbol tables: ranks over both, which are the node numbers of either graph. */
interface SymbolUnion {
  readonly size: number;
  /** Union rank of each symbol of the base; ascending. */
  readonly base: Uint32Array;
  /** Union rank of each symbol of the head; ascending. */
  readonly head: Uint32Array;
}

/** Order of the own bytes of two keys that share equally many bytes with a key that both follow. */
const compareOwn = (a: SymbolTable, rank: number, b: SymbolTable, other: number): number => {
  const [endA, endB] = [a.offsets[rank + 1] ?? 0, b.offsets[other + 1] ?? 0];
  let [atA, atB] = [a.offsets[rank] ?? 0, b.offsets[other] ?? 0];
  for (; atA < endA && atB < endB; atA++, atB++) {
    const difference = (a.bytes[atA] ?? 0) - (b.bytes[atB] ?? 0);
    if (difference !== 0) return difference;
  }
  return endA - atA - (endB - atB);
};

/**
 * Comparison of keys for a merge. `isAfterEqual`: the keys before both are equal. Of two such keys the one that shares
 * more bytes with the key before comes first, and mostly the own bytes alone are compared; at the start of a block,
 * which states no shared bytes, whole keys are.
 */
const createComparison = (a: SymbolTable, b: SymbolTable) => {
  const [readA, readB] = [createKeyReader(a), createKeyReader(b)];
  const { shared: sharedA } = a;
  const { shared: sharedB } = b;
  return (rank: number, other: number, isAfterEqual: boolean): number => {
    if (isAfterEqual && sharedA && sharedB && rank % BLOCK_KEYS !== 0 && other % BLOCK_KEYS !== 0) {
      const difference = (sharedB[other] ?? 0) - (sharedA[rank] ?? 0);
      return difference === 0 ? compareOwn(a, rank, b, other) : difference;
    }
    const [left, right] = [readA(rank), readB(other)];
    return left.bytes.compare(right.bytes, 0, right.length, 0, left.length);
  };
};

/** Merges two sorted tables in one pass over their bytes; no key becomes a string. */
export const uniteSymbols = (base: SymbolTable, head: SymbolTable): SymbolUnion => {
  const [ofBase, ofHead] = [new Uint32Array(base.size), new Uint32Array(head.size)];
  const compare = createComparison(base, head);
  let [b, h, rank] = [0, 0, 0];
  let order = -1;
  while (b < base.size && h < head.size) {
    order = compare(b, h, order === 0);
    if (order <= 0) ofBase[b++] = rank;
    if (order >= 0) ofHead[h++] = rank;
    rank++;
  }
  while (b < base.size) ofBase[b++] = rank++;
  while (h < head.size) ofHead[h++] = rank++;
  return { size: rank, base: ofBase, head: ofHead };
};
