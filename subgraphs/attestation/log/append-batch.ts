import { inclusionSubtrees, leafHash } from '@landfall/kernel/crypto/merkle';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Tx } from '@landfall/kernel/db/query';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { signCheckpoint } from '../signature/checkpoint.ts';
import * as store from './log.store.ts';
import { LogForked } from './log-forked.ts';
import { type KnownTrees, type LogState, type SignedCheckpoint, verifyLogState } from './log-state.ts';
import { proofMaterialOf } from './proof-material.ts';
import { createTileTree } from './tile-tree.ts';
import { listMaterial } from './tiles.store.ts';
import type { LoggedEntry } from './transparency-log.ts';
import { appendLeaves, type GrownTree } from './tree-growth.ts';

export interface Candidate {
  readonly body: Buffer;
  readonly bodyHash: Buffer;
}

interface Sequencing extends KnownTrees {
  readonly signer: Signer;
}

export interface Sequenced {
  /** Entries that this batch appended, by hex body hash. */
  readonly made: ReadonlyMap<string, LoggedEntry>;
  /** Index of entries that the log already had, by hex body hash. */
  readonly known: ReadonlyMap<string, number>;
  /** Signed checkpoint; undefined if every body was already logged. */
  readonly checkpoint: SignedCheckpoint | undefined;
}

/** Reads the log under its lock. The statements run in this order on one connection, and the lock comes first. */
const read = async (tx: Tx, origin: string, { signed, floor }: KnownTrees, batch: readonly Candidate[]) => {
  const leaf = Math.max(0, ((signed ?? floor.checkpoint)?.size ?? 0) - 1);
  const hashes = batch.map(({ bodyHash }) => bodyHash);
  const [, extent, rows, known] = await Promise.all([
    store.lock(tx, origin),
    store.findExtent(tx, origin),
    listMaterial(tx, origin, leaf),
    store.listByBodyHashes(tx, origin, hashes),
  ]);
  return { extent, material: proofMaterialOf(rows), known };
};

const write = async (
  tx: Tx,
  origin: string,
  {
    held: state,
    fresh,
    growth,
    note,
  }: { held: LogState; fresh: readonly Candidate[]; growth: GrownTree; note: string },
): Promise<void> => {
  const logId = state.logId ?? (await store.insertLog(tx, origin)).id;
  const { size, rootHash, changed } = growth;
  const bodies = fresh.map(({ body }) => body);
  const [, tiles] = await Promise.all([
    store.insertEntries(tx, logId, state.size, bodies),
    store.upsertTiles(tx, logId, changed),
    store.insertCheckpoint(tx, logId, { size, rootHash, note }),
  ]);
  if (tiles !== changed.length) throw new LogForked('There are tiles beyond the newest checkpoint.');
};

const proved = (
  state: LogState,
  fresh: readonly Candidate[],
  { size, rootHash, changed }: GrownTree,
  checkpoint: string,
) => {
  const { root } = createTileTree([...state.tiles, ...changed]);
  return new Map(
    fresh.map(({ body, bodyHash }, position): [string, LoggedEntry] => {
      const index = state.size + position;
      const hashes = inclusionSubtrees(index, size).map(root);
      return [bodyHash.toString('hex'), { index, body, treeSize: size, rootHash, hashes, checkpoint }];
    }),
  );
};

/**
 * Appends a batch in a transaction: verifies the log's state, then writes entries, tiles and one checkpoint. The key
 * signs in memory before the first row is written, so that the transaction does not delay readers of events.
 * @param batch bodies that differ from each other
 * @throws LogForked, having signed nothing
 */
export const appendBatch = async (tx: Tx, batch: readonly Candidate[], sequencing: Sequencing): Promise<Sequenced> => {
  const { origin, signer } = sequencing;
  const { known: rows, ...existing } = await read(tx, origin, sequencing, batch);
  const state = verifyLogState(existing, sequencing);
  await failpoint('tlog.append.held');
  const known = new Map(rows.map(({ idx, bodyHash }) => [bodyHash.toString('hex'), idx]));
  const fresh = batch.filter(({ bodyHash }) => !known.has(bodyHash.toString('hex')));
  if (fresh.length === 0) return { made: new Map(), known, checkpoint: undefined };

  const growth = appendLeaves(
    state.size,
    state.edge,
    fresh.map(({ body }) => leafHash(body)),
  );
  const note = await signCheckpoint(origin, growth, signer);
  await failpoint('tlog.append.signed');
  await write(tx, origin, { held: state, fresh, growth, note });
  await failpoint('tlog.append.written');
  return { made: proved(state, fresh, growth, note), known, checkpoint: growth };
};
