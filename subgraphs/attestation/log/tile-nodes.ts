import { createLru } from '@landfall/kernel/core/lru';
import { nodeHash } from '@landfall/kernel/crypto/merkle';
import { HASH_BYTES, TILE_HEIGHT, type Tile } from './tiles.ts';

/** The nodes inside a tile, each hashed when it is first asked for. */
export const createTileNodes = (hashes: Buffer) => {
  const known: Buffer[][] = Array.from({ length: TILE_HEIGHT }, () => []);
  /** The node `height` levels above the tile's hashes, the `position`th of its height; undefined beyond the tile. */
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

/** Nodes of tiles by what the tiles hold. */
export type NodesOf = (tile: Tile) => TileNodes;

/** Upper tiles and the right edge are in almost every proof: about 3 MB of nodes. */
const MOST = 64;

/**
 * Keeps the nodes of the tiles that were asked for last. Losing them costs their hashing; one is used only for a tile of
 * the very same bytes, so that none is ever stale.
 */
export const createNodeCache = (): NodesOf => {
  const remembered = createLru<string, TileNodes>({ most: MOST });
  return ({ level, index, hashes }) => {
    const key = `${level}/${index}`;
    const found = remembered.get(key);
    const nodes = found?.hashes.equals(hashes) ? found : createTileNodes(hashes);
    remembered.set(key, nodes);
    return nodes;
  };
};
