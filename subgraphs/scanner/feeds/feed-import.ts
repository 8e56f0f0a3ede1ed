import { Fault } from '@landfall/kernel/core/fault';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { fields, type Problem, parseJsonObject, UnreadableDocument } from '../advisories/document-fields.ts';
import { readOsvFile, readOsvRecord } from '../advisories/osv-reader.ts';
import { type AdvisoryCounts, createAdvisoryImport } from './advisory-import.ts';
import { type CatalogueOutcome, importEpss, importKev } from './exploitation-import.ts';
import type { FeedDatabase } from './feed-database.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';
import { createSsvcImport, isCveRecord, type SsvcCounts } from './ssvc-import.ts';

/** Path of an import, and how the operator wrote it. */
interface ImportPath {
  readonly path: string;
  readonly name: string;
}

/** File that was not imported, or a part of it. */
export interface ImportProblem {
  readonly file: string;
  readonly reason: string;
}

interface FeedImportOutcome {
  readonly advisories: AdvisoryCounts;
  readonly ssvc: SsvcCounts;
  readonly catalogues: readonly { readonly file: string; readonly outcome: CatalogueOutcome }[];
  /** Files that are no feed at all, by their number. */
  readonly skipped: number;
  /** Documents that were refused. */
  readonly refused: readonly ImportProblem[];
  /** Parts of advisories and rows of catalogues that could not be read; the rest of them was. */
  readonly partial: readonly ImportProblem[];
}

/** Whether a document is a KEV catalogue. CSAF and CycloneDX have lists of vulnerabilities too. */
export const isKev = (value: unknown): boolean => {
  const { vulnerabilities, catalogVersion, dateReleased } = fields(value);
  return Array.isArray(vulnerabilities) && (catalogVersion !== undefined || dateReleased !== undefined);
};

/** Whether an error is the file's fault: unreadable as a document, as gzip, or at all. */
export const isOfFile = (error: unknown): boolean =>
  error instanceof UnreadableDocument ||
  (!(error instanceof Fault) && /^(?:E[A-Z]+|Z_[A-Z_]+)$/.test(systemErrorCodeOf(error)));

interface Import {
  readonly database: FeedDatabase;
  readonly advisories: ReturnType<typeof createAdvisoryImport>;
  readonly ssvc: ReturnType<typeof createSsvcImport>;
  readonly catalogues: FeedImportOutcome['catalogues'][number][];
  readonly partial: ImportProblem[];
}

type ReadRecord = ReturnType<typeof readOsvRecord>;

/** Notes the parts of a file that were left out. */
const addProblems = ({ partial }: Import, file: string, problems: readonly Problem[]): void => {
  for (const { path, reason } of problems) partial.push({ file, reason: `${path}: ${reason}` });
};

const addRecord = (run: Import, name: string, { record, problems }: ReadRecord): Promise<void> => {
  addProblems(run, name, problems);
  return run.advisories.add(record);
};

const addCatalogue = (
  run: Import,
  file: string,
  { outcome, problems }: Awaited<ReturnType<typeof importKev>>,
): void => {
  addProblems(run, file, problems);
  run.catalogues.push({ file, outcome });
};

const importJson = async (run: Import, { name, text }: SourceFile): Promise<void> => {
  const content = await text();
  const value = parseJsonObject(content);
  if (isKev(value)) addCatalogue(run, name, await importKev(run, content, value));
  else if (isCveRecord(value)) await run.ssvc.add(value);
  else await addRecord(run, name, readOsvRecord(value));
};

/** Imports a file by the end of its name. Returns false for one of another kind. */
const importFile = async (run: Import, file: SourceFile): Promise<boolean> => {
  const name = file.name.toLowerCase();
  if (/\.csv(?:\.gz)?$/.test(name)) addCatalogue(run, file.name, await importEpss(run, file.bytes()));
  else if (/\.json(?:\.gz)?$/.test(name)) await importJson(run, file);
  else if (/\.ya?ml$/.test(name)) await addRecord(run, file.name, readOsvFile(file.name, await file.text()));
  else return false;
  return true;
};

/**
 * Imports advisories (OSV in JSON or YAML, ZIP archives and directories of them), CISA's KEV catalogue (JSON), CISA's
 * SSVC decision points (CVE records in JSON) and FIRST's EPSS scores (CSV, also gzip). Files that cannot be read are reported, the others are imported.
 */
export const importFeeds = async (
  { database }: { readonly database: FeedDatabase },
  paths: readonly ImportPath[],
  note?: (documents: number) => void,
): Promise<FeedImportOutcome> => {
  const run: Import = {
    database,
    advisories: createAdvisoryImport({ database }),
    ssvc: createSsvcImport({ database }),
    catalogues: [],
    partial: [],
  };
  const refused: ImportProblem[] = [];
  let [documents, skipped] = [0, 0];
  const guarded = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isOfFile(error)) throw error;
      refused.push({ file: name, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  const importOne = (file: SourceFile): Promise<void> =>
    guarded(file.name, async () => {
      if (await importFile(run, file)) documents += 1;
      else skipped += 1;
      note?.(documents);
    });
  for (const { path, name } of paths)
    await guarded(name, async () => {
      for await (const file of sourceFiles(path, name)) await importOne(file);
    });
  await run.advisories.end();
  await run.ssvc.end();
  const { advisories, ssvc, catalogues, partial } = run;
  return { advisories: advisories.counts, ssvc: ssvc.counts, catalogues, skipped, refused, partial };
};
