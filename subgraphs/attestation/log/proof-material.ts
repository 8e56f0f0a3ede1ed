import { LogForked } from './log-forked.ts';
import type { NodesOf } from './tile-nodes.ts';
import { createTileTree, type TileTree } from './tile-tree.ts';
import type { MaterialRow } from './tiles.store.ts';
import { HASH_BYTES, type Tile, widthOf } from './tiles.ts';

/** The newest checkpoint with the tiles that proofs about one leaf take, all of one moment. */
export interface ProofMaterial {
  readonly size: number;
  readonly rootHash: Buffer;
  /** The log's own signature only. */
  readonly note: string;
  /** The note with its witnesses' lines. */
  readonly checkpoint: string;
  readonly tiles: readonly Tile[];
  readonly tree: TileTree;
  /** The leaf's entry; undefined beyond the tree. */
  readonly body: Buffer | undefined;
}

const tileOf = ({ level, tileIndex: index, hashes, size }: MaterialRow): Tile => {
  const width = widthOf({ level, index }, size);
  if (hashes?.length !== width * HASH_BYTES)
    throw new LogForked(`The tile ${level}/${index} is not ${width} hashes wide, as it must be in a tree of ${size}.`);
  return { level, index, hashes };
};

/**
 * Puts the rows of a proof together; undefined while the log is empty.
 * @throws LogForked where a tile is missing, or not as wide as the checkpoint's tree has it
 */
export const proofMaterialOf = (rows: readonly MaterialRow[], nodesOf?: NodesOf): ProofMaterial | undefined => {
  const [head] = rows;
  if (!head) return undefined;
  const { size, rootHash, note, cosignatures } = head;
  const tiles = rows.map(tileOf);
  const body = rows.find((row) => row.body !== null)?.body ?? undefined;
  return { size, rootHash, note, checkpoint: note + cosignatures, tiles, tree: createTileTree(tiles, nodesOf), body };
};
