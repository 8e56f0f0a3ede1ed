import type { Database } from '../db/database.ts';
import * as store from './audit.store.ts';
import type { Finding } from './audit.ts';
import { digestOf } from './seal.ts';

/** An entry of the transparency log. */
export interface LogEntry {
  readonly index: number;
  readonly body: Buffer;
}

/** The log, as it is read after the seals. */
export interface SealLog {
  /** Every entry, in order, a page at a time. */
  readonly pages: AsyncIterable<readonly LogEntry[]>;
  /** How many entries it has, asked anew. */
  size(): Promise<number>;
}

export interface LogAudit {
  /** Entries of the log that are seals. */
  readonly logged: number;
}

type Tell = (finding: Finding) => void;

const PAGE = 1_000;

interface LoggedSeal {
  readonly index: number;
  readonly sequence: bigint;
  readonly hash: string;
}

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** The seal that an entry is of; undefined for entries of another kind. */
const sealIn = ({ index, body }: LogEntry): LoggedSeal | undefined => {
  const text = body.toString();
  if (!text.includes('"auditseal"')) return undefined;
  const entry: unknown = JSON.parse(text);
  const spec = field(entry, 'spec');
  const [sequence, hash] = [field(spec, 'sequence'), field(spec, 'hash')];
  if (field(entry, 'kind') !== 'auditseal' || typeof sequence !== 'number' || typeof hash !== 'string')
    return undefined;
  return { index, sequence: BigInt(sequence), hash };
};

/** One seal of the log against the database's. */
const tellOne = (
  { index, sequence: seal, hash }: LoggedSeal,
  row: Awaited<ReturnType<typeof store.listLogged>>[number] | undefined,
  tell: Tell,
): void => {
  if (!row) {
    tell({ kind: 'seal-missing', seal, text: `Seal ${seal} is gone: the log has it as entry ${index}.` });
    return;
  }
  if (digestOf(row.hash) !== hash)
    tell({ kind: 'seal-edited', seal, text: `Seal ${seal} is another one than the log has as entry ${index}.` });
  if (row.logIndex !== null && row.logIndex !== BigInt(index))
    tell({
      kind: 'log',
      seal,
      text: `Seal ${seal} says that it is entry ${row.logIndex} of the log; it is entry ${index}.`,
    });
};

/**
 * Holds the seals against the log: each seal that the log has must be there, unchanged, and each that says where the log
 * has it must be there.
 */
export const auditLog = async (database: Database, log: SealLog, tell: Tell): Promise<LogAudit> => {
  const logged = new Set<bigint>();
  let read = 0;
  for await (const page of log.pages) {
    const found = page.map(sealIn).filter((seal) => seal !== undefined);
    read += page.length;
    if (found.length === 0) continue;
    const sequences = found.map(({ sequence }) => sequence);
    const rows = await database.system.read((query) => store.listLogged(query, sequences));
    const known = new Map(rows.map((row) => [row.sequence, row]));
    for (const seal of found) {
      tellOne(seal, known.get(seal.sequence), tell);
      logged.add(seal.sequence);
    }
  }
  await tellNoted(database, { logged, read, log }, tell);
  return { logged: logged.size };
};

interface Read {
  readonly logged: ReadonlySet<bigint>;
  /** How many entries were read. */
  readonly read: number;
  readonly log: SealLog;
}

/** What seals say of the log that the log does not say of them. */
const tellNoted = async (database: Database, { logged, read, log }: Read, tell: Tell): Promise<void> => {
  let after = -(2n ** 63n);
  for (let isMore = true; isMore; ) {
    const rows = await database.system.read((query) => store.listNoted(query, after, PAGE));
    const size = await log.size();
    for (const { sequence: seal, logIndex } of rows) {
      after = seal;
      if (logIndex === null) continue;
      // Between what was read and the log's end there may be seals that were logged meanwhile.
      const isNew = logIndex >= BigInt(read) && logIndex < BigInt(size);
      if (!logged.has(seal) && !isNew)
        tell({
          kind: 'log',
          seal,
          text: `Seal ${seal} says that it is entry ${logIndex} of the log, which it is not.`,
        });
    }
    isMore = rows.length === PAGE;
  }
  for (const { sequence: seal } of await database.system.read((query) => store.listGaps(query, PAGE)))
    tell({ kind: 'log', seal, text: `Seal ${seal} names no entry of the log, though a later seal does.` });
};
