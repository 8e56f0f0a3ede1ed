import type { Database } from '../db/database.ts';
import * as store from './audit.store.ts';
import type { Finding } from './audit.ts';
import { digestOf } from './seal.ts';

/** Entry of the transparency log. */
export interface LogEntry {
  readonly index: number;
  readonly body: Buffer;
}

/** Transparency log as the audit reads it. */
export interface SealLog {
  /** The first line of its checkpoints. */
  readonly origin: string;
  /** Every entry, in order, a page at a time. */
  readonly pages: AsyncIterable<readonly LogEntry[]>;
  /** Number of its entries, asked each time. */
  size(): Promise<number>;
}

interface LogAudit {
  /** Seals that are entries of a log. */
  readonly logged: number;
  /** Seals of which no log is noted yet. */
  readonly unlogged: store.Waiting;
}

type Report = (finding: Finding) => void;

const PAGE = 1_000;

interface LoggedSeal {
  readonly index: number;
  readonly sequence: bigint;
  readonly hash: string;
}

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** Seal of a log entry; undefined for other kinds of entries. */
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

/** Content of a log, for `reportOne`. */
interface Found extends LoggedSeal {
  readonly origin: string;
}

/** Compares a logged seal with the database's. */
const reportOne = (
  { origin, index, sequence: seal, hash }: Found,
  row: Awaited<ReturnType<typeof store.listLogged>>[number] | undefined,
  report: Report,
): void => {
  const entry = `entry ${index} of the log ${origin}`;
  if (!row) {
    report({ kind: 'seal-missing', seal, text: `Seal ${seal} is gone: it is ${entry}.` });
    return;
  }
  if (digestOf(row.hash) !== hash)
    report({ kind: 'seal-edited', seal, text: `Seal ${seal} is another one than ${entry}.` });
  // A process ended before it recorded the index, and then the platform domain changed: two logs have the seal.
  if (row.logOrigin === origin && row.logIndex !== BigInt(index))
    report({
      kind: 'log',
      seal,
      text: `Seal ${seal} says that it is entry ${row.logIndex} of its log; it is ${entry}.`,
    });
};

/** Compares all seals of a log with the database's. */
const auditOne = async (database: Database, { origin, pages }: SealLog, report: Report) => {
  const logged = new Set<bigint>();
  let read = 0;
  for await (const page of pages) {
    const found = page.map(sealIn).filter((seal) => seal !== undefined);
    read += page.length;
    if (found.length === 0) continue;
    const sequences = found.map(({ sequence }) => sequence);
    const rows = await database.system.read((query) => store.listLogged(query, sequences));
    const known = new Map(rows.map((row) => [row.sequence, row]));
    for (const seal of found) {
      reportOne({ ...seal, origin }, known.get(seal.sequence), report);
      logged.add(seal.sequence);
    }
  }
  return { logged, read };
};

/**
 * Compares the seals with `logs`, every log that this platform ever had: seals are unchanged and recorded indexes
 * exist.
 */
export const auditLogs = async (database: Database, logs: readonly SealLog[], report: Report): Promise<LogAudit> => {
  const read = new Map<string, Read>();
  for (const log of logs) read.set(log.origin, { ...(await auditOne(database, log, report)), log });
  await reportNoted(database, read, report);
  const logged = new Set([...read.values()].flatMap(({ logged: ofOne }) => [...ofOne]));
  return { logged: logged.size, unlogged: await database.system.read(store.findUnlogged) };
};

/** Result of reading one log. */
interface Read {
  readonly logged: ReadonlySet<bigint>;
  /** Number of entries that were read. */
  readonly read: number;
  readonly log: SealLog;
}

/** Reports what seals claim of the logs and the logs do not confirm. */
const reportNoted = async (database: Database, logs: ReadonlyMap<string, Read>, report: Report): Promise<void> => {
  let after = -(2n ** 63n);
  for (let isMore = true; isMore; ) {
    const rows = await database.system.read((query) => store.listNoted(query, after, PAGE));
    const sizes = new Map(
      await Promise.all([...logs].map(async ([origin, { log }]) => [origin, await log.size()] as const)),
    );
    for (const { sequence: seal, logIndex, logOrigin } of rows) {
      after = seal;
      if (logIndex === null) continue;
      const origin = logOrigin ?? '';
      const found = logs.get(origin);
      // Between the entries that were read and the log's end there may be seals that were logged meanwhile.
      const isNew = found && logIndex >= BigInt(found.read) && logIndex < BigInt(sizes.get(origin) ?? 0);
      if (!found?.logged.has(seal) && !isNew)
        report({
          kind: 'log',
          seal,
          text: `Seal ${seal} says that it is entry ${logIndex} of the log ${origin}, which it is not.`,
        });
    }
    isMore = rows.length === PAGE;
  }
  for (const { sequence: seal } of await database.system.read((query) => store.listGaps(query, PAGE)))
    report({ kind: 'log', seal, text: `Seal ${seal} names no entry of a log, though a later seal does.` });
};
