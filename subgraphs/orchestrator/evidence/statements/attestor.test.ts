import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTrustSource } from '@landfall/attestation/bundle/trust-source';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { LogForked } from '@landfall/attestation/log/log-forked';
import { isAttested } from '@landfall/attestation/statements/attestations.store';
import { bundleOf } from '@landfall/attestation/statements/statement-view';
import { startTimestampAuthority } from '@landfall/attestation/testing/timestamp-authority';
import { Fault } from '@landfall/kernel/core/fault';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { arm } from '@landfall/kernel/system/failpoint';
import { needs } from '@landfall/kernel/testing/programs';
import { until } from '@landfall/kernel/testing/until';
import { startAttestedApp } from './landing.fixture.ts';

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const LEASE_MS = 240_000;

/** Reads the trust document, which exists once a key has signed. */
const trusted = () =>
  createTrustSource({
    platformDomain: 'landfall.example',
    log: app.module.transparencyLog,
    keys: createSigningKeys(app.deps),
    authorities: async () => [],
  }).current();

const failing = (message: string) => () => {
  throw new Error(message);
};

const jobOf = (id: string) => app.module.deployments.get(app.operator, { id });

// spec: 3/attestation-signed, 6/attestation-predicate
test('a landing has a reference once its statement is signed and in the log, and anybody can verify it', async () => {
  const { release, deployment } = await app.landed(await app.stage());
  assert.equal((await jobOf(deployment.id)).attestationRef, null);
  await app.attestAll();

  const attestation = await app.statement('deployment', deployment.id);
  assert(attestation && isAttested(attestation));
  const job = await jobOf(deployment.id);
  assert.equal(job.attestationRef, attestation.id);
  assert(job.version > deployment.version, 'who looks at the deployment is told');
  const { payload, logBody, ...row } = await app.whole(attestation.id);
  const expected = {
    subjectDigest: release.components[0]?.digest ?? '',
    predicateType: 'https://landfall.example/predicates/deployment@v1',
    deploymentId: deployment.id,
  };
  const verification = verifyBundle(bundleOf(row), await trusted(), expected);
  assert.deepEqual([verification.verified, verification.errorMessage], [true, undefined]);
  assert.equal(verification.log?.index, attestation.logIndex);
  assert.deepEqual((await app.module.transparencyLog.find(attestation.logIndex))?.body, logBody);
  assert.equal(JSON.parse(payload.toString()).predicate.deploymentId, deployment.id);
});

// spec: 3/attestation-fail-open
test('what could not be signed leaves the landing as it is, and is tried again, later each time', async () => {
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  const before = await app.entries();
  {
    using _fails = arm('attest.signed', failing('the device is gone'));
    await app.module.runOnce.attestor();
    assert.equal(await app.module.runOnce.attestor(), 0, 'not before its time');
    await app.clock.advance(1_000);
    await app.module.runOnce.attestor();
  }
  const waiting = await app.statement('deployment', deployment.id);
  assert.deepEqual([waiting?.attestedAt, waiting?.attempts, waiting?.lastError], [null, 2, 'it could not be signed']);
  assert.equal(waiting && waiting.dueAt.getTime() - app.clock.now().getTime(), 2_000);
  const job = await jobOf(deployment.id);
  assert.deepEqual([job.state, job.landing, job.attestationRef], ['completed', 'verified', null]);

  await app.clock.advance(2_000);
  await app.attestAll();
  assert.equal((await jobOf(deployment.id)).attestationRef, waiting?.id);
  assert.equal(await app.entries(), before + 2, 'of the launch and of the landing');
});

test('a log that fails is tried again with the signature that is there', async () => {
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  {
    using _fails = arm('tlog.append.written', failing('the disk is full'));
    await app.module.runOnce.attestor();
  }
  const failed = await app.statement('deployment', deployment.id);
  assert(failed?.signedAt && !failed.attestedAt);
  assert.equal(failed.lastError, 'it could not be brought into the log');
  const { signature } = await app.whole(failed.id);
  await app.clock.advance(1_000);
  await app.attestAll();
  const attested = await app.whole(failed.id);
  assert.deepEqual([attested.signature, attested.lastError], [signature, null]);
  assert.equal((await jobOf(deployment.id)).attestationRef, failed.id);
});

