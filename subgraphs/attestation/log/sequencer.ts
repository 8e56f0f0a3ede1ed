import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Database } from '@landfall/kernel/db/database';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { MAX_BODY_BYTES } from '../signature/hashed-rekord.ts';
import { appendBatch, type Candidate, type Sequenced } from './append-batch.ts';
import { LogForked } from './log-forked.ts';
import type { SignedCheckpoint } from './log-state.ts';
import { type RecordedTree, readRecordedTree } from './recorded-tree.ts';
import type { LoggedEntry } from './transparency-log.ts';

interface SequencerDeps {
  readonly database: Database;
  readonly keys: SigningKeys;
  readonly origin: string;
  /** Reads an entry that the log already has. */
  find(index: number): Promise<LoggedEntry | undefined>;
}

interface Waiting extends Candidate {
  settle(entry: LoggedEntry): void;
  fail(error: unknown): void;
}

/** Limit of bodies in one batch, which bounds the time that the lock is held. */
const MAX_BATCH = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** Removes the first waiting bodies from the queue, up to one batch. */
const nextBatch = (waiting: Waiting[]): Waiting[] => {
  let [count, bytes] = [0, 0];
  for (const { body } of waiting.slice(0, MAX_BATCH)) {
    bytes += body.length;
    if (count > 0 && bytes > MAX_BATCH_BYTES) break;
    count += 1;
  }
  return waiting.splice(0, count);
};

const hexOf = ({ bodyHash }: Candidate): string => bodyHash.toString('hex');

/**
 * Creates the sequencer, which appends bodies to the log. Bodies that arrive during a commit share the next one;
 * processes are serialised by an advisory lock. The checkpoint signed last is kept in memory; after a restart the trees
 * recorded with statements and seals replace it, read once.
 */
export const createSequencer = (deps: SequencerDeps) => {
  const { database, keys, origin } = deps;
  const waiting: Waiting[] = [];
  let isRunning = false;
  let signed: SignedCheckpoint | undefined;
  let recorded: RecordedTree | undefined;

  const readKeys = async () => {
    const [signer, listed] = await Promise.all([keys.signer('log'), keys.list('log')]);
    // The first key may be created between the two reads.
    return { signer, keys: [signer, ...listed] };
  };

  /** Commits a batch; reads the keys again if another process rotated the key since they were read. */
  const commit = async (batch: readonly Candidate[]): Promise<Sequenced> => {
    const floor = recorded ?? (await readRecordedTree(database, origin));
    recorded = floor;
    const keys = await readKeys();
    const attempt = (known: typeof keys) =>
      database.system.write((tx) => appendBatch(tx, batch, { origin, signed, floor, ...known }));
    try {
      return await attempt(keys);
    } catch (error) {
      if (!(error instanceof LogForked)) throw error;
      const now = await readKeys();
      if (now.keys.length > keys.keys.length) return attempt(now);
      throw error;
    }
  };

  const answer = async (one: Waiting, { made: created, known }: Sequenced): Promise<void> => {
    try {
      const index = known.get(hexOf(one));
      const entry = created.get(hexOf(one)) ?? (index === undefined ? undefined : await deps.find(index));
      if (!entry) throw new LogForked(`The entry ${index} was there and is gone.`);
      one.settle(entry);
    } catch (error) {
      one.fail(error);
    }
  };

  const turn = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const different = [...new Map(batch.map((one) => [hexOf(one), one])).values()];
      const sequenced = await commit(different);
      signed = sequenced.checkpoint ?? signed;
      await failpoint('tlog.append.committed');
      await Promise.all(batch.map((one) => answer(one, sequenced)));
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  };

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    // Bodies that arrive in the same turn of the event loop share a batch.
    await Promise.resolve();
    while (waiting.length > 0) await turn(nextBatch(waiting));
    isRunning = false;
  };

  return {
    /** Appends a body once and resolves after its commit. Rejects an empty or too long body with a RangeError. */
    append: (bytes: Uint8Array): Promise<LoggedEntry> => {
      const body = Buffer.from(bytes);
      if (body.length === 0 || body.length > MAX_BODY_BYTES)
        return Promise.reject(new RangeError(`A body has 1 to ${MAX_BODY_BYTES} bytes, not ${body.length}.`));
      const entry = new Promise<LoggedEntry>((settle, fail) => {
        waiting.push({ body, bodyHash: sha256Bytes(body), settle, fail });
      });
      void run();
      return entry;
    },
  };
};
