import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { pack } from 'tar-stream';
import { documentText } from '../roots/signed-document.ts';
import { NOW, temporary, testKey, testKit, testRoot } from '../testing/kits.ts';
import { partFile } from './archive.ts';
import { isNewer, type KitManifest, readManifest, verifyKit } from './manifest.ts';
import { createQuarantine, readManifestFile } from './quarantine.ts';

const [a, b, c] = [testKey(), testKey(), testKey()];
const AT = { now: NOW, accuracySeconds: 0 };
const FILES = { 'osv/npm.json': JSON.stringify({ id: 'one' }), 'kev.json': 'k'.repeat(9_000), 'empty.csv': '' };
const root = await testRoot([a, b, c], { threshold: 2 });

/** Every file below a directory with its text. */
const contentsOf = async (directory: string): Promise<Record<string, string>> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = files.map(async (file) => [file.slice(directory.length + 1), await readFile(file, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(contents));
};

// spec: 2.7/kit-manifest
// spec: 9/kit-version
test('a kit is extracted as it was packed, from parts in any order, over a restart', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES });
  const read = readManifest(await readFile(join(at.path, 'kit/manifest.json'), 'utf8'));
  assert.deepEqual(read.value, kit.value);
  verifyKit(read, root, AT);
  const media = join(at.path, 'media');
  await mkdir(media);
  const { parts } = kit.value.archive;
  assert.ok(parts.length >= 3);
  const place = join(at.path, 'quarantine');
  for (const { index } of parts.toReversed()) {
    await rename(join(at.path, 'kit', partFile(index)), join(media, partFile(index)));
    const missing = await createQuarantine(place).collectParts(media, kit.value);
    assert.deepEqual(
      missing,
      parts.map((part) => part.index).filter((each) => each < index),
    );
    await rm(join(media, partFile(index)));
  }
  await createQuarantine(place).extract(kit.value);
  assert.deepEqual(await contentsOf(join(place, 'files-0')), FILES);
});

test('a kit that would fill the disk is refused before it is copied', async () => {
  await using at = await temporary();
  const { value } = await testKit(at.path, { signers: [a, b], files: FILES });
  const archive = { ...value.archive, size: 2 ** 52 };
  const taken = createQuarantine(join(at.path, 'quarantine')).collectParts(join(at.path, 'kit'), { archive });
  await assert.rejects(taken, { code: 'SYS_STORAGE_ERROR' });
  assert.deepEqual(await readdir(join(at.path, 'quarantine/parts')), []);
});

test('a foreign part is refused by its hash before it is joined', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES });
  await copyFile(join(at.path, 'kit', partFile(1)), join(at.path, 'kit', partFile(2)));
  const quarantine = createQuarantine(join(at.path, 'quarantine'));
  await assert.rejects(quarantine.collectParts(join(at.path, 'kit'), kit.value), { code: 'kit_part_foreign' });
  assert.deepEqual(await readdir(join(at.path, 'quarantine/parts')), [partFile(1)]);
});

test('a part that is a link is refused', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES });
  await rename(join(at.path, 'kit', partFile(1)), join(at.path, 'outside'));
  await symlink(join(at.path, 'outside'), join(at.path, 'kit', partFile(1)));
  const quarantine = createQuarantine(join(at.path, 'quarantine'));
  await assert.rejects(quarantine.collectParts(join(at.path, 'kit'), kit.value), { code: 'kit_archive_unsafe' });
});

test('a named pipe, a directory in place of a part, and a folder that is a link are refused at once', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES });
  const quarantine = createQuarantine(join(at.path, 'quarantine'));
  const part = join(at.path, 'kit', partFile(1));
  await rm(part);
  execFileSync('mkfifo', [part]);
  await assert.rejects(quarantine.collectParts(join(at.path, 'kit'), kit.value), { code: 'kit_archive_unsafe' });
  await rm(part);
  await mkdir(part);
  await assert.rejects(quarantine.collectParts(join(at.path, 'kit'), kit.value), { code: 'kit_archive_unsafe' });
  await symlink(join(at.path, 'kit'), join(at.path, 'link'));
  await assert.rejects(readManifestFile(join(at.path, 'link')), { code: 'kit_archive_unsafe' });
});

test('a kept part that was damaged on the disk is dropped and taken again', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES });
  const quarantine = createQuarantine(join(at.path, 'quarantine'));
  await quarantine.collectParts(join(at.path, 'kit'), kit.value);
  const kept = join(at.path, 'quarantine/parts', partFile(2));
  const bytes = await readFile(kept);
  bytes[700] = (bytes[700] ?? 0) ^ 1;
  await writeFile(kept, bytes);
  await assert.rejects(quarantine.extract(kit.value), { code: 'kit_part_foreign', details: { parts: [2] } });
  assert.deepEqual(await quarantine.collectParts(undefined, kit.value), [2]);
  assert.deepEqual(await quarantine.collectParts(join(at.path, 'kit'), kit.value), []);
  await quarantine.extract(kit.value);
  assert.deepEqual(await contentsOf(join(at.path, 'quarantine/files-0')), FILES);
});

type Entry = Parameters<ReturnType<typeof pack>['entry']>[0] & { readonly content?: string };

