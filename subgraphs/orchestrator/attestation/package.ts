import { readFileSync } from 'node:fs';
import { sha256Hex } from '@landfall/kernel/digest';
import { pack } from 'tar-stream';
import type { Trust } from '../verification/trust.ts';
import { recipeOf } from './recipe.ts';
import { type File, takeApart } from './taken.ts';

const shipped = (name: string): Buffer => readFileSync(new URL(`./package/${name}`, import.meta.url));

const README = shipped('README.txt');
const VERIFY_PY = shipped('verify.py');

/** A statement of ours for an archive. */
export interface PackedStatement {
  /** The directory's name: ASCII, no slash. */
  readonly directory: string;
  readonly bundle: string;
}

/** A statement that an image brought, as it is. */
export interface IncomingStatement {
  readonly directory: string;
  readonly files: readonly File[];
}

export interface PackageParts {
  /** The archive's one top directory, and its name without `.tar`. */
  readonly name: string;
  readonly statements: readonly PackedStatement[];
  readonly incoming: readonly IncomingStatement[];
  readonly trust: Trust;
  readonly documents: { readonly trust: string; readonly trustedRoot: string };
}

export interface Archive {
  readonly fileName: string;
  readonly tar: Buffer;
}

const within = (directory: string, files: readonly File[]): File[] =>
  files.map(({ path, bytes }) => ({ path: `${directory}/${path}`, bytes }));

const verifyScript = (recipes: readonly { readonly directory: string; readonly recipe: string }[]): string =>
  [
    '#!/bin/sh',
    '# Checks every statement of this archive: sh verify.sh [TRUST.json]. Needs sh, openssl 3 and sha256sum.',
    'set -eu',
    'if [ $# -gt 0 ]; then trust=$1; else trust=$(dirname "$0")/trust.json; fi',
    'case $trust in /*) ;; *) trust=$(pwd)/$trust ;; esac',
    'cd "$(dirname "$0")"',
    'sha256sum --check --quiet MANIFEST.sha256',
    ...recipes.map(({ directory, recipe }) => `\necho '${directory}'\n(\ncd '${directory}'\n${recipe})`),
    '',
    "echo 'OK: every file, signature, log entry, inclusion proof and checkpoint'",
    '',
  ].join('\n');

const manifest = (files: readonly File[]): File => ({
  path: 'MANIFEST.sha256',
  bytes: Buffer.from(files.map(({ path, bytes }) => `${sha256Hex(bytes)}  ${path}\n`).join('')),
});

const byPath = (one: File, other: File): number => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));

/** The same files are the same bytes: sorted, without times and owners. */
const tarOf = async (directory: string, files: readonly File[]): Promise<Buffer> => {
  const archive = pack();
  for (const { path, bytes } of files)
    archive.entry(
      {
        name: `${directory}/${path}`,
        mtime: new Date(0),
        mode: /^verify\.(sh|py)$/.test(path) ? 0o755 : 0o644,
        uid: 0,
        gid: 0,
        uname: '',
        gname: '',
      },
      bytes,
    );
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** An archive that holds statements, everything to check them by, and the two programs that do. */
export const createPackage = async (parts: PackageParts): Promise<Archive> => {
  const { name, statements, incoming, trust, documents } = parts;
  const taken = statements.map(({ directory, bundle }) => ({ directory, taken: takeApart(bundle, trust) }));
  const recipes = taken.map(({ directory, taken: one }) => ({ directory, recipe: recipeOf(one, '"$trust"') }));
  const files = [
    { path: 'README.txt', bytes: README },
    { path: 'verify.py', bytes: VERIFY_PY },
    { path: 'verify.sh', bytes: Buffer.from(verifyScript(recipes)) },
    { path: 'trust.json', bytes: Buffer.from(documents.trust) },
    { path: 'trusted_root.json', bytes: Buffer.from(documents.trustedRoot) },
    ...taken.flatMap(({ directory, taken: one }) => within(directory, one.files)),
    ...incoming.flatMap(({ directory, files: theirs }) => within(directory, theirs)),
  ].toSorted(byPath);
  return { fileName: `${name}.tar`, tar: await tarOf(name, [...files, manifest(files)]) };
};
