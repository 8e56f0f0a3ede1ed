import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { programs } from '@landfall/attestation/archive/archive.fixture';
import { createKey } from '@landfall/attestation/bundle/bundle.fixture';
import { startTimestampAuthority } from '@landfall/attestation/testing/timestamp-authority';
import { createArtifacts, createSeal, recipe, sealed, tarBytes, unpacked } from './export.fixture.ts';
import { flipInFiles, flipInTar, isAccepted, isRefused, isWhole, verify } from './verification.fixture.ts';
import { ExportRefused, verifyExport } from './verification.ts';

test(
  'sh, Python and the own verifier accept an export of either kind of key, and of a strange authority',
  programs,
  async () => {
    await using times = await startTimestampAuthority();
    const { artifacts, reader } = createArtifacts(3);
    for (const options of [{}, { signer: createKey('ed25519') }, { authority: times, begin: times.validFrom }]) {
      const archive = await sealed({ artifacts, seal: await createSeal(options) });
      await using files = await unpacked(archive, reader);
      isWhole(await recipe(files.home));
      const { manifest, isOwnTime, isOwnTrust } = await verify(await tarBytes(archive, reader));
      assert.deepEqual([manifest.entryCount, isOwnTime, isOwnTrust], [8, !('authority' in options), true]);
    }
  },
);

test('a forged archive with a trust root of its own never ends in OK, nor in exit code 0', programs, async () => {
  const { artifacts, reader } = createArtifacts(1);
  const forged = await sealed({ artifacts, seal: await createSeal({ signer: createKey('ed25519') }) });
  await using files = await unpacked(forged, reader);
  isWhole(await recipe(files.home));
});

test('an export of an empty bundle is whole, too', programs, async () => {
  const { reader } = createArtifacts(0);
  const archive = await sealed({ artifacts: [] });
  await using files = await unpacked(archive, reader);
  isWhole(await recipe(files.home));
  assert.equal((await verify(await tarBytes(archive, reader))).manifest.entryCount, 5);
});

test('what the bundle lost is named by its hash, and signed', programs, async () => {
  const { artifacts, reader } = createArtifacts(2);
  const [kept, lost] = artifacts;
  assert.ok(kept && lost);
  const { artifactId, sha256, size } = lost;
  const missing = [{ artifactId, sha256, size, reason: 'disposed' as const }];
  const archive = await sealed({ artifacts: [kept], missing });
  await using files = await unpacked(archive, reader);
  const said = await recipe(files.home);
  isWhole(said);
  assert.match(said.python, /1 artifacts missing/);
  assert.deepEqual((await verify(await tarBytes(archive, reader))).manifest.missing, missing);
});

test('a flipped bit in a file is found by sh and by Python', programs, async () => {
  assert.equal(await flipInFiles(/manifest\.json$/), 1);
});

test('a file more, a file less, a link and an empty directory are found', programs, async () => {
  const { artifacts, reader } = createArtifacts(1);
  await using files = await unpacked(await sealed({ artifacts }), reader);
  const { home } = files;
  await writeFile(join(home, 'artifacts', 'more.json'), '{}');
  isRefused(await recipe(home), 'a file more');
  await rm(join(home, 'artifacts', 'more.json'));
  await symlink('README.txt', join(home, 'link'));
  isRefused(await recipe(home), 'a link');
  await rm(join(home, 'link'));
  await mkdir(join(home, 'empty'));
  isRefused(await recipe(home), 'an empty directory');
  await rm(join(home, 'empty'), { recursive: true });
  const [artifact] = artifacts;
  assert.ok(artifact);
  // The bytes are right, but they are not in the archive.
  await rename(join(home, artifact.path), join(files.path, 'outside.json'));
  await symlink('../../../outside.json', join(home, artifact.path));
  isRefused(await recipe(home), 'a link in place of an artifact');
  await rename(join(files.path, 'outside.json'), join(home, artifact.path));
  isWhole(await recipe(home));
  await rm(join(home, 'index.json'));
  isRefused(await recipe(home), 'a file less');
});

test('a flipped bit anywhere in the tar file is found by the own verifier', () => flipInTar(17));