/** Refusal of an archive with these entries, whose manifest declares `one.json` with the content `{}`. */
const refusalOf = async (entries: readonly Entry[], declared: Partial<KitManifest['components'][number]> = {}) => {
  await using at = await temporary();
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const part = { size: bytes.length, hash: sha256(bytes) };
  const manifest = {
    archive: { ...part, parts: [{ index: 1, ...part }] },
    components: [{ path: 'one.json', kind: 'feed' as const, hash: sha256('{}'), size: 2, counts: {}, ...declared }],
  };
  const quarantine = createQuarantine(join(at.path, 'quarantine'));
  await writeFile(join(at.path, partFile(1)), bytes);
  await quarantine.collectParts(at.path, manifest);
  const refusal = await quarantine.extract(manifest).then(
    () => undefined,
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );
  const outside = (await readdir(at.path)).filter((name) => name !== 'quarantine' && name !== partFile(1));
  assert.deepEqual(outside, []);
  return refusal;
};

const one = { name: 'one.json', content: '{}' };

test('an archive with links, other paths, undeclared or repeated files is refused, and nothing is written outside', async () => {
  const bad: readonly Entry[][] = [
    [{ name: 'one.json', type: 'symlink', linkname: '/etc/passwd' }],
    [{ name: 'one.json', type: 'link', linkname: '../outside' }],
    [{ name: '../outside', content: '{}' }],
    [{ name: '/tmp/landfall-outside', content: '{}' }],
    [{ name: './one.json', content: '{}' }],
    [one, { name: 'two.json', content: '{}' }],
    [one, one],
    [{ name: 'directory', type: 'directory' }, one],
    [{ name: 'one.json', type: 'character-device' }],
  ];
  for (const entries of bad) assert.equal(await refusalOf(entries), 'kit_archive_unsafe', JSON.stringify(entries));
});

test('a component with another hash or size, and one that is missing, are refused', async () => {
  assert.equal(await refusalOf([one]), undefined);
  for (const [entries, declared] of [
    [[{ ...one, content: '[]' }], {}],
    [[{ ...one, content: '{} ' }], {}],
    [[], {}],
    [[one], { hash: sha256('[]') }],
  ] as const)
    assert.equal(await refusalOf(entries, declared), 'kit_content_mismatch');
});

const refuses = async (changes: Parameters<typeof testRoot>[1], input: object, code: string): Promise<void> => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES, ...input });
  const revised = changes?.revokedKits ? { ...changes, revokedKits: [kit.digest] } : changes;
  const installed = await testRoot([a, b, c], { threshold: 2, ...revised });
  assert.throws(() => verifyKit(kit, installed, AT), { code });
};

test('a kit is refused that too few keys signed, that is revoked, expired or of another root', async () => {
  await refuses({}, { signers: [a] }, 'kit_untrusted');
  await refuses({}, { signers: [a, testKey()] }, 'kit_untrusted');
  await refuses({ revokedKeys: [b.keyId] }, {}, 'kit_untrusted');
  await refuses({ revokedKits: [] }, {}, 'kit_revoked');
  await refuses({ version: 2 }, {}, 'kit_root_mismatch');
  await refuses({ expiresAt: '2026-11-27T11:00:00Z' }, {}, 'root_expired');
  await refuses({}, { expiresAt: '2026-11-27T12:00:00Z' }, 'kit_expired');
});

test('a kit of the future is refused, beyond the uncertainty of the anchored time', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES, createdAt: '2026-11-27T12:06:00Z' });
  assert.throws(() => verifyKit(kit, root, AT), { code: 'kit_from_future', message: /Set a time anchor/ });
  verifyKit(kit, root, { now: NOW, accuracySeconds: 60 });
  verifyKit(kit, root, { now: new Date('2026-11-27T12:01:00Z'), accuracySeconds: 0 });
});

test('one flipped byte anywhere in the signed manifest is found', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES });
  const { payload } = kit.envelope;
  for (let at = 0; at < payload.length; at += 37) {
    const changed = Buffer.from(payload);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const text = documentText({ envelope: { ...kit.envelope, payload: changed } });
    assert.throws(() => verifyKit(readManifest(text), root, AT), `byte ${at}`);
  }
});

test('a kit is newer by its sequence; the same kit is installed already, and any other is a rollback', async () => {
  await using at = await temporary();
  const kit = await testKit(at.path, { signers: [a, b], files: FILES, sequence: 5 });
  const other = sha256('another kit');
  assert.equal(isNewer(kit, undefined), true);
  assert.equal(isNewer(kit, { sequence: 4, digest: other }), true);
  assert.equal(isNewer(kit, { sequence: 5, digest: kit.digest }), false);
  assert.throws(() => isNewer(kit, { sequence: 5, digest: other }), { code: 'kit_rolled_back' });
  assert.throws(() => isNewer(kit, { sequence: 6, digest: other }), { code: 'kit_rolled_back' });
});

test('a kit that continues another one needs that one', async () => {
  await using at = await temporary();
  const previousKitDigest = sha256('the kit before');
  const kit = await testKit(at.path, { signers: [a, b], files: FILES, sequence: 2, previousKitDigest });
  assert.equal(isNewer(kit, { sequence: 1, digest: previousKitDigest }), true);
  assert.throws(() => isNewer(kit, undefined), { code: 'kit_chain_broken' });
  assert.throws(() => isNewer(kit, { sequence: 1, digest: sha256('another') }), { code: 'kit_chain_broken' });
});

test('a manifest with paths that lead out of a directory or meet each other cannot be built', async () => {
  await using at = await temporary();
  for (const [index, files] of [{ 'A.json': '', 'a.json': '' }, { a: '', 'A/b': '' }, { '.hidden': '' }].entries())
    await assert.rejects(testKit(join(at.path, String(index)), { signers: [a, b], files }), /manifest|path/);
});
