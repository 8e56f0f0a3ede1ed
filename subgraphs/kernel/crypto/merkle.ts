import { hash } from 'node:crypto';

/** Merkle tree of RFC 9162 2.1 over SHA-256, computed by division: bit operators of JavaScript have only 32 bits. */

const hashBytes = 32;
const none = new Uint8Array(0);

// Prefixes that keep a leaf from ever being read as a node (RFC 9162 2.1.1).
const prefixed = (prefix: 0 | 1, left: Uint8Array, right: Uint8Array): Buffer => {
  const bytes = Buffer.allocUnsafe(1 + left.length + right.length);
  bytes[0] = prefix;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  // Through hexadecimal, which takes half the time of a buffer from the hasher.
  return Buffer.from(hash('sha256', bytes), 'hex');
};

/** Hash of a leaf's bytes: SHA-256(0x00 ‖ bytes). */
export const leafHash = (bytes: Uint8Array): Buffer => prefixed(0, bytes, none);

/** Hash over two subtrees: SHA-256(0x01 ‖ left ‖ right). */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => prefixed(1, left, right);

/** Root of the empty tree: SHA-256 of no bytes. */
export const emptyRoot: Buffer = hash('sha256', none, 'buffer');

/** Range of leaves from `begin` (inclusive) to `end` (exclusive). */
export interface Subtree {
  readonly begin: number;
  readonly end: number;
}

// The largest power of two below `count`, which is at least two.
const split = (count: number): number => {
  let size = 1;
  while (size * 2 < count) size *= 2;
  return size;
};

const refuse = (name: string): never => {
  throw new RangeError(name);
};

/** Subtrees of a leaf's inclusion path, lowest first (RFC 9162 2.1.3.1). Throws RangeError if there is no such leaf. */
export const inclusionSubtrees = (index: number, size: number): readonly Subtree[] => {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || index < 0 || index >= size)
    return refuse(`There is no leaf ${index} in a tree of ${size}.`);
  const path: Subtree[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + split(end - start);
    path.push(index < middle ? { begin: middle, end } : { begin: start, end: middle });
    if (index < middle) end = middle;
    else start = middle;
  }
  return path.reverse();
};

/**
 * Subtrees whose roots prove that the first `first` leaves of a tree of `size` form the earlier tree (RFC 9162
 * 2.1.4.1), lowest first; empty when either tree is empty or both are equal.
 * @throws RangeError when the earlier tree is the larger one
 */
export const consistencySubtrees = (first: number, size: number): readonly Subtree[] => {
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(first) || first < 0 || first > size)
    return refuse(`A tree of ${size} does not hold one of ${first}.`);
  if (first === 0 || first === size) return [];
  const path: Subtree[] = [];
  let [start, end] = [0, size];
  while (end > first) {
    const middle = start + split(end - start);
    path.push(first <= middle ? { begin: middle, end } : { begin: start, end: middle });
    if (first <= middle) end = middle;
    else start = middle;
  }
  // A subtree that begins at the first leaf is the earlier tree itself, whose root the verifier has.
  if (start > 0) path.push({ begin: start, end });
  return path.reverse();
};

const rootIn = (leafHashes: readonly Uint8Array[], { begin, end }: Subtree): Buffer => {
  if (end - begin === 1) {
    const leaf = leafHashes[begin];
    return leaf ? Buffer.from(leaf) : refuse(`There is no leaf ${begin}.`);
  }
  const middle = begin + split(end - begin);
  return nodeHash(rootIn(leafHashes, { begin, end: middle }), rootIn(leafHashes, { begin: middle, end }));
};

/** Merkle root of leaf hashes of 32 bytes each. */
export const rootOf = (leafHashes: readonly Uint8Array[]): Buffer =>
  leafHashes.length === 0 ? emptyRoot : rootIn(leafHashes, { begin: 0, end: leafHashes.length });

/** Inclusion proof of a leaf in the tree of these hashes, lowest sibling first. Throws RangeError if it is missing. */
export const inclusionPath = (index: number, leafHashes: readonly Uint8Array[]): Buffer[] =>
  inclusionSubtrees(index, leafHashes.length).map((subtree) => rootIn(leafHashes, subtree));

