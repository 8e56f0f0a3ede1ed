import { Fault } from '@landfall/kernel/core/fault';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Database } from '@landfall/kernel/db/database';
import { ed25519KeyId } from '../signature/signed-note.ts';
import { listSizesAt } from './history.store.ts';
import { listByBodyHashes } from './log.store.ts';
import { createLogReader, type LogReader } from './log-reader.ts';
import { createSequencer } from './sequencer.ts';
import type { LogHistory, TransparencyLog } from './transparency-log.ts';

export interface LogSettings {
  /** Origin in the first line of each checkpoint: the host name of the log's base URL, as Go clients expect it. */
  readonly origin: string;
  readonly keys: SigningKeys;
  /** Limit of bodies in memory that wait for their commit in this process. */
  readonly maxWaiting?: number | undefined;
}

const MAX_WAITING = 4_096;

interface Log {
  readonly log: TransparencyLog;
  readonly reading: LogReader;
}

const historyOf = (rows: Awaited<ReturnType<typeof listSizesAt>>): LogHistory[] =>
  [...Map.groupBy(rows, ({ origin }) => origin)].map(([origin, all]) => ({
    origin,
    sizes: new Map(all.flatMap(({ at, size }) => (at ? [[at.getTime(), size] as const] : []))),
  }));

export const createTransparencyLog = (
  { database }: { readonly database: Database },
  { origin, keys, maxWaiting = MAX_WAITING }: LogSettings,
): Log => {
  const reading = createLogReader({ database, origin });
  const { find, newest } = reading;
  const sequencer = createSequencer({ database, keys, origin, find });
  let waiting = 0;
  const log: TransparencyLog = {
    async append(body) {
      if (waiting >= maxWaiting)
        throw new Fault('SYS_OVERLOADED', 'As many entries as the log takes at once are waiting. Try again.', {
          limit: maxWaiting,
        });
      waiting += 1;
      try {
        return await sequencer.append(body);
      } finally {
        waiting -= 1;
      }
    },
    find,
    consistency: (size, of = origin) =>
      (of === origin ? reading : createLogReader({ database, origin: of })).consistency(size),
    newest,
    async indexOf(body) {
      const hashes = [sha256Bytes(body)];
      const [found] = await database.system.read((query) => listByBodyHashes(query, origin, hashes));
      return found?.idx;
    },
    history: async (times) => historyOf(await database.system.read((query) => listSizesAt(query, origin, times))),
    async identity() {
      const { spki } = await keys.signer('log');
      return { origin, keyId: ed25519KeyId(origin, spki), keys: await keys.list('log') };
    },
  };
  return { log, reading };
};
