import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { verifyWithStockClient } from '@landfall/attestation/bundle/stock-client.fixture';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { createBuiltInAuthority } from '@landfall/attestation/timestamps/built-in-authority';
import { checkTimestamp } from '@landfall/attestation/timestamps/timestamp';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { needs } from '@landfall/kernel/testing/programs';
import { SigningConfig } from '@sigstore/protobuf-specs';
import { startAttestedApp } from './landing.fixture.ts';

const run = promisify(execFile);

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const keys = createSigningKeys(app.deps);
const platformDomain = 'landfall.example';
const authority = createBuiltInAuthority({ database: app.deps.database, keys, platformDomain });
const signature = randomBytes(71);

const attested = async (module = app.module) => {
  const { release, deployment } = await app.landed(await app.stage());
  while ((await module.runOnce.attestor()) > 0);
  const found = await app.statement('deployment', deployment.id);
  assert(found);
  const complete = await app.whole(found.id);
  const subjectDigest = release.components[0]?.digest ?? '';
  return {
    id: found.id,
    whole: complete,
    bundle: complete.bundle ?? '',
    expected: { subjectDigest, deploymentId: deployment.id },
  };
};

test('a stock Sigstore client with default options accepts every statement, from what is published alone', async () => {
  await attested();
  const { id, expected, bundle } = await attested();
  const documents = await app.module.trust.documents();
  const statements = await app.bundles();

  assert.ok(statements.length >= 4, 'of launches and landings');
  for (const each of statements) verifyWithStockClient(each, documents.trust);
  assert.equal(verifyBundle(bundle, await app.module.trust.current(), expected).checks.timestamp, 'pass');
  const { found } = await app.module.verifications.verify(app.operator, { attestationRef: id });
  assert.deepEqual([found.verified, found.checks.timestamp], [true, 'pass']);
  const without = JSON.parse(bundle);
  delete without.verificationMaterial.timestampVerificationData;
  assert.throws(() => verifyWithStockClient(JSON.stringify(without), documents.trust), /expected 1 timestamps/);
});

test(
  'openssl verifies a stamp under the root alone, and finds the time of the platform in it',
  await needs('openssl'),
  async () => {
    const token = await authority.timestamp(signature);
    const [{ certificates = [] } = {}] = await authority.authorities();
    const [, root = Buffer.of()] = certificates;
    const directory = await mkdtemp(join(tmpdir(), 'own-authority-'));
    try {
      await writeFile(join(directory, 'token.tsr'), token);
      await writeFile(join(directory, 'data'), signature);
      await writeFile(join(directory, 'root.pem'), new X509Certificate(root).toString());
      const at = Math.floor(app.clock.now().getTime() / 1000);
      const { stdout: visible } = await run('openssl', ['ts', '-reply', '-in', 'token.tsr', '-text'], {
        cwd: directory,
      });
      const verify = [
        'ts',
        '-verify',
        '-data',
        'data',
        '-in',
        'token.tsr',
        '-CAfile',
        'root.pem',
        '-attime',
        `${at + 1}`,
      ];
      const { stderr, stdout } = await run('openssl', verify, { cwd: directory });
      assert.match(stdout + stderr, /Verification: OK/);
      assert.equal(Date.parse(/Time stamp: (.+)/.exec(visible)?.[1] ?? ''), at * 1000);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);

test('the signing configuration is one that Sigstore’s own types read, and names the log that takes entries', async () => {
  const { signingConfig } = await app.module.trust.documents();
  const { rekorTlogUrls, tsaUrls } = SigningConfig.fromJSON(JSON.parse(signingConfig));

  assert.deepEqual(
    rekorTlogUrls.map(({ url, majorApiVersion }) => [url, majorApiVersion]),
    [['https://landfall.example/tlog', 2]],
  );
  assert.deepEqual(tsaUrls, [], 'the built-in authority answers nobody else');
});

test('processes that stamp for the first time at once name one chain', async () => {
  await keys.rotate('timestamp');
  const databases = Array.from({ length: 6 }, () => createDatabase({ connection: app.connection, max: 2 }));
  const authorities = databases.map((database) =>
    createBuiltInAuthority({ database, keys: createSigningKeys({ ...app.deps, database }), platformDomain }),
  );
  const tokens = await Promise.all(authorities.map((each) => each.timestamp(signature)));
  const [current] = await authority.authorities();
  assert.ok(current);
  for (const token of tokens) assert.ok('at' in checkTimestamp(token, signature, [current]));
  await Promise.all(databases.map((database) => database.close()));
});

test('after a rotation another key stamps under a chain of its own, and earlier stamps still count', async () => {
  const before = await attested();
  const token = await authority.timestamp(signature);
  const [former] = await authority.authorities();
  await keys.rotate('timestamp');
  await app.clock.advance(61_000);
  const later = await authority.timestamp(signature);
  const after = await attested();

  const [current] = await authority.authorities();
  assert.ok(
    former && current && !current.certificates[0]?.every((byte, index) => byte === former.certificates[0]?.[index]),
  );
  assert.ok('at' in checkTimestamp(token, signature, [former]) && 'at' in checkTimestamp(later, signature, [current]));
  assert.ok('reason' in checkTimestamp(later, signature, [former]));
  const { trust } = await app.module.trust.documents();
  for (const { bundle } of [before, after]) verifyWithStockClient(bundle, trust);
});

test('a statement that a log with the earlier name holds still verifies beside those of the log of today', async () => {
  const former = await attested(app.another({ platformDomain: 'landfall.example/log' }));
  const latter = await attested();
  assert.deepEqual([former.whole.logOrigin, latter.whole.logOrigin], ['landfall.example/log', 'landfall.example']);
  const { trust } = await app.module.trust.documents();
  const { tlogs } = JSON.parse(trust).trustedRoot;
  assert.deepEqual(
    new Set(tlogs.map(({ baseUrl }: { baseUrl: string }) => baseUrl)),
    new Set(['https://landfall.example', 'https://landfall.example/log']),
  );
  for (const { id, bundle } of [former, latter]) {
    verifyWithStockClient(bundle, trust);
    const { found } = await app.module.verifications.verify(app.operator, { attestationRef: id });
    assert.deepEqual([found.verified, found.checks.consistency], [true, 'pass']);
  }
});
