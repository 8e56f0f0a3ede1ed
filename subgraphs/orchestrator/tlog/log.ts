import type { Database } from '@landfall/kernel/db/database';
import type { SigningKeys } from '@landfall/kernel/signing/signer';
import { ed25519KeyId } from '../verification/signed-note.ts';
import { createReading, type Reading } from './reading.ts';
import { createSequencer } from './sequencer.ts';
import type { TransparencyLog } from './transparency-log.ts';

export interface LogSettings {
  /** First line of each checkpoint: `landfall.example/log`. */
  readonly origin: string;
  readonly keys: SigningKeys;
}

export interface Log {
  readonly log: TransparencyLog;
  /** What the public paths serve. */
  readonly reading: Reading;
}

/** The log of this platform over its database. */
export const createTransparencyLog = (
  { database }: { readonly database: Database },
  { origin, keys }: LogSettings,
): Log => {
  const reading = createReading({ database, origin });
  const { find, consistency, newest } = reading;
  const { append } = createSequencer({ database, keys, origin, find });
  const log: TransparencyLog = {
    append,
    find,
    consistency,
    newest,
    async identity() {
      const { spki } = await keys.signer('log');
      return { origin, keyId: ed25519KeyId(origin, spki), keys: await keys.list('log') };
    },
  };
  return { log, reading };
};
