import { createHash } from 'node:crypto';

// Comparing one buffer is far cheaper than a deep comparison, and there are 90,000 paths.
export const areSame = (left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean =>
  left.length === right.length && Buffer.concat(left).equals(Buffer.concat(right));

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hasher = createHash('sha256');
  for (const part of parts) hasher.update(part);
  return hasher.digest();
};

// The largest power of two below n.
const k = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);

/** Merkle tree as RFC 9162 2.1 defines it, over some leaves. */
interface NaiveTree {
  /** The hashes of all the leaves. */
  readonly leaves: readonly Buffer[];
  /** Every size of a tree, from none. */
  readonly sizes: readonly number[];
  leafAt(index: number): Buffer;
  root(size: number): Buffer;
  subtree(begin: number, end: number): Buffer;
  inclusion(index: number, size: number): Buffer[];
  consistency(first: number, size: number): Buffer[];
}

/**
 * Merkle tree by the definitions of RFC 9162 2.1.1 to 2.1.4.1 over `most` leaves, without optimisation; only roots are
 * cached.
 */
export const naiveTree = (most: number): NaiveTree => {
  const known = new Map<number, Buffer>();
  const created = (from: number, to: number): Buffer => {
    if (from === to) return sha256();
    if (to - from === 1) return sha256(Buffer.of(0), Buffer.from(`leaf ${from}`));
    const middle = from + k(to - from);
    return sha256(Buffer.of(1), subtree(from, middle), subtree(middle, to));
  };
  const subtree = (from: number, to: number): Buffer => {
    const key = from * (most + 1) + to;
    const root = known.get(key) ?? created(from, to);
    known.set(key, root);
    return root;
  };
  const path = (m: number, from: number, to: number): Buffer[] => {
    if (to - from <= 1) return [];
    const floorHalf = k(to - from);
    return m < floorHalf
      ? [...path(m, from, from + floorHalf), subtree(from + floorHalf, to)]
      : [...path(m - floorHalf, from + floorHalf, to), subtree(from, from + floorHalf)];
  };
  const subproof = (m: number, [from, to]: readonly [number, number], isKnown: boolean): Buffer[] => {
    if (m === to - from) return isKnown ? [] : [subtree(from, to)];
    const floorHalf = k(to - from);
    return m <= floorHalf
      ? [...subproof(m, [from, from + floorHalf], isKnown), subtree(from + floorHalf, to)]
      : [...subproof(m - floorHalf, [from + floorHalf, to], false), subtree(from, from + floorHalf)];
  };
  return {
    leaves: Array.from({ length: most }, (_, i) => subtree(i, i + 1)),
    sizes: Array.from({ length: most + 1 }, (_, n) => n),
    leafAt: (index) => subtree(index, index + 1),
    root: (size) => subtree(0, size),
    subtree,
    inclusion: (index, size) => path(index, 0, size),
    consistency: (first, size) => (first === 0 ? [] : subproof(first, [0, size], true)),
  };
};
