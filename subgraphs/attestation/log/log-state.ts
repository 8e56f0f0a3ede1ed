import { type CheckpointKey, openCheckpoint } from '../signature/checkpoint.ts';
import type { LogExtent } from './log.store.ts';
import { LogForked } from './log-forked.ts';
import type { ProofMaterial } from './proof-material.ts';
import type { RecordedTree } from './recorded-tree.ts';
import { edgeOf, type Tile } from './tiles.ts';

/** Tree that this process signed and must never contradict. */
export interface SignedCheckpoint {
  readonly size: number;
  readonly rootHash: Buffer;
}

/** Rows of a log before an append. */
interface LogRows {
  readonly extent: LogExtent | undefined;
  readonly material: ProofMaterial | undefined;
}

/** Trees that the rows must agree with. */
export interface KnownTrees {
  readonly origin: string;
  readonly keys: readonly CheckpointKey[];
  /** Checkpoint that this process signed last. */
  readonly signed: SignedCheckpoint | undefined;
  /** Tree that other tables recorded before this process signed anything; it survives a restart. */
  readonly floor: RecordedTree;
}

export interface LogState {
  readonly logId: number | undefined;
  readonly size: number;
  /** All tiles of the rows, including the partial ones. */
  readonly tiles: readonly Tile[];
  readonly edge: readonly Tile[];
}

const must = (claim: boolean, otherwise: string): void => {
  if (!claim) throw new LogForked(otherwise);
};

const verifyEmpty = ({ extent }: LogRows, { signed, floor }: KnownTrees): LogState => {
  must(extent === undefined || extent.last === null, 'There are entries and no checkpoint.');
  must(extent === undefined || extent.tiled === null, 'There are tiles and no checkpoint.');
  must(signed === undefined, `This process signed a tree of ${signed?.size}, and no checkpoint is left.`);
  must(floor.size === 0, `A tree of ${floor.size} is recorded, and no checkpoint is left.`);
  return { logId: extent?.id, size: 0, tiles: [], edge: [] };
};

const verifySignature = ({ note, size, rootHash }: ProofMaterial, { origin, keys }: KnownTrees): void => {
  const opened = openCheckpoint(note, { origin, keys });
  must(opened !== undefined, `The newest checkpoint is not signed by a key of ${origin}.`);
  must(opened?.size === size, 'The newest checkpoint is signed for another size than it is kept under.');
  must(opened?.rootHash.equals(rootHash) === true, 'The newest checkpoint is signed for another root than is kept.');
};

const verifySignedCheckpoint = ({ size, tree }: ProofMaterial, { signed }: KnownTrees): void => {
  if (!signed) return;
  must(signed.size <= size, `This process signed a tree of ${signed.size}; the newest checkpoint has ${size}.`);
  const root = tree.root({ begin: 0, end: signed.size });
  must(root.equals(signed.rootHash), `The tree of ${signed.size} entries is not the one that this process signed.`);
};

const verifyRecordedTree = ({ size, tree }: ProofMaterial, { signed, floor }: KnownTrees): void => {
  must(floor.size <= size, `A tree of ${floor.size} is recorded; the newest checkpoint has ${size}.`);
  // A checkpoint that this process signed for a larger tree implies the recorded tree.
  if (signed || !floor.checkpoint) return;
  const root = tree.root({ begin: 0, end: floor.checkpoint.size });
  must(
    root.equals(floor.checkpoint.rootHash),
    `The tree of ${floor.checkpoint.size} entries is not the one that a statement was proved in.`,
  );
};

/** Verifies the newest checkpoint against tiles, open entries and known trees (proofs 6.3). Throws LogForked. */
export const verifyLogState = (rows: LogRows, witnessed: KnownTrees): LogState => {
  const { extent, material } = rows;
  if (!material) return verifyEmpty(rows, witnessed);
  const { size, rootHash, tiles, tree } = material;
  verifySignature(material, witnessed);
  must(tree.root({ begin: 0, end: size }).equals(rootHash), `The tiles are not those of the signed tree of ${size}.`);
  verifySignedCheckpoint(material, witnessed);
  verifyRecordedTree(material, witnessed);
  must(extent?.last === size - 1, `The newest checkpoint has ${size} entries; the rows do not.`);
  must(extent?.tiled === size, `The newest checkpoint has ${size} entries; the tiles do not.`);
  const addresses = edgeOf(size);
  const edge = tiles.filter((tile) =>
    addresses.some(({ level, index }) => tile.level === level && tile.index === index),
  );
  const open = edge.find(({ level }) => level === 0)?.hashes ?? Buffer.alloc(0);
  must(extent?.openLeaves.equals(open) === true, 'An entry of the open tile is not the one that was logged.');
  return { logId: extent?.id, size, tiles, edge };
};
