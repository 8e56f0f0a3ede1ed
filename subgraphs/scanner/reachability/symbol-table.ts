/** Sorted unique symbol keys: the UTF-8 bytes of all, one after another. A symbol's rank is its position. */
export interface SymbolTable {
  readonly size: number;
  readonly bytes: Buffer;
  /** `size + 1` offsets; the key of rank r is `bytes[offsets[r] .. offsets[r + 1])`. */
  readonly offsets: Uint32Array;
}

export const keyAt = ({ bytes, offsets }: SymbolTable, rank: number): string =>
  bytes.toString('utf8', offsets[rank], offsets[rank + 1]);

/** Order of two symbols by the bytes of their keys. */
export const compareKeys = (a: SymbolTable, rank: number, b: SymbolTable, other: number): number =>
  a.bytes.compare(b.bytes, b.offsets[other], b.offsets[other + 1], a.offsets[rank], a.offsets[rank + 1]);

/** Rank of a key; -1 where the table has no such symbol. */
export const rankOf = (table: SymbolTable, key: string): number => {
  const wanted = Buffer.from(key);
  const probe = { size: 1, bytes: wanted, offsets: Uint32Array.of(0, wanted.length) };
  let [low, high] = [0, table.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(table, middle, probe, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low < table.size && compareKeys(table, low, probe, 0) === 0 ? low : -1;
};

/** Union of two symbol tables: ranks over both, which are the node numbers of either graph. */
interface SymbolUnion {
  readonly size: number;
  /** Union rank of each symbol of the base; ascending. */
  readonly base: Uint32Array;
  /** Union rank of each symbol of the head; ascending. */
  readonly head: Uint32Array;
}

/** Merges two sorted tables in one pass over their bytes; no key becomes a string. */
export const uniteSymbols = (base: SymbolTable, head: SymbolTable): SymbolUnion => {
  const [ofBase, ofHead] = [new Uint32Array(base.size), new Uint32Array(head.size)];
  let [b, h, rank] = [0, 0, 0];
  while (b < base.size && h < head.size) {
    const order = compareKeys(base, b, head, h);
    if (order <= 0) ofBase[b++] = rank;
    if (order >= 0) ofHead[h++] = rank;
    rank++;
  }
  while (b < base.size) ofBase[b++] = rank++;
  while (h < head.size) ofHead[h++] = rank++;
  return { size: rank, base: ofBase, head: ofHead };
};
