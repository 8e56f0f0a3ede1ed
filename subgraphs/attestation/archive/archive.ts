import { readFileSync } from 'node:fs';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { MalformedBundle } from '../bundle/parse-bundle.ts';
import type { Trust } from '../bundle/trust.ts';
import { type ListedStatement, type OmittedStatement, readmeOf, verifyScriptOf } from './archive-texts.ts';
import { type ArchiveFile, type BundleFiles, splitBundle, UnknownBundle } from './bundle-files.ts';
import { tarOf } from './tar.ts';
import { recipeOf } from './verification-commands.ts';

const VERIFY_PY = readFileSync(new URL('./package/verify.py', import.meta.url));

export interface ArchivedStatement extends ListedStatement {
  readonly bundle: string;
}

/** Statement of an image's builder, stored unchanged. */
export interface IncomingStatement {
  readonly directory: string;
  readonly files: readonly ArchiveFile[];
}

export interface ArchiveParts {
  /** Name of the archive without `.tar`, and of its one top directory. */
  readonly name: string;
  readonly statements: readonly ArchivedStatement[];
  readonly incoming: readonly IncomingStatement[];
  readonly left: readonly OmittedStatement[];
  readonly trust: Trust;
  readonly documents: { readonly trust: string; readonly trustedRoot: string };
}

export interface Archive {
  readonly fileName: string;
  /** Bytes of the tar file, for a single reader. */
  readonly tar: AsyncIterable<Uint8Array>;
}

const within = (directory: string, files: readonly ArchiveFile[]): ArchiveFile[] =>
  files.map(({ path, bytes }) => ({ path: `${directory}/${path}`, bytes }));

const manifest = (files: readonly ArchiveFile[]): ArchiveFile => ({
  path: 'MANIFEST.sha256',
  bytes: Buffer.from(files.map(({ path, bytes }) => `${sha256Hex(bytes)}  ${path}\n`).join('')),
});

const byPath = (one: ArchiveFile, other: ArchiveFile): number =>
  Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));

/** Splits bundles into files. A corrupted one is listed as such, so that it does not prevent the others. */
const splitAll = (statements: readonly ArchivedStatement[], trust: Trust) => {
  const split: (ArchivedStatement & { readonly taken: BundleFiles })[] = [];
  const broken: string[] = [];
  for (const statement of statements)
    try {
      split.push({ ...statement, taken: splitBundle(statement.bundle, trust) });
    } catch (error) {
      if (!(error instanceof MalformedBundle || error instanceof UnknownBundle)) throw error;
      broken.push(statement.directory);
    }
  return { taken: split, broken };
};

/** Builds an archive of statements with the material and the two programs that verify them. */
export const createArchive = (parts: ArchiveParts): Archive => {
  const { name, statements, incoming, left: remaining, trust, documents } = parts;
  const { taken: split, broken } = splitAll(statements, trust);
  const checked = split.map((each) => ({
    ...each,
    recipe: recipeOf(each.taken, { trust: '"$trust"', name: each.directory }),
  }));
  const files = [
    { path: 'README.txt', bytes: Buffer.from(readmeOf(split, remaining, broken)) },
    { path: 'verify.py', bytes: VERIFY_PY },
    { path: 'verify.sh', bytes: Buffer.from(verifyScriptOf(name, checked, broken)) },
    { path: 'trust.json', bytes: Buffer.from(documents.trust) },
    { path: 'trusted_root.json', bytes: Buffer.from(documents.trustedRoot) },
    ...split.flatMap(({ directory, taken: one }) => within(directory, one.files)),
    ...incoming.flatMap(({ directory, files: other }) => within(directory, other)),
  ].toSorted(byPath);
  return {
    fileName: `${name}.tar`,
    tar: tarOf(
      name,
      [...files, manifest(files)].map((file) => ({ ...file, size: file.bytes.length })),
    ),
  };
};
