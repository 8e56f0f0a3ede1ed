import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import { event, notice } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { type Owner, SHARED } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import { findFiles, isRejection, isSkipped } from '../importers/files.ts';
import { readFile } from '../importers/read-file.ts';
import type { Format, ImportPiece, Rejection, SkippedFile } from '../importers/reader.ts';
import { ImportTally, WriteBuffer } from './import-counts.ts';
import * as store from './imports.store.ts';

export interface ImportRequest {
  readonly owner: Owner;
  /** Files, archives and folders: where they are, and how they were named. */
  readonly files: readonly { readonly path: string; readonly name: string }[];
  /** Read from the content unless given. */
  readonly format?: Format | undefined;
  /** Source name of the documents; the format's by default. */
  readonly source?: string | undefined;
  /** Replaces the named source: its other documents are removed, unless a record was rejected. */
  readonly isWhole?: boolean | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ImportProgress extends store.ImportCounts {
  readonly file: string;
}

export interface ImportOutcome extends store.ImportCounts {
  readonly importId: string;
  /** Number of processed records: written, unchanged, repeated, refused and skipped. */
  readonly read: number;
  /** Number of new or changed documents. */
  readonly written: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Number of records and files that are not importable. */
  readonly skipped: number;
  readonly skippedFiles: readonly SkippedFile[];
  readonly reasons: Readonly<Record<string, number>>;
  /** Number of records repeated within the import: same key and content. */
  readonly repeated: number;
  readonly sources: readonly string[];
  readonly refusals: readonly Rejection[];
  /** Whether a replacing import deleted nothing, because an unreadable record might be one of those to delete. */
  readonly isKept: boolean;
}

/** Source names reserved for the platform, its adapters and its documentation; imports may not use them. */
const OWN_SOURCES = new Set([
  'platform',
  'findings',
  'policy',
  'vex',
  'docs',
  'openapi',
  'doctor',
  'knowledge',
  'graph',
]);

export const isSource = (word: string): boolean =>
  /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/.test(word) && !OWN_SOURCES.has(word);

export const REPLACE_NEEDS_SOURCE =
  'Every import without a source shares its format’s, and to replace that would remove what others imported: name the source of which the files are all.';

const assertNamed = ({ isWhole: isComplete, source }: ImportRequest): void => {
  if (isComplete === true && source === undefined)
    throw new Fault('VAL_INVALID_VALUE', REPLACE_NEEDS_SOURCE, undefined, [
      { field: 'source', message: 'is named where the files replace it', code: 'VAL_INVALID_VALUE' },
    ]);
};

const PROGRESS_MS = 1_000;
/** Imports without a heartbeat for ten minutes are dead. */
const HEARTBEAT_MS = 30_000;
const ACTOR = 'search-import';

type ImportDeps = Pick<Deps, 'database' | 'ids'> & { readonly corpus: Corpus };

/** Records progress in the row of the import and, for a tenant, in its events. */
const createProgressLog = ({ database, ids }: ImportDeps, owner: Owner, importId: string) => {
  const caller = owner === SHARED ? undefined : systemCaller(owner, ACTOR, ids.uuid());
  let version = 0;
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.system.write(work);
  const publish = async (isEnd: boolean, data: Record<string, unknown>): Promise<void> => {
    if (!caller) return;
    version += 1;
    const body = { entity: 'SearchImport', id: importId, version };
    await database.write(caller.tenant, (tx) =>
      isEnd
        ? event(tx, caller, 'search.import', { ...body, data })
        : notice(tx, caller, 'search.import.progress', body),
    );
  };
  return {
    begin: (source: string) => write((tx) => store.insert(tx, owner, importId, source)),
    async progress(counts: store.ImportCounts): Promise<void> {
      await write((tx) => store.progress(tx, owner, importId, counts));
      await publish(false, {});
    },
    async end(counts: store.ImportCounts, source: string, error: string | null): Promise<void> {
      const state = error === null ? 'completed' : 'failed';
      await write(async (tx) => {
        await store.progress(tx, owner, importId, counts);
        await store.end(tx, owner, importId, { state, source, error });
      });
      await publish(true, { ...counts, source, state });
    },
  };
};

interface ImportRun {
  readonly deps: ImportDeps;
  readonly request: ImportRequest;
  readonly importId: string;
  readonly tally: ImportTally;
  readonly telling: ReturnType<typeof createProgressLog>;
}

/** A file was read to its end, and nothing of it was refused. */
interface FileEnd {
  readonly kind: 'end';
  readonly file: string;
}

async function* readPieces({
  files,
  signal,
  ...options
}: ImportRequest): AsyncGenerator<(ImportPiece | FileEnd) & { readonly from: string }> {
  for (const { path, name } of files)
    for await (const found of findFiles(path, name)) {
      signal?.throwIfAborted();
      if (isRejection(found)) yield { kind: 'refused', refusal: found, from: found.file };
      else if (isSkipped(found)) yield { kind: 'skipped', ...found, from: found.file };
      else {
        let isRead = true;
        for await (const piece of readFile(found, options)) {
          isRead &&= piece.kind !== 'refused';
          yield { ...piece, from: found.name };
        }
        if (isRead && found.file !== undefined) yield { kind: 'end', file: found.file, from: found.name };
      }
    }
}

/** Writes buffered documents and reports progress, also while none are written. */
const createWriter = ({ deps, request, importId, tally, telling: progressLog }: ImportRun, waiting: WriteBuffer) => {
  let publishedAt = performance.now();
  const publish = async (everyMs: number): Promise<void> => {
    if (performance.now() - publishedAt < everyMs) return;
    await progressLog.progress(tally.counts);
    publishedAt = performance.now();
  };
  return {
    async write(file: string): Promise<void> {
      const chunks = waiting.drain();
      if (chunks.length > 0) tally.add(chunks, await deps.corpus.put(request.owner, chunks, importId));
      request.onProgress?.({ ...tally.counts, file });
      await publish(PROGRESS_MS);
    },
    live: () => publish(HEARTBEAT_MS),
  };
};

const readAll = async (running: ImportRun): Promise<void> => {
  const { request, tally } = running;
  const waiting = new WriteBuffer();
  const writer = createWriter(running, waiting);
  for await (const piece of readPieces(request)) {
    request.signal?.throwIfAborted();
    await writer.live();
    if (piece.kind === 'refused') tally.refuse(piece.refusal);
    else if (piece.kind === 'skipped') tally.leave(piece);
    else if (piece.kind === 'end') tally.files.add(piece.file);
    else if (waiting.add(piece.chunks.flatMap((chunk) => tally.countChunk(chunk)))) await writer.write(piece.from);
  }
  await writer.write(request.files.at(-1)?.name ?? '');
};

/** Formats whose documents are identified by their file. */
const STATEMENT_FORMATS: readonly Format[] = ['openvex', 'csaf'];

/** Removes statements that the files no longer contain, and restated ones. */
const removeOutdated = async ({ deps, request, importId, tally }: ImportRun): Promise<void> => {
  const { owner, format, source } = request;
  // Read as another format a file may have no documents, which is no reason to remove its earlier ones.
  if (format !== undefined && !STATEMENT_FORMATS.includes(format)) return;
  const sources = source === undefined ? STATEMENT_FORMATS : [source];
  tally.removed += await deps.corpus.removeMissing(owner, { files: [...tally.files], sources }, importId);
  tally.removed += await deps.corpus.removeDuplicateStatements(owner, sources);
};

/** Message for tenants, who operate neither the disk nor the database. */
const failureOf = ({ signal }: ImportRequest): string =>
  signal?.aborted
    ? 'The operator cancelled the import.'
    : 'The database or a file failed; the operator’s command shows the error.';

/** Imports files into the corpus; each import has a row with its progress. */
export const createImports = (deps: ImportDeps) => ({
  /** Runs an import. Throws a Fault for a replacement without a source; the row records any other failure. */
  async run(request: ImportRequest): Promise<ImportOutcome> {
    assertNamed(request);
    const { owner, source, format, isWhole: isComplete = false } = request;
    const importId = deps.ids.uuid();
    const tally = new ImportTally();
    const progressLog = createProgressLog(deps, owner, importId);
    const names = (): string => source ?? ([...tally.sources].toSorted().join(', ') || (format ?? 'unknown'));
    await progressLog.begin(names());
    try {
      const running = { deps, request, importId, tally, telling: progressLog };
      await readAll(running);
      await removeOutdated(running);
      const sweeps = isComplete && tally.documents > 0 && tally.refused === 0;
      if (sweeps) for (const one of tally.sources) tally.removed += await deps.corpus.sweep(owner, one, importId);
      await progressLog.end(tally.counts, names(), null);
      const { counts, written, added, changed, unchanged, skipped, repeated, refusals, skippedFiles } = tally;
      const sources = [...tally.sources].toSorted();
      return {
        ...counts,
        importId,
        read: counts.documents + repeated + counts.refused + skipped,
        written,
        added,
        changed,
        unchanged,
        skipped,
        skippedFiles,
        reasons: Object.fromEntries(tally.reasons),
        repeated,
        refusals,
        sources,
        isKept: isComplete && !sweeps,
      };
    } catch (error) {
      await progressLog.end(tally.counts, names(), failureOf(request)).catch(() => {});
      throw error;
    }
  },
});
