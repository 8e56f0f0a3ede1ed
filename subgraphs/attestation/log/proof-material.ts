import { LogForked } from './log-forked.ts';
import type { NodesOf } from './tile-nodes.ts';
import { createTileTree, type TileTree } from './tile-tree.ts';
import type { MaterialRow } from './tiles.store.ts';
import { HASH_BYTES, type Tile, widthOf } from './tiles.ts';

/** Newest checkpoint with the tiles needed for proofs about one leaf, read in one snapshot. */
export interface ProofMaterial {
  readonly size: number;
  readonly rootHash: Buffer;
  /** Note with only the log's own signature. */
  readonly note: string;
  /** Note with the witnesses' signatures. */
  readonly checkpoint: string;
  readonly tiles: readonly Tile[];
  readonly tree: TileTree;
  /** Entry of the leaf; undefined beyond the tree. */
  readonly body: Buffer | undefined;
}

const tileOf = ({ level, tileIndex: index, hashes, size }: MaterialRow): Tile => {
  const width = widthOf({ level, index }, size);
  if (hashes?.length !== width * HASH_BYTES)
    throw new LogForked(`The tile ${level}/${index} is not ${width} hashes wide, as it must be in a tree of ${size}.`);
  return { level, index, hashes };
};

/** Material of a proof from its rows, undefined for an empty log. Throws LogForked if a tile is missing or short. */
export const proofMaterialOf = (rows: readonly MaterialRow[], nodesOf?: NodesOf): ProofMaterial | undefined => {
  const [newest] = rows;
  if (!newest) return undefined;
  const { size, rootHash, note, cosignatures } = newest;
  const tiles = rows.map(tileOf);
  const body = rows.find((row) => row.body !== null)?.body ?? undefined;
  return { size, rootHash, note, checkpoint: note + cosignatures, tiles, tree: createTileTree(tiles, nodesOf), body };
};
