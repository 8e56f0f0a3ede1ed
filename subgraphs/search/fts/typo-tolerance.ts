import { isOneEdit, unitsOf } from './edit-distance.ts';
import type { Columns } from './segment.ts';
import { slotsFor } from './term-table.ts';

/**
 * Deletion neighbourhood of terms: each term is listed under itself and under itself without each letter, and so is a
 * looked-up word. Lists are grouped by hash, `terms[offsets[place]..offsets[place + 1]]`; collisions are removed by
 * comparing.
 */
interface Neighbours {
  readonly offsets: Uint32Array;
  readonly terms: Uint32Array;
}

/** Minimum length of a word that tolerates one edit. */
const SHORTEST = 4;
const MAX_LENGTH = 24;

const units = new Uint16Array(MAX_LENGTH + 2);
const other = new Uint16Array(MAX_LENGTH + 2);

/** The hash of the first `length` units without the one at `skipped`. */
const hashWithout = (word: Uint16Array, length: number, skipped: number): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) if (i !== skipped) hash = Math.imul(hash ^ (word[i] ?? 0), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
};

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;

/** Words of some length that begin with a letter of an alphabet: names, identifiers and numbers are meant as written. */
const lengthOf = (bytes: Uint8Array, start: number, end: number, into: Uint16Array): number => {
  const first = bytes[start] ?? 0;
  if (first < 4 || first >= 0xe0 || isDigit(first) || end - start < SHORTEST || end - start > MAX_LENGTH * 2) return 0;
  const length = unitsOf(bytes, start, end, into);
  return length < SHORTEST || length > MAX_LENGTH ? 0 : length;
};

export const buildNeighbours = (termOffsets: Uint32Array, termBytes: Uint8Array): Neighbours => {
  const count = termOffsets.length - 1;
  let entries = 0;
  for (let id = 0; id < count; id++) {
    const length = lengthOf(termBytes, termOffsets[id] ?? 0, termOffsets[id + 1] ?? 0, units);
    if (length > 0) entries += length + 1;
  }
  const slots = slotsFor(entries >> 2);
  const hashes = new Uint32Array(entries);
  const owners = new Uint32Array(entries);
  const offsets = new Uint32Array(slots + 1);
  let index = 0;
  for (let id = 0; id < count; id++) {
    const length = lengthOf(termBytes, termOffsets[id] ?? 0, termOffsets[id + 1] ?? 0, units);
    for (let skipped = length > 0 ? -1 : length; skipped < length; skipped++) {
      const slot = hashWithout(units, length, skipped) & (slots - 1);
      hashes[index] = slot;
      owners[index++] = id;
      offsets[slot] = (offsets[slot] ?? 0) + 1;
    }
  }
  return { offsets, terms: placed(offsets, hashes, owners) };
};

/** Counting sort: turns counts into starts while it distributes values. */
const placed = (offsets: Uint32Array, keys: Uint32Array, values: Uint32Array): Uint32Array => {
  const result = new Uint32Array(values.length);
  let end = 0;
  for (let slot = 0; slot < offsets.length; slot++) {
    end += offsets[slot] ?? 0;
    offsets[slot] = end;
  }
  for (let i = keys.length - 1; i >= 0; i--) {
    const slot = keys[i] ?? 0;
    const to = (offsets[slot] ?? 0) - 1;
    offsets[slot] = to;
    result[to] = values[i] ?? 0;
  }
  return result;
};

/** Calls `found` with terms at edit distance 1 from the word, possibly repeatedly. */
export const eachNeighbour = (
  dictionary: Pick<Columns, 'neighbourOffsets' | 'neighbourTerms' | 'termOffsets' | 'termBytes'>,
  word: Uint8Array,
  found: (term: number) => void,
): void => {
  const { neighbourOffsets: offsets, neighbourTerms: terms, termOffsets, termBytes } = dictionary;
  const length = lengthOf(word, 0, word.length, units);
  const mask = offsets.length - 2;
  for (let skipped = length > 0 ? -1 : length; skipped < length; skipped++) {
    const slot = hashWithout(units, length, skipped) & mask;
    const end = offsets[slot + 1] ?? 0;
    for (let at = offsets[slot] ?? 0; at < end; at++) {
      const term = terms[at] ?? 0;
      const otherLength = unitsOf(termBytes, termOffsets[term] ?? 0, termOffsets[term + 1] ?? 0, other);
      if (isOneEdit(units, length, other, otherLength)) found(term);
    }
  }
};