test('an archive that is cut off, has more behind it, or is none is refused', async () => {
  const { artifacts, reader } = createArtifacts(1);
  const tar = await tarBytes(await sealed({ artifacts }), reader);
  const gzip = gzipSync(tar);
  const cases: Readonly<Record<string, Buffer>> = {
    'cut off': gzip.subarray(0, -200),
    'without its end': gzipSync(tar.subarray(0, -1_024)),
    'with half of it': gzipSync(tar.subarray(0, 5_120)),
    'with more': gzipSync(Buffer.concat([tar, Buffer.alloc(512)])),
    empty: gzipSync(Buffer.alloc(1_024)),
    'no archive': Buffer.from('PK'),
  };
  for (const [name, bytes] of Object.entries(cases))
    await assert.rejects(verifyExport(Readable.from([bytes])), ExportRefused, name);
});

test(
  'ten years later, with every key rotated and every certificate expired, an export still verifies',
  programs,
  async () => {
    // The machine's clock is the later one here: keys and certificates of the years 2001 to 2021.
    const begin = new Date('2001-01-01T00:00:00Z');
    const seal = await createSeal({ begin, at: new Date('2011-02-28T23:59:59Z') });
    const { artifacts, reader } = createArtifacts(2);
    const archive = await sealed({ artifacts, seal });
    await using files = await unpacked(archive, reader);
    const rotated = seal.rotatedTrust(new Date('2012-02-29T00:00:00Z'));
    const trust = join(files.path, 'trust.json');
    await writeFile(trust, rotated);
    isWhole(await recipe(files.home));
    isAccepted(await recipe(files.home, trust));
    const { signedAt, isOwnTrust } = await verify(await tarBytes(archive, reader), rotated);
    assert.deepEqual([signedAt, isOwnTrust], [new Date('2011-02-28T23:59:59Z'), false]);
  },
);

test('a signature made after its key ended is refused', programs, async () => {
  const seal = await createSeal({ at: new Date('2026-11-27T12:34:56Z') });
  const { artifacts, reader } = createArtifacts(1);
  const archive = await sealed({ artifacts, seal });
  await using files = await unpacked(archive, reader);
  const trust = join(files.path, 'trust.json');
  // The key ended a second before; so did the authority, which has another reason to refuse.
  const text: { keys: { validFor: object }[] } = JSON.parse(seal.trust);
  for (const key of text.keys) key.validFor = { start: '2026-01-01T00:00:00Z', end: '2026-11-27T12:34:55Z' };
  await writeFile(trust, JSON.stringify(text));
  assert.match((await recipe(files.home, trust)).sh, /^REFUSED: check 4: the key was not valid at 20261127123456/m);
  await assert.rejects(verify(await tarBytes(archive, reader), JSON.stringify(text)), /key was not valid/);
});

test('an authority that was not trusted at the time of its timestamp does not count', programs, async () => {
  const seal = await createSeal({ at: new Date('2026-11-27T12:34:56Z') });
  const { artifacts, reader } = createArtifacts(1);
  const archive = await sealed({ artifacts, seal });
  await using files = await unpacked(archive, reader);
  const rotated = seal.rotatedTrust(new Date('2026-11-01T00:00:00Z'));
  const trust = join(files.path, 'trust.json');
  await writeFile(trust, rotated);
  assert.match((await recipe(files.home, trust)).sh, /^REFUSED: check 3: /m);
  await assert.rejects(verify(await tarBytes(archive, reader), rotated), /authority is not trusted at that time/);
});

test('the trust document of another platform refuses an export that trusts itself', programs, async () => {
  const { artifacts, reader } = createArtifacts(1);
  const archive = await sealed({ artifacts });
  await using files = await unpacked(archive, reader);
  const other = (await createSeal()).trust;
  const trust = join(files.path, 'trust.json');
  await writeFile(trust, other);
  isWhole(await recipe(files.home));
  isRefused(await recipe(files.home, trust), 'another platform');
  await assert.rejects(verify(await tarBytes(archive, reader), other), /is not in the trust document/);
});
