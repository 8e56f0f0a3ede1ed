import { sortTerms } from './term-order.ts';

/** FNV-1a with a finalizer that spreads neighbouring terms. */
export const hashOf = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
};

/** Smallest power of two that leaves a table of `count` half empty. */
export const slotsFor = (count: number): number => {
  let slots = 8;
  while (slots < count * 2) slots *= 2;
  return slots;
};

/** Terms in the order of their first occurrence, numbered from 0: a hash table over one run of bytes. */
export class TermTable {
  #bytes = new Uint8Array(1 << 16);
  #used = 0;
  #offsets = new Uint32Array(1 << 12);
  #hashes = new Uint32Array(1 << 12);
  #places = new Uint32Array(1 << 13);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The number of the term, which is new if it equals what `count` was. */
  add(bytes: Uint8Array, length: number): number {
    const hash = hashOf(bytes, 0, length);
    const mask = this.#places.length - 1;
    let slot = hash & mask;
    for (let known = this.#places[slot] ?? 0; known !== 0; known = this.#places[slot] ?? 0) {
      if (this.#hashes[known - 1] === hash && this.#isSame(known - 1, bytes, length)) return known - 1;
      slot = (slot + 1) & mask;
    }
    return this.#append(bytes, length, hash, slot);
  }

  #isSame(id: number, bytes: Uint8Array, length: number): boolean {
    const start = this.#offsets[id] ?? 0;
    if ((this.#offsets[id + 1] ?? 0) - start !== length) return false;
    const known = this.#bytes;
    for (let i = 0; i < length; i++) if (known[start + i] !== bytes[i]) return false;
    return true;
  }

  #append(bytes: Uint8Array, length: number, hash: number, index: number): number {
    const id = this.#count++;
    if (this.#used + length > this.#bytes.length) this.#bytes = resized(this.#bytes, this.#used + length);
    this.#bytes.set(bytes.subarray(0, length), this.#used);
    this.#used += length;
    if (id + 2 > this.#offsets.length) {
      this.#offsets = resized(this.#offsets, id + 2);
      this.#hashes = resized(this.#hashes, id + 2);
    }
    this.#offsets[id + 1] = this.#used;
    this.#hashes[id] = hash;
    this.#places[index] = id + 1;
    if (this.#count * 2 > this.#places.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#places.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#count; id++) {
      let slot = (this.#hashes[id] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#places = slots;
  }

  /** Sorts distinct term numbers by the bytes of their terms. */
  sort(ids: Uint32Array): void {
    sortTerms({ offsets: this.#offsets, bytes: this.#bytes }, ids);
  }

  /** Concatenated terms of these numbers with their hashes. */
  gather(ids: Uint32Array): {
    readonly offsets: Uint32Array;
    readonly bytes: Uint8Array;
    readonly hashes: Uint32Array;
  } {
    const offsets = new Uint32Array(ids.length + 1);
    const hashes = new Uint32Array(ids.length);
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? 0;
      offsets[i + 1] = (offsets[i] ?? 0) + (this.#offsets[id + 1] ?? 0) - (this.#offsets[id] ?? 0);
      hashes[i] = this.#hashes[id] ?? 0;
    }
    const bytes = new Uint8Array(offsets[ids.length] ?? 0);
    const known = this.#bytes;
    let to = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? 0;
      const end = this.#offsets[id + 1] ?? 0;
      for (let at = this.#offsets[id] ?? 0; at < end; at++) bytes[to++] = known[at] ?? 0;
    }
    return { offsets, bytes, hashes };
  }
}

/** Copies an array to one that is at least twice as long, and long enough. */
export function resized(array: Uint8Array, least: number): Uint8Array<ArrayBuffer>;
export function resized(array: Uint16Array, least: number): Uint16Array<ArrayBuffer>;
export function resized(array: Uint32Array, least: number): Uint32Array<ArrayBuffer>;
export function resized(
  array: Uint8Array | Uint16Array | Uint32Array,
  least: number,
): Uint8Array | Uint16Array | Uint32Array {
  const length = Math.max(least, array.length * 2);
  const copy =
    array instanceof Uint8Array
      ? new Uint8Array(length)
      : array instanceof Uint16Array
        ? new Uint16Array(length)
        : new Uint32Array(length);
  copy.set(array);
  return copy;
}