test('what a try failed of is told without what belongs to whoever runs the platform', async () => {
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  const statuses: (string | null | undefined)[] = [];
  for (const [at, error] of [
    ['attest.signed', new Fault('SYS_VAULT_ERROR', 'The PKCS #11 token harbour failed: /etc/landfall/key.pem')],
    ['attest.appended', new LogForked('The tile 0/7 of log 1 contradicts its checkpoint.')],
    ['attest.saving', new Error('duplicate key value violates unique constraint "attestations_log"')],
  ] as const) {
    using _fails = arm(at, () => {
      throw error;
    });
    await app.module.runOnce.attestor();
    statuses.push((await app.statement('deployment', deployment.id))?.lastError);
    await app.clock.advance(60_000);
  }
  assert.deepEqual(statuses, [
    'it could not be signed (SYS_VAULT_ERROR)',
    'it could not be brought into the log: the log contradicts what it signed',
    'something failed on our side',
  ]);
});

test('while a slow device signs a batch, one after the other, nobody else takes it up', async () => {
  await app.attestAll();
  for (let i = 0; i < 2; i++) await app.landed(await app.stage());
  const other = app.another();
  let [signed, claimedByOther] = [0, 0];
  {
    let device = Promise.resolve();
    using _slow = arm('attest.signed', () => {
      device = device.then(() => app.clock.advance(30_000));
      return device;
    });
    using _then = arm('attest.signature.saved', async () => {
      signed += 1;
      if (signed === 4) claimedByOther = await other.runOnce.attestor();
    });
    await app.module.runOnce.attestor();
  }
  assert.deepEqual([signed, claimedByOther], [4, 0]);
});

test('eight workers at once, whose leases are worth nothing, make one entry and one reference', async () => {
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  const before = await app.entries();
  const workers = Array.from({ length: 8 }, () => app.another());
  {
    using _late = arm('attest.leased', () => app.clock.advance(LEASE_MS));
    const all = Promise.withResolvers<void>();
    let signed = 0;
    using _together = arm('attest.signed', () => {
      signed += 1;
      return all.promise;
    });
    const batches: Promise<number>[] = [];
    for (const { runOnce } of workers) {
      batches.push(runOnce.attestor());
      // Launch and landing.
      await until(() => signed >= 2 * batches.length);
    }
    all.resolve();
    assert.deepEqual(
      await Promise.all(batches),
      Array.from(workers, () => 2),
    );
  }
  assert.equal(await app.entries(), before + 2);
  const attested = await app.statement('deployment', deployment.id);
  assert.deepEqual([attested?.attempts, (await jobOf(deployment.id)).attestationRef], [1, attested?.id]);
});

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

test('without its timestamp there is no reference; a later try has it', await needs('openssl'), async () => {
  await using authority = await startTimestampAuthority();
  const directory = await mkdtemp(join(tmpdir(), 'landfall-attest-'));
  const timestampChainFile = join(directory, 'chain.pem');
  await writeFile(timestampChainFile, authority.certificates.map(pemOf).join(''));
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  const { runOnce } = app.another({ timestampUrl: authority.url, timestampChainFile });
  await rm(directory, { recursive: true });

  authority.answer(() => ({ status: 503, body: Buffer.of() }));
  await runOnce.attestor();
  const failed = await app.statement('deployment', deployment.id);
  assert(failed?.signedAt && !failed.attestedAt);
  assert.equal(failed.lastError, 'it has no timestamp that counts (SYS_SERVICE_UNAVAILABLE)');
  assert.equal((await jobOf(deployment.id)).attestationRef, null);

  authority.answer((body) => ({ body }));
  await app.clock.advance(1_000);
  await runOnce.attestor();
  const attested = await app.whole(failed.id);
  assert(attested.attestedAt && attested.timestampedAt);
  assert.match(bundleOf(attested), /"rfc3161Timestamps":\[\{"signedTimestamp"/);
});
