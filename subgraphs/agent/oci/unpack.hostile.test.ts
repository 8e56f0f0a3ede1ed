import assert from 'node:assert/strict';
import { lstat, mkdir, mkdtemp, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { type TarEntry, tar } from '@landfall/kernel/testing/oci-image';
import fc from 'fast-check';
import { setFocused } from './file-tree.ts';
import { type Layer, unpack, unpackLimits } from './unpack.ts';

/** Directories above the root, deeper than any chain of links in the tests climbs. */
const ABOVE = Array.from({ length: 12 }, (_, index) => `above-${index}`);
const RUNS = 150;

const name = fc.constantFrom('a', 'b', 'c', 'up');
const step = fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: fc.constant('..') });
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const unsafePath = fc.oneof(
  { weight: 12, arbitrary: path },
  { weight: 1, arbitrary: fc.array(step, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')) },
  { weight: 1, arbitrary: path.map((inner) => `/${inner}`) },
);
const target = fc
  .tuple(fc.constantFrom('', '', '', '/'), fc.array(step, { minLength: 1, maxLength: 6 }))
  .map(([start, names]) => start + names.join('/'));

const entry: fc.Arbitrary<TarEntry> = fc.oneof(
  { weight: 3, arbitrary: unsafePath.map((at) => ({ path: `${at}/` })) },
  { weight: 3, arbitrary: unsafePath.map((at) => ({ path: at, content: 'hostile' })) },
  { weight: 5, arbitrary: fc.tuple(unsafePath, target).map(([at, linkTo]) => ({ path: at, linkTo })) },
  { weight: 1, arbitrary: fc.tuple(unsafePath, unsafePath).map(([at, hardLinkTo]) => ({ path: at, hardLinkTo })) },
  { weight: 1, arbitrary: path.map((at) => ({ path: at.replace(/([^/]+)$/, '.wh.$1'), content: '' })) },
  { weight: 1, arbitrary: path.map((at) => ({ path: `${at}/.wh..wh..opq`, content: '' })) },
);

/** Lists the entries below a directory except for the root: kinds, modes and contents. */
const outside = async (directory: string, root: string): Promise<readonly string[]> => {
  const lines: string[] = [];
  for (const each of await setFocused(directory)) {
    const full = join(directory, each);
    if (full.startsWith(`${root}/`)) continue;
    const stat = await lstat(full);
    const content = stat.isFile() ? await readFile(full, 'hex') : stat.isSymbolicLink() ? await readlink(full) : '';
    lines.push(`${each} ${stat.mode} ${content}`);
  }
  return lines;
};

const inScratch = async (work: (directory: string, root: string) => Promise<void>): Promise<void> => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'landfall-hostile-')));
  try {
    const root = join(directory, ...ABOVE, 'root');
    await mkdir(root, { recursive: true });
    // Names that links may lead to, and a file that must stay as it is.
    for (const each of ['a', 'b', 'c']) await mkdir(join(root, '..', each));
    await writeFile(join(root, '../a/b'), 'not yours');
    await work(directory, root);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const layersOf = async (directory: string, sets: readonly (readonly TarEntry[])[]): Promise<readonly Layer[]> => {
  const layers: Layer[] = [];
  for (const [at, entries] of sets.entries()) {
    const archive = tar(entries);
    const file = join(directory, `layer-${at}`);
    await writeFile(file, archive);
    layers.push({ file, compression: 'none', diffId: sha256(archive) });
  }
  return layers;
};

const orderedLayers = fc
  .array(fc.array(entry, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 2 })
  .chain((sets) =>
    fc.tuple(...sets.map((set) => fc.shuffledSubarray(set, { minLength: set.length, maxLength: set.length }))),
  );

test('no order of hostile entries makes, changes or removes anything outside the tree', async () => {
  let isAccepted = 0;
  await fc.assert(
    fc.asyncProperty(orderedLayers, (sets) =>
      inScratch(async (directory, root) => {
        const layers = await layersOf(directory, sets);
        const before = await outside(directory, root);
        await unpack(root, layers, unpackLimits, new AbortController().signal).then(
          () => {
            isAccepted += 1;
          },
          // A refusal is for the shape of an entry, never because a file system call went wrong halfway.
          (error: unknown) => assert.ok(error instanceof Error && error.name === 'Fault', String(error)),
        );
        assert.deepEqual(await outside(directory, root), before);
      }),
    ),
    { numRuns: RUNS },
  );
  assert.ok(isAccepted > 0, 'none of the sets was taken');
});
