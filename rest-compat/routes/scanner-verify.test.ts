import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import { scannerApp } from '@landfall/scanner/testing/scanner-app';
import { scannerScoreRoutes } from './scanner-score.ts';

const as = 'scan-operator';

const temporaryDirectory = async () => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-outside-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
};

/** A scan with a bundle, and its verification over REST. */
const verifyApp = async () => {
  const app = await scannerApp({ routes: scannerScoreRoutes });
  const scanId = await app.frozenScan();
  const replayed = await app.module.replays.replay(people[as], { scanId });
  return {
    ...app,
    scanId,
    replayed,
    verify: async (body: Readonly<Record<string, unknown>>, path = `/api/v1/scans/${scanId}/score/verify`) => {
      const answer = await app.rest('POST', path, { as, body: { expectedRootHash: replayed.rootHash, ...body } });
      return { status: answer.status, body: answer.body, slug: answer.body.errorMessage?.split(':')[0] };
    },
  };
};

// spec: 2.4/verify-request, 2.4/verify-response, 4.3/verify
test('a bundle verifies by its root alone, and with its canonical input, in both forms of the path', async () => {
  await using app = await verifyApp();
  const { rootHash, canonicalInputHash, canonicalInputPayload } = app.replayed;
  const { status, body } = await app.verify({});
  assert.equal(status, 200);
  const { verifiedAtUtc, ...result } = body;
  assert.equal(verifiedAtUtc, app.deps.clock.now().toISOString());
  const expected = {
    valid: true,
    computedRootHash: rootHash,
    expectedRootHash: rootHash,
    manifestValid: true,
    ledgerValid: true,
    canonicalInputHashValid: true,
    expectedCanonicalInputHash: null,
    canonicalInputHash,
    errorMessage: null,
  };
  assert.deepEqual(result, expected);
  const sent = { canonicalInputPayload, expectedCanonicalInputHash: canonicalInputHash, unknown: 1 };
  const alias = await app.verify(sent, `/api/v1/score/${app.scanId}/verify`);
  assert.deepEqual(alias.body, { ...expected, expectedCanonicalInputHash: canonicalInputHash, verifiedAtUtc });
});

test('a wrong root or input hash is 200 and not valid', async () => {
  await using app = await verifyApp();
  const other = `sha256:${'0'.repeat(64)}`;
  assert.equal((await app.verify({ expectedRootHash: other })).slug, 'root-unexpected');
  assert.equal((await app.verify({ expectedRootHash: 'abc' })).slug, 'root-unexpected');
  assert.equal((await app.verify({ expectedCanonicalInputHash: other })).slug, 'input-hash-unexpected');
  assert.equal((await app.verify({ canonicalInputPayload: '{"b":1,"a":2}' })).slug, 'payload-not-canonical');
  const { body } = await app.verify({ canonicalInputPayload: '{}' });
  assert.deepEqual([body.valid, body.canonicalInputHashValid, body.ledgerValid], [false, false, true]);
});

// spec: 7.3/verify-blank
test('a blank or absent root is refused', async () => {
  await using app = await verifyApp();
  for (const expectedRootHash of ['', '  ', null, 7]) {
    const { status, body } = await app.verify({ expectedRootHash });
    assert.deepEqual([status, body.errors[0].field], [400, 'expectedRootHash']);
  }
});

