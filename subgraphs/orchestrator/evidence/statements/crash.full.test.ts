import assert from 'node:assert/strict';
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTimestampAuthority } from '@landfall/attestation/testing/timestamp-authority';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { needs } from '@landfall/kernel/testing/programs';
import { startAttestedApp } from './landing.fixture.ts';
import { rekorOf, TOKEN, verifierKeyOf } from './rekor.fixture.ts';

const LEASE_MS = 240_000;
const FAILPOINT = /\bfailpoint\('(attest[\w.]+)'\)/g;

/** Failpoints of the attestor. */
const failpoints = [
  'attest.appended',
  'attest.external.answered',
  'attest.leased',
  'attest.saved',
  'attest.saving',
  'attest.signature.saved',
  'attest.signed',
  'attest.stamp.saved',
  'attest.stamped',
] as const;

test('the failpoints are those of the attestor', async () => {
  const attestor = join(import.meta.dirname, '../../../attestation/statements');
  const files = await Array.fromAsync(glob('*.ts', { cwd: attestor }));
  const sources = files.filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const texts = await Promise.all(sources.map((file) => readFile(join(attestor, file), 'utf8')));
  const named = texts.flatMap((source) => [...source.matchAll(FAILPOINT)].map(([, name = '']) => name));
  assert.deepEqual(named.toSorted(), [...failpoints]);
});

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());
const directory = await mkdtemp(join(tmpdir(), 'landfall-attest-'));
after(() => rm(directory, { recursive: true, force: true }));

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

const asPublished = await needs('openssl');

for (const failpoint of failpoints)
  test(`killed at ${failpoint}, a statement still has one entry and one reference`, asPublished, async () => {
    await using authority = await startTimestampAuthority();
    await app.attestAll();
    const { deployment } = await app.landed(await app.stage());
    const before = await app.entries();
    // The same log serves as the external one, so submitted entries are in it already.
    await using rekor = await rekorOf(app.module, app.operator);
    const timestampChainFile = join(directory, `${failpoint}.pem`);
    await writeFile(timestampChainFile, authority.certificates.map(pemOf).join(''));
    const settings = {
      timestampUrl: authority.url,
      timestampChainFile,
      rekorUrl: rekor.url,
      rekorToken: TOKEN,
      rekorKey: await verifierKeyOf(app.module),
    };
    const config = { connection: app.connection, rootKey: app.rootKey.toString('hex'), ...settings };
    const program = new URL('./crash.fixture.ts', import.meta.url);
    await runToFailpoint({ program, failpoint, arguments: [JSON.stringify(config)] });

    await app.clock.advance(LEASE_MS);
    const { runOnce, deployments } = app.another(settings);
    while ((await runOnce.attestor()) + (await runOnce.external()) > 0);
    assert.equal(await app.entries(), before + 2, 'of the launch and of the landing');
    const attested = await app.statement('deployment', deployment.id);
    assert(attested?.attestedAt && attested.timestampedAt);
    assert.equal((await deployments.get(app.operator, { id: deployment.id })).attestationRef, attested.id);
    const external = { url: rekor.url, logIndex: attested.logIndex, lastError: null };
    assert.deepEqual(await app.external(attested.id), external);
  });
