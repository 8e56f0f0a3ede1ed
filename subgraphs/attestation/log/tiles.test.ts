import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  consistencyPath,
  consistencySubtrees,
  inclusionPath,
  inclusionSubtrees,
  leafHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '@landfall/kernel/crypto/merkle';
import fc from 'fast-check';
import { LogForked } from './log-forked.ts';
import { createTileTree } from './tile-tree.ts';
import {
  edgeOf,
  HASH_BYTES,
  parseTileNumber,
  pathOf,
  TILE_WIDTH,
  type Tile,
  type TileAddress,
  tileNumber,
  widthOf,
} from './tiles.ts';
import { appendLeaves } from './tree-growth.ts';

const leaves = Array.from({ length: 66_100 }, (_, index) => leafHash(Buffer.from(String(index))));

const keyOf = ({ level, index }: TileAddress): string => `${level}/${index}`;

/** All tiles of a tree that grew in steps of `step`. */
const tilesOf = (size: number, step: number): Map<string, Tile> => {
  const tiles = new Map<string, Tile>();
  for (let index = 0; index < size; index += step) {
    const edge = edgeOf(index).flatMap((address) => tiles.get(keyOf(address)) ?? []);
    for (const tile of appendLeaves(index, edge, leaves.slice(index, Math.min(size, index + step))).changed)
      tiles.set(keyOf(tile), tile);
  }
  return tiles;
};

/** Tree with only the tiles that a proof may read: those above one leaf and at the right edge. */
const treeFor = (tiles: Map<string, Tile>, leaf: number, size: number) =>
  createTileTree([...pathOf(leaf, size), ...edgeOf(size)].flatMap((address) => tiles.get(keyOf(address)) ?? []));

const assertProofs = (tiles: Map<string, Tile>, leaf: number, size: number): void => {
  const complete = leaves.slice(0, size);
  const { root } = treeFor(tiles, leaf, size);
  assert.deepEqual(root({ begin: 0, end: size }), rootOf(complete));
  assert.deepEqual(inclusionSubtrees(leaf, size).map(root), inclusionPath(leaf, complete));
  assert.deepEqual(consistencySubtrees(leaf + 1, size).map(root), consistencyPath(leaf + 1, complete));
  assert.deepEqual(root({ begin: 0, end: leaf + 1 }), rootOf(complete.slice(0, leaf + 1)));
};

/** Number of leaves up to the end of a lowest-level tile. */
const sizeUpTo = ({ level, index, hashes }: Tile): number =>
  level === 0 ? index * TILE_WIDTH + hashes.length / HASH_BYTES : 0;

const assertVerifies = (
  tiles: Map<string, Tile>,
  { leaf, size, root }: { readonly leaf: number; readonly size: number; readonly root: Buffer },
): void => {
  const tree = treeFor(tiles, leaf, size);
  const inclusion = inclusionSubtrees(leaf, size).map(tree.root);
  const input = leaves[leaf] ?? Buffer.alloc(0);
  assert.ok(verifyInclusion({ index: leaf, size, leafHash: input, path: inclusion, root }), `${leaf} of ${size}`);
  const path = consistencySubtrees(leaf + 1, size).map(tree.root);
  const firstRoot = tree.root({ begin: 0, end: leaf + 1 });
  assert.ok(verifyConsistency({ firstSize: leaf + 1, secondSize: size, firstRoot, secondRoot: root, path }));
};

test('proofs out of tiles are those of the whole tree, for trees of up to 600 leaves', () => {
  const tree = fc.integer({ min: 1, max: 600 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      leaf: fc.integer({ min: 0, max: size - 1 }),
      step: fc.integer({ min: 1, max: 300 }),
    }),
  );
  fc.assert(
    fc.property(tree, ({ size, leaf, step }) => assertProofs(tilesOf(size, step), leaf, size)),
    { numRuns: 200 },
  );
});

test('proofs hold around the sizes at which a tile of each level becomes full', () => {
  for (const size of [255, 256, 257, 511, 512, 513])
    for (const leaf of [0, 127, 254, size - 1]) assertProofs(tilesOf(size, 7), leaf, size);
});

test('proofs hold where a tile of the second level becomes full', () => {
  const tiles = tilesOf(65_279, 65_279);
  for (const size of [65_280, 65_281, 65_535, 65_536, 65_537, 65_792, 65_793]) {
    const before = Math.max(...[...tiles.values()].map(sizeUpTo));
    const edge = edgeOf(before).flatMap((address) => tiles.get(keyOf(address)) ?? []);
    for (const tile of appendLeaves(before, edge, leaves.slice(before, size)).changed) tiles.set(keyOf(tile), tile);
    const root = rootOf(leaves.slice(0, size));
    for (const leaf of [0, 255, 256, 65_278, size - 1]) assertVerifies(tiles, { leaf, size, root });
  }
});

test('how a tree grew leaves no trace in its tiles', () => {
  const bySteps = tilesOf(1_500, 1);
  for (const step of [2, 255, 256, 257, 1_500]) assert.deepEqual(tilesOf(1_500, step), bySteps);
});

test('tiles are as wide as the specification says of a tree of 70,000', () => {
  const widths = edgeOf(70_000).map((address) => [address.level, address.index, widthOf(address, 70_000)]);
  assert.deepEqual(widths, [
    [0, 273, 112],
    [1, 1, 17],
    [2, 0, 1],
  ]);
  assert.deepEqual(edgeOf(256), [{ level: 1, index: 0 }]);
  assert.deepEqual(edgeOf(0), []);
});

test('a subtree whose tile is not there is refused', () => {
  const { root } = createTileTree([]);
  assert.throws(() => root({ begin: 0, end: 1 }), LogForked);
});

test('tile numbers have one spelling', () => {
  assert.equal(tileNumber(0), '000');
  assert.equal(tileNumber(999), '999');
  assert.equal(tileNumber(1_000), 'x001/000');
  assert.equal(tileNumber(1_234_067), 'x001/x234/067');
  assert.deepEqual(parseTileNumber('x001/x234/067'), { index: 1_234_067, width: 256 });
  assert.deepEqual(parseTileNumber('273.p/112'), { index: 273, width: 112 });
  for (const bad of [
    '',
    '0',
    '0000',
    'x000/001',
    '001/002',
    'x001',
    '001.p/0',
    '001.p/256',
    '001.p/01',
    '001.p/',
    '-01',
  ])
    assert.equal(parseTileNumber(bad), undefined, bad);
  fc.assert(
    fc.property(fc.maxSafeNat(), (index) =>
      assert.deepEqual(parseTileNumber(tileNumber(index)), { index, width: 256 }),
    ),
  );
});
