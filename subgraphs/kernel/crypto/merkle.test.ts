import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areSame, naiveTree } from '../testing/merkle.ts';
import {
  consistencyPath,
  consistencySubtrees,
  emptyRoot,
  inclusionPath,
  inclusionSubtrees,
  leafHash,
  nodeHash,
  rootOf,
  type Subtree,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts';

const naive = naiveTree(300);
const { leaves, leafAt, sizes } = naive;
const rootsOf = (subtrees: readonly Subtree[]): Buffer[] => subtrees.map(({ begin, end }) => naive.subtree(begin, end));
const flipped = (bytes: Uint8Array, bit = 0): Buffer => {
  const other = Buffer.from(bytes);
  other.writeUInt8(other.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return other;
};

/** Every path that differs from `path` by one hash: altered, left out, doubled; and one more at either end. */
const withTampering = (path: readonly Buffer[]): readonly (readonly Buffer[])[] => [
  ...path.flatMap((hash, i) => [path.with(i, flipped(hash, (i * 37) % 256)), path.toSpliced(i, 1)]),
  ...path.map((hash, i) => path.toSpliced(i, 0, hash)),
  [...path, emptyRoot],
  [emptyRoot, ...path],
];

test('roots are those that other implementations of RFC 6962 publish', () => {
  const data = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const hashes = data.map((hex) => leafHash(Buffer.from(hex, 'hex')));
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];
  assert.deepEqual(
    roots.map((_, n) => rootOf(hashes.slice(0, n)).toString('hex')),
    roots,
  );
});

test('every tree of 0 to 300 leaves has the root of the definition', () => {
  for (const n of sizes) assert.deepEqual(rootOf(leaves.slice(0, n)), naive.root(n));
});

test('every leaf of every tree of 0 to 300 leaves has a path that verifies for it and for no other', () => {
  for (const size of sizes) {
    const root = naive.root(size);
    for (let index = 0; index < size; index++) {
      const path = rootsOf(inclusionSubtrees(index, size));
      assert.ok(areSame(path, naive.inclusion(index, size)), `${index} of ${size}`);
      const proof = { index, size, leafHash: leafAt(index), path, root };
      assert.ok(verifyInclusion(proof), `${index} of ${size}`);
      const other = (index * 7 + 1) % size;
      assert.equal(verifyInclusion({ ...proof, index: other }), other === index, `${other} as ${index} of ${size}`);
    }
  }
});

test('every pair of trees of 0 to 300 leaves has a path that verifies for it', () => {
  for (const secondSize of sizes)
    for (let firstSize = 0; firstSize <= secondSize; firstSize++) {
      const path = rootsOf(consistencySubtrees(firstSize, secondSize));
      assert.ok(areSame(path, naive.consistency(firstSize, secondSize)), `${firstSize} to ${secondSize}`);
      const [firstRoot, secondRoot] = [naive.root(firstSize), naive.root(secondSize)];
      assert.ok(
        verifyConsistency({ firstSize, secondSize, firstRoot, secondRoot, path }),
        `${firstSize} ${secondSize}`,
      );
    }
});

// Hashing every leaf for every path takes half a minute for all the sizes: merkle.full.test.ts.
test('the paths over the leaves themselves are those of the definition', () => {
  for (const size of sizes.filter((n) => n <= 70 || [127, 128, 129, 255, 256, 257, 300].includes(n))) {
    const tree = leaves.slice(0, size);
    for (let index = 0; index < size; index++)
      assert.ok(areSame(inclusionPath(index, tree), naive.inclusion(index, size)), `${index} of ${size}`);
    for (let first = 0; first <= size; first++)
      assert.ok(areSame(consistencyPath(first, tree), naive.consistency(first, size)), `${first} to ${size}`);
  }
});

test('every inclusion path of up to 64 leaves is refused once anything in it is changed', () => {
  for (let size = 1; size <= 64; size++)
    for (let index = 0; index < size; index++) {
      const path = naive.inclusion(index, size);
      const proof = { index, size, leafHash: leafAt(index), path, root: naive.root(size) };
      const changes = [
        ...withTampering(path).map((other) => ({ ...proof, path: other })),
        { ...proof, leafHash: flipped(proof.leafHash) },
        { ...proof, root: flipped(proof.root, 255) },
        ...sizes.slice(0, size + 2).flatMap((other) => (other === index ? [] : [{ ...proof, index: other }])),
      ];
      for (const change of changes) assert.equal(verifyInclusion(change), false, `${index} of ${size}`);
    }
});

test('every consistency path of up to 64 leaves is refused once anything in it is changed', () => {
  for (let secondSize = 1; secondSize <= 64; secondSize++)
    for (let firstSize = 0; firstSize <= secondSize; firstSize++) {
      const path = naive.consistency(firstSize, secondSize);
      const [firstRoot, secondRoot] = [naive.root(firstSize), naive.root(secondSize)];
      const proof = { firstSize, secondSize, firstRoot, secondRoot, path };
      const changes = [
        ...withTampering(path).map((other) => ({ ...proof, path: other })),
        { ...proof, firstRoot: flipped(firstRoot) },
        // The empty tree makes no statement about its successors.
        ...(firstSize === 0 ? [] : [{ ...proof, secondRoot: flipped(secondRoot, 255) }]),
        ...(firstSize === secondSize ? [] : [{ ...proof, firstSize: secondSize, secondSize: firstSize }]),
      ];
      for (const change of changes) assert.equal(verifyConsistency(change), false, `${firstSize} to ${secondSize}`);
    }
});

test('a fork is refused: another history under the same sizes has no path', () => {
  for (const [firstSize, secondSize] of [
    [1, 2],
    [5, 9],
    [64, 300],
    [127, 128],
    [128, 129],
    [255, 300],
  ] as const) {
    const forked = leaves.with(firstSize - 1, leafHash(Buffer.from('another')));
    const path = consistencyPath(firstSize, forked.slice(0, secondSize));
    const secondRoot = rootOf(forked.slice(0, secondSize));
    const proof = { firstSize, secondSize, firstRoot: naive.root(firstSize), secondRoot, path };
    assert.equal(verifyConsistency(proof), false, `${firstSize} to ${secondSize}`);
  }
});

test('trees beyond 32 bits keep their shape: a proof is made and checked up to 2^53 - 1 leaves', () => {
  const repeated = (height: number): Buffer => {
    let root = leafHash(Buffer.from('same'));
    for (let level = 0; level < height; level++) root = nodeHash(root, root);
    return root;
  };
  const full = Array.from({ length: 54 }, (_, height) => repeated(height));
  // Every leaf is the same, so the root of a range depends on its length alone.
  const rootOfCount = (count: number): Buffer => {
    const heights = full.flatMap((_, height) => (Math.floor(count / 2 ** height) % 2 === 1 ? [height] : []));
    return heights.map((height) => full[height] ?? emptyRoot).reduce((low, high) => nodeHash(high, low));
  };
  const size = fc.integer({ min: 2 ** 31 - 2, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(size, fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
      const index = Math.min(n - 1, Math.floor(n * part));
      const roots = (subtrees: readonly { begin: number; end: number }[]): Buffer[] =>
        subtrees.map(({ begin, end }) => rootOfCount(end - begin));
      const path = roots(inclusionSubtrees(index, n));
      const proof = { index, size: n, leafHash: repeated(0), path, root: rootOfCount(n) };
      assert.ok(verifyInclusion(proof));
      assert.equal(verifyInclusion({ ...proof, path: path.toSpliced(0, 1) }), false);
      const [firstSize, firstRoot] = [index + 1, rootOfCount(index + 1)];
      const growth = { firstSize, secondSize: n, firstRoot, secondRoot: rootOfCount(n) };
      assert.ok(verifyConsistency({ ...growth, path: roots(consistencySubtrees(firstSize, n)) }));
    }),
  );
});

test('what is no proof is refused without an error', () => {
  const root = naive.root(3);
  const inclusion = { index: 1, size: 3, leafHash: leafAt(1), path: naive.inclusion(1, 3), root };
  const growth = { firstSize: 2, secondSize: 3, firstRoot: naive.root(2), secondRoot: root };
  const consistency = { ...growth, path: naive.consistency(2, 3) };
  assert.ok(verifyInclusion(inclusion) && verifyConsistency(consistency));
  for (const odd of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    for (const key of ['index', 'size']) assert.equal(verifyInclusion({ ...inclusion, [key]: odd }), false);
    for (const key of ['firstSize', 'secondSize'])
      assert.equal(verifyConsistency({ ...consistency, [key]: odd }), false);
  }
  const long = Array.from({ length: 200_000 }, () => emptyRoot);
  for (const path of [[Buffer.alloc(31)], [Buffer.alloc(33), Buffer.alloc(32)], [], long]) {
    assert.equal(verifyInclusion({ ...inclusion, path }), false);
    assert.equal(verifyConsistency({ ...consistency, path }), false);
  }
});

test('a path that cannot be is refused with its reason', () => {
  assert.throws(() => inclusionPath(3, leaves.slice(0, 3)), /no leaf 3 in a tree of 3/);
  assert.throws(() => inclusionPath(0, []), RangeError);
  assert.throws(() => inclusionPath(-1, leaves), RangeError);
  assert.throws(() => inclusionPath(0.5, leaves), RangeError);
  assert.throws(() => consistencyPath(4, leaves.slice(0, 3)), /tree of 3 does not hold one of 4/);
});
