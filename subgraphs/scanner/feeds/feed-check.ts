import { parseJsonObject, UnreadableDocument } from '../advisories/document-fields.ts';
import { parseEpss } from '../advisories/epss.ts';
import { parseKev } from '../advisories/kev.ts';
import { readOsvFile, readOsvRecord } from '../advisories/osv-reader.ts';
import { parseSsvc } from '../advisories/ssvc.ts';
import { type ImportProblem, isKev, isOfFile } from './feed-import.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';
import { isCveRecord } from './ssvc-import.ts';

const readEpss = async (file: SourceFile): Promise<void> => {
  let count = 0;
  for await (const _ of (await parseEpss(file.bytes())).rows) count += 1;
  if (count === 0) throw new UnreadableDocument('no EPSS scores: the file has no row that can be read');
};

/** Reads a file as its import does. Throws UnreadableDocument. */
const read = async (file: SourceFile): Promise<void> => {
  const name = file.name.toLowerCase();
  if (/\.csv(?:\.gz)?$/.test(name)) return readEpss(file);
  if (/\.ya?ml$/.test(name)) readOsvFile(file.name, await file.text());
  if (!/\.json(?:\.gz)?$/.test(name)) return;
  const value = parseJsonObject(await file.text());
  if (isKev(value)) parseKev(value);
  else if (isCveRecord(value)) parseSsvc(value);
  else readOsvRecord(value);
};

/** First document of a file, an archive or a directory that an import would refuse; undefined where it takes all. */
export const findUnreadable = async (path: string, name: string): Promise<ImportProblem | undefined> => {
  let current = name;
  try {
    for await (const file of sourceFiles(path, name)) {
      current = file.name;
      await read(file);
    }
    return undefined;
  } catch (error) {
    if (!isOfFile(error)) throw error;
    return { file: current, reason: error instanceof Error ? error.message : String(error) };
  }
};
