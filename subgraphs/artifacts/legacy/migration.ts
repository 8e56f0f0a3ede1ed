import type { Stats } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { createDigester, sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { BodyTooLarge } from '@landfall/kernel/routes/refusal';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { MAX_CONTENT_BYTES } from '../content/bounded-json.ts';
import { readContent, TOO_LARGE } from '../content/read-content.ts';
import { MAX_BOM_REF_BYTES } from '../content/storable-facts.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Staging } from '../objects/staging.ts';
import { CorruptObject, verifiedBytes } from '../objects/verified-reading.ts';
import type { Artifact } from '../records/artifacts.ts';
import type { Placing } from '../records/placing.ts';
import { inBatches } from '../shared/batches.ts';
import { escapePath, type LegacyEntry, openLegacy, reasonOf, shownPath, walkTree } from './legacy-tree.ts';

/** Stores that evidence is migrated from: each is a directory of the tree. */
export const LEGACY_SOURCES = ['evidence', 'attestor', 'vex'] as const;

export interface MigrationOptions {
  /** Root of the tree, without links. */
  readonly root: string;
  readonly sources: readonly (typeof LEGACY_SOURCES)[number][];
  readonly isDryRun: boolean;
  /** Whether the originals stay. */
  readonly isCopy: boolean;
  readonly isVerified: boolean;
  readonly parallelism: number;
  readonly batchSize: number;
}

/** Numbers of a migration, and what was left behind with its reason. */
export interface MigrationReport {
  readonly counts: Record<'found' | 'migrated' | 'present' | 'fallback' | 'removed' | 'verified' | 'unmatched', number>;
  readonly unmatched: { readonly path: string; readonly reason: string }[];
}

/** Record whose bytes are in the store. */
type StoredRecord = Pick<Artifact, 'storageKey' | 'sha256' | 'sizeBytes'>;

/** Outcome of one file. */
interface Migrated {
  readonly isNew: boolean;
  readonly bomRef: string;
  readonly isRemoved: boolean;
}

interface MigrationDeps extends Pick<Deps, 'database'> {
  readonly objects: ObjectStore;
  readonly staging: Staging;
  readonly placing: Placing;
  /** Setting `Artifacts:MaxBytes`. */
  readonly maxBytes: number;
}

/** Problem of one file, which is left behind. */
class LegacyProblem extends Error {
  override readonly name = 'LegacyProblem';
}

/** Reason for which a file is left behind; undefined for a failure that ends the migration. */
const reasonFor = (error: unknown): string | undefined => {
  if (error instanceof LegacyProblem || error instanceof BodyTooLarge) return error.message;
  if (error instanceof CorruptObject) return `Its stored bytes are not whole: ${error.message}`;
  return error instanceof Fault && error.status < 500 ? error.message : undefined;
};

async function* bytesOf({ file }: LegacyEntry): AsyncGenerator<Uint8Array> {
  try {
    await using handle = await openLegacy(file);
    yield* handle.createReadStream({ autoClose: false });
  } catch (error) {
    throw new LegacyProblem(`It cannot be read (${reasonOf(error)}).`);
  }
}

/** Bom-ref of a file whose content names none (spec 2.6): of a very long path the end is its hash. */
const legacyBomRef = (source: string, path: Buffer): string => {
  const escaped = `pkg:landfall/legacy/${source}%2F${escapePath(path)}`;
  return escaped.length <= MAX_BOM_REF_BYTES
    ? escaped
    : `${escaped.slice(0, MAX_BOM_REF_BYTES - 65).replace(/%.?$/, '')}.${sha256Hex(path)}`;
};

/** Works on the items of a batch, some at a time, in their order. */
const inParallel = async <Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  // One iterator for all runs: a run that fails closes it, so that no other begins a further item.
  const begun = items.values().map((item) => work(item));
  const run = async (): Promise<void> => {
    for (const each of begun) await each;
  };
  const runs = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, run));
  for (const ended of runs) if (ended.status === 'rejected') throw ended.reason;
};

const isSameFile = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;

