import { CallGraphError } from './call-graph-error.ts';
import { createNumberList } from './number-list.ts';
import { compareKeys, type SymbolTable } from './symbol-table.ts';

/** Keys in the order of a document, as UTF-8 bytes. */
export const createKeyList = (maxBytes: number) => {
  let bytes = Buffer.alloc(1 << 16);
  let used = 0;
  const offsets = createNumberList();
  offsets.push(0);
  const reserve = (length: number): void => {
    if (used + length > bytes.length) bytes = Buffer.concat([bytes], 2 * bytes.length + length);
  };
  const end = (): void => {
    if (used > maxBytes) throw new CallGraphError('too_large', `The symbol keys take more than ${maxBytes} bytes.`);
    offsets.push(used);
  };
  return {
    /** @throws CallGraphError when all keys together exceed the limit */
    push(key: string): void {
      // A UTF-16 code unit takes at most three bytes.
      reserve(3 * key.length);
      used += bytes.write(key, used);
      end();
    },
    /** Adds a key of a table with a suffix in ASCII. */
    copy(table: SymbolTable, position: number, suffix: string): void {
      const [from, to] = [table.offsets[position], table.offsets[position + 1] ?? 0];
      reserve(to - (from ?? 0) + suffix.length);
      used += table.bytes.copy(bytes, used, from, to);
      used += bytes.write(suffix, used, 'latin1');
      end();
    },
    table: (): SymbolTable => ({ size: offsets.length - 1, bytes: bytes.subarray(0, used), offsets: offsets.view() }),
  };
};

interface SortedSymbols {
  readonly table: SymbolTable;
  /** Rank of each key of the document. */
  readonly ranks: Uint32Array;
}

/** Sorts once: equal keys stay in the order of the document, and get their ordinals. */
const sortOnce = (keys: SymbolTable, maxBytes: number): SortedSymbols & { readonly hasRepeats: boolean } => {
  const positions = Uint32Array.from({ length: keys.size }, (_, i) => i);
  positions.sort((a, b) => compareKeys(keys, a, keys, b) || a - b);
  const ranks = new Uint32Array(keys.size);
  const sorted = createKeyList(maxBytes);
  let ordinal = 1;
  let hasRepeats = false;
  for (let rank = 0; rank < positions.length; rank++) {
    const position = positions[rank] ?? 0;
    const isRepeat = rank > 0 && compareKeys(keys, positions[rank - 1] ?? 0, keys, position) === 0;
    ordinal = isRepeat ? ordinal + 1 : 1;
    hasRepeats ||= isRepeat;
    sorted.copy(keys, position, isRepeat ? `|~${ordinal}` : '');
    ranks[position] = rank;
  }
  return { table: sorted.table(), ranks, hasRepeats };
};

/**
 * Sorted unique keys. From the second on, equal keys get their ordinal in the order of the document, such as `|~2`
 * (proofs 5.1); a key with an ordinal may sort after other keys, hence the second sort.
 */
export const sortSymbols = (keys: SymbolTable, maxBytes: number): SortedSymbols => {
  const first = sortOnce(keys, maxBytes);
  if (!first.hasRepeats) return first;
  const second = sortOnce(first.table, maxBytes);
  return { table: second.table, ranks: first.ranks.map((rank) => second.ranks[rank] ?? 0) };
};