/** Consistency proof of the first `first` leaf hashes in the tree of all. Throws RangeError if there are fewer. */
export const consistencyPath = (first: number, leafHashes: readonly Uint8Array[]): Buffer[] =>
  consistencySubtrees(first, leafHashes.length).map((subtree) => rootIn(leafHashes, subtree));

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const isHash = ({ length }: Uint8Array): boolean => length === hashBytes;

const areEqual = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;

const isOdd = (value: number): boolean => value % 2 === 1;

const floorHalf = (value: number): number => Math.floor(value / 2);

// Position of a walk: the node's index in its level, and the index of the level's last node.
interface Position {
  readonly at: number;
  readonly last: number;
}

const above = ({ at, last }: Position): Position => ({ at: floorHalf(at), last: floorHalf(last) });

// The last node of a level that has no sibling moves up as it is, until it has one on its left.
const pastPromotions = (position: Position): Position => {
  let next = position;
  while (!isOdd(next.at) && next.at !== 0) next = above(next);
  return next;
};

interface InclusionProof {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** Whether the leaf is at `index` of the tree (RFC 9162 2.1.3.2). Malformed proofs return false and never throw. */
export const verifyInclusion = ({ index, size, leafHash: leaf, path, root }: InclusionProof): boolean => {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (![leaf, root].every(isHash) || !path.every(isHash)) return false;
  let position: Position = { at: index, last: size - 1 };
  let running = leaf;
  for (const sibling of path) {
    if (position.last === 0) return false;
    const isRight = isOdd(position.at) || position.at === position.last;
    running = isRight ? nodeHash(sibling, running) : nodeHash(running, sibling);
    if (isRight) position = pastPromotions(position);
    position = above(position);
  }
  return position.last === 0 && areEqual(running, root);
};

interface ConsistencyProof {
  readonly firstSize: number;
  readonly secondSize: number;
  readonly firstRoot: Uint8Array;
  readonly secondRoot: Uint8Array;
  readonly path: readonly Uint8Array[];
}

const isPowerOfTwo = (value: number): boolean => {
  let rest = value;
  while (!isOdd(rest)) rest /= 2;
  return rest === 1;
};

/** Algorithm of RFC 9162 2.1.4.2: both roots are recomputed from a node that the two trees share. */
const verifyGrowth = ({ firstSize, secondSize, firstRoot, secondRoot, path }: ConsistencyProof): boolean => {
  const isShared = isPowerOfTwo(firstSize);
  const shared = isShared ? firstRoot : path[0];
  if (!shared) return false;
  let position: Position = { at: firstSize - 1, last: secondSize - 1 };
  while (isOdd(position.at)) position = above(position);
  let [old, now] = [shared, shared];
  for (const sibling of isShared ? path : path.slice(1)) {
    if (position.last === 0) return false;
    const isRight = isOdd(position.at) || position.at === position.last;
    if (isRight) old = nodeHash(sibling, old);
    now = isRight ? nodeHash(sibling, now) : nodeHash(now, sibling);
    if (isRight) position = pastPromotions(position);
    position = above(position);
  }
  return position.last === 0 && areEqual(old, firstRoot) && areEqual(now, secondRoot);
};

/**
 * Whether the first tree is a prefix of the second (RFC 9162 2.1.4.2). Malformed proofs return false and never
 * throw. The empty tree is a prefix of every tree; its proof has an empty path and does not verify the second root.
 */
export const verifyConsistency = (proof: ConsistencyProof): boolean => {
  const { firstSize, secondSize, firstRoot, secondRoot, path } = proof;
  if (!isCount(firstSize) || !isCount(secondSize) || firstSize > secondSize) return false;
  if (![firstRoot, secondRoot].every(isHash) || !path.every(isHash)) return false;
  if (firstSize === secondSize && !areEqual(firstRoot, secondRoot)) return false;
  if (firstSize === 0) return path.length === 0 && areEqual(firstRoot, emptyRoot);
  return firstSize === secondSize ? path.length === 0 : verifyGrowth(proof);
};