/** Creates the migration of evidence from a legacy tree. */
export const createMigration = ({ database, objects, staging, placing, maxBytes }: MigrationDeps) => {
  /** Identity that a file has in the index, without writing anything. */
  const identify = async (who: Who, entry: LegacyEntry, fallbackBomRef: string) => {
    const digester = createDigester();
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of bytesOf(entry)) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new BodyTooLarge(`The artifact is larger than ${maxBytes} bytes.`);
      digester.add(chunk);
      if (sizeBytes <= MAX_CONTENT_BYTES) chunks.push(chunk);
    }
    const facts = sizeBytes > MAX_CONTENT_BYTES ? TOO_LARGE : readContent(Buffer.concat(chunks));
    const row = placing.rowOf(who, { fallbackBomRef }, { sha256: digester.digest(), sizeBytes }, facts);
    return { row, known: await placing.find(who.tenant, row.artifactId) };
  };

  /** Reads the stored bytes of a record again. @throws CorruptObject */
  const verifyObject = async (row: StoredRecord): Promise<void> => {
    const object = await objects.open(row.storageKey, row.sizeBytes);
    if (!object) throw new CorruptObject('The object is missing.');
    for await (const _chunk of verifiedBytes(object, row));
  };

  const inspect = async (who: Who, entry: LegacyEntry, fallbackBomRef: string): Promise<Migrated> => {
    const { row, known } = await identify(who, entry, fallbackBomRef);
    return { isNew: !known, bomRef: row.bomRef, isRemoved: false };
  };

  /** Removes an original once its stored bytes were verified, unless it changed since it was read. */
  const remove = async ({ file }: LegacyEntry, before: Stats, artifact: StoredRecord): Promise<void> => {
    await verifyObject(artifact);
    await failpoint('artifacts.migrate.verified');
    if (!isSameFile(before, await lstat(file))) throw new LegacyProblem('It changed while it was migrated.');
    await unlink(file);
  };

  const migrate = async (who: Who, entry: LegacyEntry, fallbackBomRef: string, isCopy: boolean): Promise<Migrated> => {
    const before = await lstat(entry.file).catch((error: unknown) => {
      throw new LegacyProblem(`It cannot be read (${reasonOf(error)}).`);
    });
    const placed = await placing.place(who, { fallbackBomRef }, await staging.stage(bytesOf(entry)));
    await failpoint('artifacts.migrate.placed');
    const { artifact, isNew } = await database.write(who.tenant, (tx) => placing.enter(who, tx, placed));
    await failpoint('artifacts.migrate.stored');
    if (!isCopy) await remove(entry, before, artifact);
    return { isNew, bomRef: artifact.bomRef, isRemoved: !isCopy };
  };

  return async (who: Who, options: MigrationOptions, onBatch: (report: MigrationReport, last: string) => void) => {
    const report: MigrationReport = {
      counts: { found: 0, migrated: 0, present: 0, fallback: 0, removed: 0, verified: 0, unmatched: 0 },
      unmatched: [],
    };
    const { counts } = report;
    const left = new Set<string>();

    type Work = (entry: LegacyEntry, fallbackBomRef: string) => Promise<void>;

    const attempt = async (source: string, entry: LegacyEntry, work: Work): Promise<void> => {
      try {
        if (entry.problem !== undefined) throw new LegacyProblem(entry.problem);
        await work(entry, legacyBomRef(source, entry.path));
      } catch (error) {
        const reason = reasonFor(error);
        if (reason === undefined) throw error;
        const path = `${source}/${shownPath(entry.path)}`;
        const key = entry.file.toString('latin1');
        if (left.has(key)) return;
        left.add(key);
        counts.unmatched += 1;
        report.unmatched.push({ path, reason });
      }
    };

    /** Works on every entry in the order of paths, and returns their number. */
    const forEach = async (work: Work): Promise<number> => {
      let found = 0;
      for (const source of options.sources)
        for await (const batch of inBatches(walkTree(Buffer.from(`${options.root}/${source}`)), options.batchSize)) {
          found += batch.length;
          await inParallel(batch, options.parallelism, (entry) => attempt(source, entry, work));
          onBatch(report, `${source}/${shownPath(batch.at(-1)?.path ?? Buffer.alloc(0))}`);
        }
      return found;
    };

    counts.found = await forEach(async (entry, fallbackBomRef) => {
      const { isNew, bomRef, isRemoved } = options.isDryRun
        ? await inspect(who, entry, fallbackBomRef)
        : await migrate(who, entry, fallbackBomRef, options.isCopy);
      counts[isNew ? 'migrated' : 'present'] += 1;
      if (bomRef === fallbackBomRef) counts.fallback += 1;
      if (isRemoved) counts.removed += 1;
    });

    if (!options.isVerified) return report;
    await failpoint('artifacts.migrate.verifying');
    const found = await forEach(async (entry, fallbackBomRef) => {
      const { known } = await identify(who, entry, fallbackBomRef);
      if (!known) throw new LegacyProblem('The store has no record of it.');
      await verifyObject(known);
      counts.verified += 1;
    });
    if (found !== counts.found - counts.removed) {
      counts.unmatched += 1;
      report.unmatched.push({
        path: '.',
        reason: `Of ${counts.found} records ${found} were found by the second pass.`,
      });
    }
    return report;
  };
};
