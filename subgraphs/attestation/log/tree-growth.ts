import { rootOf } from '@landfall/kernel/crypto/merkle';
import { createTileTree } from './tile-tree.ts';
import { edgeOf, HASH_BYTES, hashesAt, TILE_WIDTH, type Tile } from './tiles.ts';

export interface GrownTree {
  readonly size: number;
  readonly rootHash: Buffer;
  /** Tiles that are new or have become wider. */
  readonly changed: readonly Tile[];
  readonly edge: readonly Tile[];
}

const tilesOf = (level: number, first: number, hashes: Buffer): Tile[] => {
  const bytes = TILE_WIDTH * HASH_BYTES;
  return Array.from({ length: Math.ceil(hashes.length / bytes) }, (_, index) => ({
    level,
    index: first + index,
    hashes: hashes.subarray(index * bytes, (index + 1) * bytes),
  }));
};

/** Root of a full tile, which is a hash of the level above. */
const rootOfFull = ({ hashes }: Tile): Buffer => {
  const hashOf = (index: number): Buffer => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  return rootOf(Array.from({ length: TILE_WIDTH }, (_, index) => hashOf(index)));
};

const isFull = ({ hashes }: Tile): boolean => hashes.length === TILE_WIDTH * HASH_BYTES;

/** Appends leaf hashes to a tree, given all of its partial tiles in `edge`: full tiles never change. */
export const appendLeaves = (size: number, edge: readonly Tile[], leaves: readonly Uint8Array[]): GrownTree => {
  const changed: Tile[] = [];
  let added: readonly Uint8Array[] = leaves;
  for (let level = 0; added.length > 0; level++) {
    const known = edge.find((tile) => tile.level === level)?.hashes ?? Buffer.alloc(0);
    const tiles = tilesOf(level, hashesAt(level + 1, size), Buffer.concat([known, ...added]));
    changed.push(...tiles);
    added = tiles.filter(isFull).map(rootOfFull);
  }
  const resized = size + leaves.length;
  const latest = new Map([...edge, ...changed].map((tile) => [`${tile.level}/${tile.index}`, tile]));
  const partial = edgeOf(resized).flatMap(({ level, index }) => latest.get(`${level}/${index}`) ?? []);
  const rootHash = createTileTree(partial).root({ begin: 0, end: resized });
  return { size: resized, rootHash, changed, edge: partial };
};