// spec: 7.3/verify-failures
test('tampered, truncated and foreign files are 200 and not valid', async () => {
  await using app = await verifyApp();
  const bytes = await readFile(app.replayed.bundlePath);
  const slugOf = async (name: string, content: Buffer) => {
    await writeFile(join(app.proofsDirectory, name), content);
    const { status, body, slug } = await app.verify({ bundleUri: name });
    assert.deepEqual([status, body.valid], [200, false]);
    return slug;
  };
  const changed = Buffer.from(bytes);
  const at = changed.indexOf('"score":');
  changed.writeUInt8(changed.readUInt8(at + 8) ^ 1, at + 8);
  assert.equal(await slugOf('changed.zip', changed), 'bundle-damaged');
  assert.equal(await slugOf('short.zip', bytes.subarray(0, bytes.length / 2)), 'bundle-damaged');
  assert.equal(await slugOf('empty.zip', Buffer.alloc(0)), 'bundle-damaged');
  assert.equal(await slugOf('text.zip', Buffer.from('no archive')), 'bundle-damaged');
  await writeFile(join(app.proofsDirectory, 'large.zip'), '');
  await truncate(join(app.proofsDirectory, 'large.zip'), 200 * 1_048_576);
  assert.equal((await app.verify({ bundleUri: 'large.zip' })).slug, 'bundle-limit');
});

test('no file outside the directory of bundles is opened', async () => {
  await using app = await verifyApp();
  await using elsewhere = await temporaryDirectory();
  const outside = join(elsewhere.path, 'outside.zip');
  await writeFile(outside, await readFile(app.replayed.bundlePath));
  await symlink(outside, join(app.proofsDirectory, 'link.zip'));
  await mkdir(join(app.proofsDirectory, 'folder'));
  const slugs = {
    'bundle-outside': [outside, `../../${outside}`, 'link.zip', '..'],
    'bundle-missing': ['none', 'folder'],
  };
  for (const [slug, uris] of Object.entries(slugs))
    for (const bundleUri of uris) {
      const found = await app.verify({ bundleUri });
      assert.equal(found.status, 200, bundleUri);
      assert.deepEqual([found.body.valid, found.body.computedRootHash], [false, null], bundleUri);
      assert.ok(['bundle-missing', slug].includes(found.slug), `${bundleUri}: ${found.slug}`);
    }
});

// spec: rulings/40
test('a scan without a bundle is not valid, and an unknown scan is not found', async () => {
  await using app = await verifyApp();
  const scanId = await app.frozenScan();
  const { status, body, slug } = await app.verify({}, `/api/v1/scans/${scanId}/score/verify`);
  assert.deepEqual([status, body.valid, slug], [200, false, 'bundle-missing']);
  const unknown = await app.verify({}, '/api/v1/scans/01900000-0000-7000-8000-000000000000/score/verify');
  assert.equal(unknown.status, 404);
});

// spec: rulings/40
test('without a bundle named, that of the root is verified, otherwise the newest', async () => {
  await using app = await verifyApp();
  const { scanId, replayed: first } = app;
  await app.clock.advance(60_000);
  const second = await app.module.replays.replay(people[as], { scanId, freezeTimestamp: '2027-01-01T00:00:00Z' });
  for (const { rootHash } of [first, second]) {
    const { body } = await app.verify({ expectedRootHash: rootHash });
    assert.deepEqual([body.valid, body.computedRootHash], [true, rootHash]);
  }
  const { body, slug } = await app.verify({ expectedRootHash: `sha256:${'0'.repeat(64)}` });
  assert.deepEqual([body.valid, body.computedRootHash, slug], [false, second.rootHash, 'root-unexpected']);
});

test('the bundle of another scan answers nothing of what it contains', async () => {
  await using app = await verifyApp();
  const scanId = await app.frozenScan();
  const path = `/api/v1/scans/${scanId}/score/verify`;
  const { body, slug } = await app.verify({ bundleUri: app.replayed.bundlePath }, path);
  assert.deepEqual(
    [slug, body.valid, body.computedRootHash, body.canonicalInputHash],
    ['bundle-foreign', false, null, null],
  );
});

test('a manifest that a key of the platform signed before a rotation still verifies', async () => {
  await using app = await verifyApp();
  const another = app.another();
  await app.rotateManifestKey();
  const { valid } = await another.proofs.verify(people[as], {
    scanId: app.scanId,
    expectedRootHash: app.replayed.rootHash,
  });
  assert.equal(valid, true);
});
