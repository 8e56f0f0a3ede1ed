import { leafHash } from '@landfall/kernel/crypto/merkle';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Database } from '@landfall/kernel/db/database';
import * as store from '../log/log.store.ts';
import { appendLeaves, type GrownTree } from '../log/tree-growth.ts';
import { signCheckpoint } from '../signature/checkpoint.ts';

interface BulkLog {
  readonly database: Database;
  readonly origin: string;
  readonly signer: Signer;
}

const CHUNK = 4_096;

/**
 * Fills an empty log with distinct bodies and signs once at the end, for benches and tests that need a large log fast.
 * The rows equal those of appends.
 */
export const fillLog = async (
  { database, origin, signer }: BulkLog,
  count: number,
  bodyOf: (index: number) => Buffer,
): Promise<void> => {
  const { id } = await database.system.write((tx) => store.insertLog(tx, origin));
  let resized: GrownTree | undefined;
  for (let first = 0; first < count; first += CHUNK) {
    const bodies = Array.from({ length: Math.min(CHUNK, count - first) }, (_, index) => bodyOf(first + index));
    const next = appendLeaves(first, resized?.edge ?? [], bodies.map(leafHash));
    resized = next;
    await database.system.write(async (tx) => {
      await store.insertEntries(tx, id, first, bodies);
      await store.upsertTiles(tx, id, next.changed);
    });
  }
  if (!resized) return;
  const { size, rootHash } = resized;
  const note = await signCheckpoint(origin, { size, rootHash }, signer);
  await database.system.write((tx) => store.insertCheckpoint(tx, id, { size, rootHash, note }));
};
