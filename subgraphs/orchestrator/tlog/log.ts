import type { Deps } from '@landfall/kernel/module';
import type { SigningKeys } from '@landfall/kernel/signing/signer';
import { ed25519KeyId } from '../verification/signed-note.ts';
import { createReading } from './reading.ts';
import { createSequencer } from './sequencer.ts';
import type { TransparencyLog } from './transparency-log.ts';

export interface LogSettings {
  /** First line of each checkpoint: `landfall.example/log`. */
  readonly origin: string;
  readonly keys: SigningKeys;
}

/** The log of this platform over its database: appending, proofs, and what its public paths serve. */
export const createTransparencyLog = ({ database }: Pick<Deps, 'database'>, { origin, keys }: LogSettings) => {
  const reading = createReading({ database, origin });
  const appended = new Set<() => void>();
  const { append } = createSequencer({
    database,
    keys,
    origin,
    find: reading.find,
    onAppended: () => {
      for (const wake of appended) wake();
    },
  });
  const log: TransparencyLog = {
    append,
    find: reading.find,
    consistency: reading.consistency,
    newest: reading.newest,
    async identity() {
      const { spki } = await keys.signer('log');
      return { origin, keyId: ed25519KeyId(origin, spki), keys: await keys.list('log') };
    },
  };
  return {
    log,
    reading,
    /** Calls `wake` after each commit of this process. */
    onAppended: (wake: () => void): Disposable => {
      appended.add(wake);
      return { [Symbol.dispose]: () => void appended.delete(wake) };
    },
  };
};
