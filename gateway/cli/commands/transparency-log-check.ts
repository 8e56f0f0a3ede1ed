import * as store from '@landfall/attestation/log/log.store';
import { createLogReader } from '@landfall/attestation/log/log-reader';
import { HASH_BYTES, TILE_WIDTH } from '@landfall/attestation/log/tiles';
import { openCheckpoint } from '@landfall/attestation/signature/checkpoint';
import type { CheckpointNote } from '@landfall/attestation/signature/signed-note';
import { emptyRoot, leafHash, nodeHash } from '@landfall/kernel/crypto/merkle';
import type { VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import type { Database } from '@landfall/kernel/db/database';
import type { LogEntry, SealLog } from '@landfall/kernel/events/audit-log';

/** Limit of wrong entries that are named one by one. */
const NAMED = 20;

/** Computes the root of a growing tree; stores only the roots of its full subtrees. */
const growingRoot = () => {
  const peaks: { readonly level: number; readonly hash: Buffer }[] = [];
  return {
    add(leaf: Buffer): void {
      let [level, hash] = [0, leaf];
      for (let last = peaks.at(-1); last?.level === level; last = peaks.at(-1)) {
        peaks.pop();
        hash = nodeHash(last.hash, hash);
        level += 1;
      }
      peaks.push({ level, hash });
    },
    root: (): Buffer =>
      peaks.length === 0
        ? emptyRoot
        : peaks.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right)),
  };
};

interface LogCheckOptions {
  readonly database: Database;
  readonly origin: string;
  /** All current and former keys of the log. */
  readonly keys: readonly VerificationKey[];
  /** Checkpoint saved outside of the installation: the log must extend its tree. */
  readonly saved: CheckpointNote | undefined;
  /** Receives each problem of the log once. */
  readonly tell: (text: string) => void;
}

/** Log with the findings after its pages were read. */
interface LogCheck extends SealLog {
  readonly entries: number;
}

/** Size and root according to the newest checkpoint's signature; nothing vouches for an empty log. */
const headOf = async ({ database, origin, keys, tell: reportProblem }: LogCheckOptions) => {
  const newest = await createLogReader({ database, origin }).newest();
  if (!newest) return { size: 0, rootHash: emptyRoot };
  const signed = openCheckpoint(newest.note, { origin, keys });
  if (!signed) reportProblem(`The log's newest checkpoint is not signed by a key of ${origin}.`);
  else if (signed.size !== newest.size || !signed.rootHash.equals(newest.rootHash))
    reportProblem(
      `The log's newest checkpoint is kept as ${newest.size} entries, and is signed for ${signed.size}, or another root.`,
    );
  return signed ?? newest;
};

/** Reads the entries of one tile; reports and skips missing ones. */
const readTile = async ({ database, origin, tell: reportProblem }: LogCheckOptions, first: number, width: number) => {
  const bodies = (index: number, count: number) =>
    database.system.read((query) => store.listBodies(query, origin, index, count));
  const rows = await bodies(first, width);
  if (rows.length === width) return rows.map(({ body }, i): LogEntry => ({ index: first + i, body }));
  const found: LogEntry[] = [];
  for (let index = first; index < first + width; index += 1) {
    const [row] = await bodies(index, 1);
    if (row) found.push({ index, body: row.body });
    else reportProblem(`Entry ${index} of the log was deleted.`);
  }
  return found;
};

/** Reads the whole log page by page, and compares it with its checkpoint, its tiles, and a saved checkpoint. */
export const checkLog = async (options: LogCheckOptions): Promise<LogCheck> => {
  const { database, origin, saved, tell: reportProblem } = options;
  const reading = createLogReader({ database, origin });
  const { size, rootHash } = await headOf(options);
  const tree = growingRoot();
  /** Root by the tiles' leaves. */
  const tiled = growingRoot();
  const mismatches: number[] = [];
  let isComplete = true;

  const reportSaved = (index: number): void => {
    if (saved?.size === index && isComplete && !tree.root().equals(saved.rootHash))
      reportProblem(`The first ${index} entries of the log are not those of the checkpoint that was kept.`);
  };

  const checkBatch = async (first: number, entries: readonly LogEntry[], width: number): Promise<void> => {
    isComplete &&= entries.length === width;
    const tile = await reading.tile(0, { index: first / TILE_WIDTH, width });
    for (let index = 0; index < width * HASH_BYTES; index += HASH_BYTES)
      tiled.add(tile?.subarray(index, index + HASH_BYTES) ?? emptyRoot);
    for (const { index, body } of entries) {
      const leaf = leafHash(body);
      const at = (index - first) * HASH_BYTES;
      if (!tile?.subarray(at, at + HASH_BYTES).equals(leaf)) mismatches.push(index);
      tree.add(leaf);
      reportSaved(index + 1);
    }
  };

  /** Decides by the signed root whether the entries or their tiles are wrong. */
  const conclude = (): void => {
    const isRooted = isComplete && tree.root().equals(rootHash);
    const areTilesRooted = tiled.root().equals(rootHash);
    for (const index of mismatches.slice(0, NAMED))
      if (isRooted) reportProblem(`The log's tile with entry ${index} is not its entries'.`);
      else if (areTilesRooted) reportProblem(`Entry ${index} of the log was edited.`);
      else reportProblem(`Entry ${index} of the log and its tile are not of each other: one of them was edited.`);
    if (mismatches.length > NAMED) reportProblem(`So are ${mismatches.length - NAMED} more.`);
    if (isComplete && !isRooted && mismatches.length === 0)
      reportProblem(`The log's ${size} entries do not make the root of its newest checkpoint.`);
    if (saved && saved.size > size)
      reportProblem(`The log had ${saved.size} entries when the checkpoint was kept; it has ${size}.`);
  };

  const pages = async function* (): AsyncGenerator<readonly LogEntry[]> {
    reportSaved(0);
    for (let first = 0; first < size; first += TILE_WIDTH) {
      const width = Math.min(TILE_WIDTH, size - first);
      const entries = await readTile(options, first, width);
      await checkBatch(first, entries, width);
      yield entries;
    }
    conclude();
  };

  return { origin, entries: size, pages: pages(), size: async () => (await reading.newest())?.size ?? 0 };
};
