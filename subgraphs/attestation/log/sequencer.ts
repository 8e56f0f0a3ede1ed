import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Database } from '@landfall/kernel/db/database';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { MAX_BODY_BYTES } from '../signature/hashed-rekord.ts';
import { LogForked } from './log-forked.ts';
import type { SignedHead } from './log-state.ts';
import { type RecordedTree, readRecordedTree } from './recorded-tree.ts';
import { type Candidate, type Sequenced, sequence } from './sequence.ts';
import type { LoggedEntry } from './transparency-log.ts';

interface SequencerDeps {
  readonly database: Database;
  readonly keys: SigningKeys;
  readonly origin: string;
  /** An entry that the log had already. */
  find(index: number): Promise<LoggedEntry | undefined>;
}

interface Waiting extends Candidate {
  settle(entry: LoggedEntry): void;
  fail(error: unknown): void;
}

/** One transaction holds the lock no longer than this takes. */
const MAX_BATCH = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** The first of those that wait, as many as one transaction takes. */
const take = (waiting: Waiting[]): Waiting[] => {
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
 * Puts bodies into the log. Whoever comes while a commit is under way shares the next one; processes take turns by an
 * advisory lock. What this process signed last is kept in memory; what it cannot remember is recorded with the statements
 * and seals that were proved by it, and is read once.
 */
export const createSequencer = (deps: SequencerDeps) => {
  const { database, keys, origin } = deps;
  const waiting: Waiting[] = [];
  let isRunning = false;
  let signed: SignedHead | undefined;
  let recorded: RecordedTree | undefined;

  const readKeys = async () => {
    const [signer, listed] = await Promise.all([keys.signer('log'), keys.list('log')]);
    // The very first key may be made between the two answers.
    return { signer, keys: [signer, ...listed] };
  };

  /** Another process may have rotated the key between our reading of the keys and our turn: then they are read again. */
  const commit = async (batch: readonly Candidate[]): Promise<Sequenced> => {
    const floor = recorded ?? (await readRecordedTree(database, origin));
    recorded = floor;
    const seen = await readKeys();
    const attempt = (known: typeof seen) =>
      database.system.write((tx) => sequence(tx, batch, { origin, signed, floor, ...known }));
    try {
      return await attempt(seen);
    } catch (error) {
      if (!(error instanceof LogForked)) throw error;
      const now = await readKeys();
      if (now.keys.length > seen.keys.length) return attempt(now);
      throw error;
    }
  };

  const answer = async (one: Waiting, { made, known }: Sequenced): Promise<void> => {
    try {
      const index = known.get(hexOf(one));
      const entry = made.get(hexOf(one)) ?? (index === undefined ? undefined : await deps.find(index));
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
      signed = sequenced.head ?? signed;
      await failpoint('tlog.append.committed');
      await Promise.all(batch.map((one) => answer(one, sequenced)));
    } catch (error) {
      for (const { fail } of batch) fail(error);
    }
  };

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    // Everybody who comes in the same turn of the event loop is in the same batch.
    await Promise.resolve();
    while (waiting.length > 0) await turn(take(waiting));
    isRunning = false;
  };

  return {
    /** Appends once. Settles after the commit that has its checkpoint. @throws RangeError for a body that no bundle can hold */
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
