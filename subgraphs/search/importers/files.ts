import { createReadStream } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { createFileIdentity, type FileIdentity } from './file-identity.ts';
import { expandsTooMuch, LIMITS } from './limits.ts';
import type { InputFile } from './read-file.ts';
import { printableName, type Rejection, rejection, SKIP_REASONS, type SkippedFile, Unreadable } from './reader.ts';
import { openZip, refusalOf } from './zip.ts';

type FoundFile = InputFile | Rejection | SkippedFile;

export const isRejection = (found: FoundFile): found is Rejection => 'line' in found;

export const isSkipped = (found: FoundFile): found is SkippedFile => 'reason' in found && !('line' in found);

const EXTENSIONS = /\.(?:json|jsonl|ndjson|csv|ya?ml|md|rego|spdx)(?:\.gz)?$/i;
const ARCHIVE = /\.zip$/i;

const skippedFiles = (name: string, reason: string): SkippedFile => ({ file: printableName(name), reason });

const reasonOf = (error: unknown): string => {
  if (error instanceof Unreadable) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return `it cannot be read (${code ?? error})`;
};

const refuse = (file: string, error: unknown): Rejection => rejection(file, undefined, reasonOf(error));

const STEPS = 3;

/** Last segments of a path, for keys of documents without a name: independent of where the import begins. */
const slotOf = (path: string): string => path.split(/[\\/]/).slice(-STEPS).join('/');

/** Package path of a file in a repository of VEX documents: from folder `pkg` on, at least the last segments. */
const packagePathOf = (path: string): string => {
  const steps = path.split(/[\\/]/);
  const [first, last] = [steps.indexOf('pkg'), Math.max(0, steps.length - STEPS)];
  return steps.slice(first < 0 ? last : Math.min(first, last)).join('/');
};

/** Decompresses gzip by content, within a growth limit. */
async function* gunzipped(path: string): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  let resized = 0;
  try {
    for await (const part of gunzip) {
      if (!(part instanceof Uint8Array)) continue;
      resized += part.length;
      if (resized > LIMITS.unpacked || expandsTooMuch(source.bytesRead, resized))
        throw new Unreadable(`it grows from ${source.bytesRead} to more than ${resized} bytes`);
      yield part;
    }
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(`it cannot be unpacked: ${reasonOf(error)}`);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function* plain(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of createReadStream(path)) if (part instanceof Uint8Array) yield part;
  } catch (error) {
    throw new Unreadable(reasonOf(error));
  }
}

/** Reads the first bytes of a file: its type is detected from content, not from its name. */
const firstBytes = async (path: string): Promise<Buffer> => {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.subarray(0, bytesRead);
};

async function* archived(path: string, name: string, isGiven: boolean, names: FileIdentity): AsyncGenerator<FoundFile> {
  await using zip = await openZip(path);
  for (const entry of zip.entries) {
    if (entry.path.endsWith('/')) continue;
    const inner = `${name}!/${entry.path}`;
    const reason = refusalOf(entry);
    if (reason !== undefined) yield rejection(inner, undefined, reason);
    else if (ARCHIVE.test(entry.path) || entry.path.endsWith('.gz'))
      yield rejection(inner, undefined, 'it is an archive within an archive; unpack it first');
    else if (EXTENSIONS.test(entry.path))
      yield {
        name: printableName(inner),
        path: slotOf(entry.path),
        packagePath: packagePathOf(entry.path),
        file: await names(path, entry.path),
        isGiven: isGiven && zip.entries.length === 1,
        async *bytes() {
          yield await zip.read(entry);
        },
      };
    else yield skippedFiles(inner, SKIP_REASONS.ending);
  }
}

async function* fromFile(path: string, name: string, isGiven: boolean, names: FileIdentity): AsyncGenerator<FoundFile> {
  try {
    const begin = await firstBytes(path);
    if (begin.indexOf('PK') === 0) {
      yield* archived(path, name, isGiven, names);
      return;
    }
    const isPacked = begin.indexOf(Buffer.from([0x1f, 0x8b])) === 0;
    yield {
      name: printableName(name),
      path: slotOf(isPacked ? path.replace(/\.gz$/, '') : path),
      packagePath: packagePathOf(isPacked ? path.replace(/\.gz$/, '') : path),
      file: await names(path),
      isGiven,
      bytes: () => (isPacked ? gunzipped(path) : plain(path)),
    };
  } catch (error) {
    yield refuse(name, error);
  }
}

async function* fromFolder(path: string, name: string, depth: number, names: FileIdentity): AsyncGenerator<FoundFile> {
  if (depth > LIMITS.depth) {
    yield rejection(name, undefined, `it lies more than ${LIMITS.depth} folders deep`);
    return;
  }
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => refuse(name, error));
  if (!Array.isArray(entries)) {
    yield entries;
    return;
  }
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const [inner, innerName] = [join(path, entry.name), join(name, entry.name)];
    // A link may lead outside of the folder, or form a cycle.
    if (entry.isDirectory()) yield* fromFolder(inner, innerName, depth + 1, names);
    else if (!entry.isFile()) yield skippedFiles(innerName, SKIP_REASONS.link);
    else if (EXTENSIONS.test(entry.name) || ARCHIVE.test(entry.name)) yield* fromFile(inner, innerName, false, names);
    else yield skippedFiles(innerName, SKIP_REASONS.ending);
  }
}

/** Lists the files of a file, folder or archive in a fixed order, with refusals; skips links and unknown extensions. */
export async function* findFiles(path: string, name: string): AsyncGenerator<FoundFile> {
  try {
    const found = await stat(path);
    const [real, names] = [await realpath(path), createFileIdentity()];
    if (found.isDirectory()) yield* fromFolder(real, name, 0, names);
    else if (found.isFile()) yield* fromFile(real, name, true, names);
    else yield rejection(name, undefined, 'it is neither a file nor a folder');
  } catch (error) {
    yield refuse(name, error);
  }
}
