import type { Columns } from './segment.ts';
import { hashOf } from './term-table.ts';

type Dictionary = Pick<Columns, 'termOffsets' | 'termBytes' | 'termPlaces' | 'postingOffsets'>;

export const NONE = -1;

export const find = ({ termOffsets, termBytes, termPlaces }: Dictionary, term: Uint8Array): number => {
  const mask = termPlaces.length - 1;
  let slot = hashOf(term, 0, term.length) & mask;
  // A table has free slots; one of a damaged file may have none.
  for (let looked = 0; looked <= mask; looked++) {
    const known = termPlaces[slot] ?? 0;
    if (known === 0) return NONE;
    if (isSame(termOffsets, termBytes, known - 1, term)) return known - 1;
    slot = (slot + 1) & mask;
  }
  return NONE;
};

const isSame = (offsets: Uint32Array, bytes: Uint8Array, id: number, term: Uint8Array): boolean => {
  const start = offsets[id] ?? 0;
  if ((offsets[id + 1] ?? 0) - start !== term.length) return false;
  for (let i = 0; i < term.length; i++) if (bytes[start + i] !== term[i]) return false;
  return true;
};

/** -1, 0 or 1 for terms before, with and after the prefix. */
const compareToPrefix = ({ termOffsets, termBytes }: Dictionary, id: number, prefix: Uint8Array): number => {
  const start = termOffsets[id] ?? 0;
  const end = termOffsets[id + 1] ?? 0;
  for (let i = 0; i < prefix.length; i++) {
    if (start + i >= end) return -1;
    const difference = (termBytes[start + i] ?? 0) - (prefix[i] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return 0;
};

/** The first number from `from` on whose term is above (or, `isEnd`, beyond) the prefix. */
const bound = (dictionary: Dictionary, prefix: Uint8Array, isEnd: boolean): number => {
  let low = 0;
  let high = dictionary.termOffsets.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const compared = compareToPrefix(dictionary, middle, prefix);
    if (compared < 0 || (isEnd && compared === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
};

export const rangeOf = (dictionary: Dictionary, prefix: Uint8Array): readonly [from: number, to: number] => [
  bound(dictionary, prefix, false),
  bound(dictionary, prefix, true),
];

export const frequencyOf = ({ postingOffsets }: Dictionary, id: number): number =>
  (postingOffsets[id + 1] ?? 0) - (postingOffsets[id] ?? 0);

export const termOf = ({ termOffsets, termBytes }: Dictionary, id: number): Uint8Array =>
  Uint8Array.from(termBytes.subarray(termOffsets[id] ?? 0, termOffsets[id + 1] ?? 0));
