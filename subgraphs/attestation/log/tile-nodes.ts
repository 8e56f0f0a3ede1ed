import { createLru } from '@landfall/kernel/core/lru';
import { nodeHash } from '@landfall/kernel/crypto/merkle';
import { HASH_BYTES, TILE_HEIGHT, type Tile } from './tiles.ts';

/** Nodes of the Merkle tree inside a tile, computed on first use. */
export const createTileNodes = (hashes: Buffer) => {
  const known: Buffer[][] = Array.from({ length: TILE_HEIGHT }, () => []);
  /** Node `height` levels above the tile's hashes, at `position`; undefined beyond the tile. */
  const at = (height: number, position: number): Buffer | undefined => {
    if (height === 0) {
      const hash = hashes.subarray(position * HASH_BYTES, (position + 1) * HASH_BYTES);
      return hash.length === HASH_BYTES ? hash : undefined;
    }
    const found = known[height]?.[position];
    if (found) return found;
    const [left, right] = [at(height - 1, position * 2), at(height - 1, position * 2 + 1)];
    if (!left || !right) return undefined;
    const hash = nodeHash(left, right);
    const row = known[height];
    if (row) row[position] = hash;
    return hash;
  };
  return { hashes, at };
};

type TileNodes = ReturnType<typeof createTileNodes>;

/** Provides the nodes of a tile by its contents. */
export type NodesOf = (tile: Tile) => TileNodes;

/** Limit of cached tiles, about 3 MB of nodes. Upper tiles and the right edge are part of almost every proof. */
const MAX = 64;

/** Creates a cache of the most recently used tiles' nodes. A tile whose bytes have changed is computed again. */
export const createNodeCache = (): NodesOf => {
  const remembered = createLru<string, TileNodes>({ most: MAX });
  return ({ level, index, hashes }) => {
    const key = `${level}/${index}`;
    const found = remembered.get(key);
    const nodes = found?.hashes.equals(hashes) ? found : createTileNodes(hashes);
    remembered.set(key, nodes);
    return nodes;
  };
};
