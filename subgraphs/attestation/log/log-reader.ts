import {
  consistencySubtrees,
  inclusionSubtrees,
  leafHash,
  verifyConsistency,
  verifyInclusion,
} from '@landfall/kernel/crypto/merkle';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './log.store.ts';
import { LogForked } from './log-forked.ts';
import { type ProofMaterial, proofMaterialOf } from './proof-material.ts';
import { createNodeCache } from './tile-nodes.ts';
import * as tiles from './tiles.store.ts';
import { HASH_BYTES, TILE_LEVELS, TILE_WIDTH, type TileRequest } from './tiles.ts';
import type { Checkpoint, Consistency, LoggedEntry } from './transparency-log.ts';

interface ReadingDeps {
  readonly database: Database;
  readonly origin: string;
}

/** Builds an entry with its proof. Throws LogForked if a tile, the entry or the checkpoint was changed. */
const provedEntry = (index: number, { size, rootHash, checkpoint, tree, body }: ProofMaterial): LoggedEntry => {
  if (!body) throw new LogForked(`The entry ${index} is gone.`);
  const hashes = inclusionSubtrees(index, size).map(tree.root);
  if (!verifyInclusion({ index, size, leafHash: leafHash(body), path: hashes, root: rootHash }))
    throw new LogForked(`The entry ${index}, its tiles and the newest checkpoint contradict each other.`);
  return { index, body, treeSize: size, rootHash, hashes, checkpoint };
};

const provedGrowth = (firstSize: number, { size, rootHash, checkpoint, tree }: ProofMaterial): Consistency => {
  const path = consistencySubtrees(firstSize, size).map(tree.root);
  const firstRoot = tree.root({ begin: 0, end: firstSize });
  if (!verifyConsistency({ firstSize, secondSize: size, firstRoot, secondRoot: rootHash, path }))
    throw new LogForked(`The tiles of ${firstSize} entries and the newest checkpoint contradict each other.`);
  return { firstSize, treeSize: size, rootHash, hashes: path, checkpoint };
};

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Encodes entries as an entry bundle: two bytes of length before each body (C2SP tlog-tiles). */
const bundleOf = (bodies: readonly Buffer[]): Buffer =>
  Buffer.concat(
    bodies.flatMap((body) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(body.length);
      return [length, body];
    }),
  );

export const createLogReader = ({ database, origin }: ReadingDeps) => {
  const nodesOf = createNodeCache();
  const material = async (leaf: number): Promise<ProofMaterial | undefined> =>
    proofMaterialOf(await database.system.read((query) => tiles.listMaterial(query, origin, leaf)), nodesOf);

  return {
    async find(index: number): Promise<LoggedEntry | undefined> {
      const found = isCount(index) ? await material(index) : undefined;
      return found && index < found.size ? provedEntry(index, found) : undefined;
    },
    async consistency(size: number): Promise<Consistency | undefined> {
      const found = isCount(size) ? await material(Math.max(0, size - 1)) : undefined;
      if (!found || size > found.size) return undefined;
      const { rootHash, checkpoint } = found;
      // The empty tree begins every tree: there is nothing to prove (RFC 9162 2.1.4.1).
      if (size === 0) return { firstSize: 0, treeSize: found.size, rootHash, hashes: [], checkpoint };
      return provedGrowth(size, found);
    },
    async newest(): Promise<Checkpoint | undefined> {
      const row = await database.system.read((query) => store.findNewest(query, origin));
      if (!row) return undefined;
      const { size, rootHash, signedAt, note, cosignatures } = row;
      return { size, rootHash, note: note + cosignatures, signedAt };
    },
    /** Reads the first `width` hashes of a tile; undefined if the tree does not have them. */
    async tile(level: number, { index, width }: TileRequest): Promise<Buffer | undefined> {
      if (level >= TILE_LEVELS) return undefined;
      const row = await database.system.read((query) => tiles.findTile(query, origin, level, index));
      const hashes = row?.hashes.subarray(0, width * HASH_BYTES);
      return hashes?.length === width * HASH_BYTES ? hashes : undefined;
    },
    /** Reads the first `width` entries of a lowest-level tile as an entry bundle; undefined if some do not exist. */
    async bundle({ index, width }: TileRequest): Promise<Buffer | undefined> {
      const first = index * TILE_WIDTH;
      if (!Number.isSafeInteger(first + width)) return undefined;
      const rows = await database.system.read((query) => store.listBodies(query, origin, first, width));
      return rows.length === width ? bundleOf(rows.map(({ body }) => body)) : undefined;
    },
  };
};

export type LogReader = ReturnType<typeof createLogReader>;
