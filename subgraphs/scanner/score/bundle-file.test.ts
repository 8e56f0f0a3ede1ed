import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { readBundleFile, writeBundle } from './bundle-file.ts';
import { goldenManifest } from './golden-scan.fixture.ts';

const temporaryDirectory = async () => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-proofs-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

const bundleOf = (text: string, isContentAddressed = true) => ({
  scanId: goldenManifest.scanId,
  rootHash: sha256('root'),
  bytes: Buffer.from(text),
  isContentAddressed,
});

test('a bundle is written once, and the same bytes again are a success', async () => {
  await using directory = await temporaryDirectory();
  const base = join(directory.path, 'proofs');
  const stored = await writeBundle(base, bundleOf('one'));
  assert.equal(stored.bundleHash, sha256('one'));
  assert.deepEqual(await writeBundle(base, bundleOf('one')), stored);
  assert.equal(await readFile(stored.path, 'utf8'), 'one');
  assert.equal((await readdir(base)).length, 1);
});

test('other bytes under a content-addressed name are refused, and the file stays', async () => {
  await using directory = await temporaryDirectory();
  const { path } = await writeBundle(directory.path, bundleOf('one'));
  await assert.rejects(writeBundle(directory.path, bundleOf('two')), { reason: 'bundle-conflict' });
  assert.equal(await readFile(path, 'utf8'), 'one');
  assert.equal((await readdir(directory.path)).length, 1);
});

test('without content addressing the file is replaced', async () => {
  await using directory = await temporaryDirectory();
  await writeBundle(directory.path, bundleOf('one', false));
  const { path } = await writeBundle(directory.path, bundleOf('two', false));
  assert.equal(await readFile(path, 'utf8'), 'two');
  assert.deepEqual(await readdir(directory.path), [`${goldenManifest.scanId}.zip`]);
});

test('a failed write leaves no temporary file', async () => {
  await using directory = await temporaryDirectory();
  const { path } = await writeBundle(directory.path, bundleOf('one', false));
  await rm(path);
  await symlink('.', join(directory.path, 'link'));
  const error = await writeBundle('/dev/null/proofs', bundleOf('one')).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Error);
  assert.deepEqual(await readdir(directory.path), ['link']);
});

test('a bundle is read below the base path only, with every link resolved', async () => {
  await using inside = await temporaryDirectory();
  await using outside = await temporaryDirectory();
  const { path } = await writeBundle(inside.path, bundleOf('one'));
  await writeFile(join(outside.path, 'other.zip'), 'other');
  await symlink(join(outside.path, 'other.zip'), join(inside.path, 'link.zip'));
  await symlink(outside.path, join(inside.path, 'folder'));
  assert.equal((await readBundleFile(inside.path, path)).toString(), 'one');
  for (const uri of [
    join(outside.path, 'other.zip'),
    join(inside.path, 'link.zip'),
    'folder/other.zip',
    inside.path,
    '..',
    '/',
  ])
    await assert.rejects(readBundleFile(inside.path, uri), { reason: 'bundle-outside' }, uri);
});

test('a path without a file, with NUL or of a folder is no bundle', async () => {
  await using directory = await temporaryDirectory();
  await writeBundle(join(directory.path, 'folder'), bundleOf('one'));
  for (const uri of ['absent.zip', 'a\0b', 'folder', 'https://proofs.example/a.zip'])
    await assert.rejects(readBundleFile(directory.path, uri), { reason: 'bundle-missing' }, uri);
});

test('a file above the limit is not read', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'large.zip'), '');
  await truncate(join(directory.path, 'large.zip'), 200 * 1_048_576);
  await assert.rejects(readBundleFile(directory.path, 'large.zip'), { reason: 'bundle-limit' });
});
