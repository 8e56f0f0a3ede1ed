import { resized } from './term-table.ts';

const NONE = -1;

/** Cache of the terms of a character run, so that each distinct run is analysed once. Append only. */
export class RunCache {
  #keys = new Uint8Array(1 << 14);
  #keyEnds = new Uint32Array(1 << 11);
  #termEnds = new Uint32Array(1 << 11);
  #hashes = new Uint32Array(1 << 11);
  #places = new Uint32Array(1 << 12);
  #terms = new Uint32Array(1 << 12);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns the number of the cached run `bytes[start..end)`, which has the hash `hash`, or -1. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#places;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let known = slots[slot] ?? 0; known !== 0; known = slots[slot] ?? 0) {
      if (this.#hashes[known - 1] === hash && this.#isSame(known - 1, bytes, start, end)) return known - 1;
      slot = (slot + 1) & mask;
    }
    return NONE;
  }

  #isSame(run: number, bytes: Uint8Array, start: number, end: number): boolean {
    const keys = this.#keys;
    const from = this.#keyEnds[run] ?? 0;
    if ((this.#keyEnds[run + 1] ?? 0) - from !== end - start) return false;
    const shift = from - start;
    for (let at = start; at < end; at++) if (keys[at + shift] !== bytes[at]) return false;
    return true;
  }

  /** Appends the run's terms to `into` from `index` on, which has room. @returns where they end */
  copy(run: number, into: Uint32Array, index: number): number {
    const terms = this.#terms;
    const end = this.#termEnds[run + 1] ?? 0;
    let to = index;
    for (let from = this.#termEnds[run] ?? 0; from < end; from++) into[to++] = terms[from] ?? 0;
    return to;
  }

  /** Adds a run whose terms are `terms[from..to)`. */
  add(bytes: Uint8Array, start: number, end: number, hash: number, terms: Uint32Array, from: number, to: number): void {
    this.#append(bytes.subarray(start, end), terms.subarray(from, to));
    this.#hashes[this.#count] = hash;
    this.#count++;
    if (this.#count * 2 > this.#places.length) this.#places = new Uint32Array(this.#places.length * 2);
    else {
      this.#place(this.#count - 1);
      return;
    }
    for (let run = 0; run < this.#count; run++) this.#place(run);
  }

  #append(key: Uint8Array, terms: Uint32Array): void {
    const keyStart = this.#keyEnds[this.#count] ?? 0;
    const termStart = this.#termEnds[this.#count] ?? 0;
    const [keyEnd, termEnd] = [keyStart + key.length, termStart + terms.length];
    if (keyEnd > this.#keys.length) this.#keys = resized(this.#keys, keyEnd);
    if (termEnd > this.#terms.length) this.#terms = resized(this.#terms, termEnd);
    if (this.#count + 2 > this.#keyEnds.length) {
      this.#keyEnds = resized(this.#keyEnds, this.#count + 2);
      this.#termEnds = resized(this.#termEnds, this.#count + 2);
      this.#hashes = resized(this.#hashes, this.#count + 2);
    }
    this.#keys.set(key, keyStart);
    this.#terms.set(terms, termStart);
    this.#keyEnds[this.#count + 1] = keyEnd;
    this.#termEnds[this.#count + 1] = termEnd;
  }

  #place(run: number): void {
    const slots = this.#places;
    const mask = slots.length - 1;
    let slot = (this.#hashes[run] ?? 0) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = run + 1;
  }
}
