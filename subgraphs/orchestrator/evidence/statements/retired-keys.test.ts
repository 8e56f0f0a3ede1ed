import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createPlatform, DEPLOYMENT, SUBJECT } from '@landfall/attestation/bundle/bundle.fixture';
import { createBundle } from '@landfall/attestation/bundle/create-bundle';
import { parseTrust } from '@landfall/attestation/bundle/trust';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { IN_TOTO_PAYLOAD_TYPE } from '@landfall/attestation/signature/statement';
import { isAttested } from '@landfall/attestation/statements/attestations.store';
import { entryBodyOf } from '@landfall/attestation/statements/attestor';
import { startTimestampAuthority } from '@landfall/attestation/testing/timestamp-authority';
import { signerCertificateOf } from '@landfall/attestation/timestamps/built-in-authority';
import { list as listChains } from '@landfall/attestation/timestamps/built-in-certificates.store';
import { timestampResponse } from '@landfall/attestation/timestamps/timestamp-response';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { arm } from '@landfall/kernel/system/failpoint';
import { needs } from '@landfall/kernel/testing/programs';
import { startAttestedApp } from './landing.fixture.ts';

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const keys = createSigningKeys(app.deps);
const { trust, transparencyLog: log, verifications } = app.module;

/** Time after a rotation past which the former key no longer counts, in milliseconds. */
const OVERLAP_MS = 61_000;

const rotated = async (): Promise<void> => {
  await keys.rotate('attestation');
  await app.clock.advance(OVERLAP_MS);
};

const landing = async () => {
  await app.attestAll();
  const { release, deployment } = await app.landed(await app.stage());
  const found = await app.statement('deployment', deployment.id);
  assert(found);
  const expected = { subjectDigest: release.components[0]?.digest ?? '', deploymentId: deployment.id };
  return { id: found.id, expected, whole: () => app.whole(found.id) };
};

type Landing = Awaited<ReturnType<typeof landing>>;

const verified = async ({ whole: complete, expected }: Landing, by = trust) =>
  verifyBundle((await complete()).bundle ?? '', await by.current(), expected);

test('the trust document asks no device and makes no key: there is none before the attestor has begun', async () => {
  const signingKeys = createSigningKeys(app.deps, { attestationKeyFile: '/nowhere/attestation.pem' });
  const unreachable = app.another({ signingKeys });
  await assert.rejects(unreachable.trust.documents(), (error: Error) => {
    assert.deepEqual(Object.entries(error).find(([name]) => name === 'code')?.[1], 'SYS_SERVICE_UNAVAILABLE');
    return !error.message.includes('nowhere');
  });
  await assert.rejects(trust.documents());
  assert.deepEqual(await keys.list('attestation'), []);
  await app.module.runOnce.attestor();
  assert.equal((await unreachable.trust.documents()).trust, (await trust.documents()).trust);
  assert.equal((await trust.current()).keys.size, 1);
});

test('an entry counts for a key that ended only where its log had it by then', async () => {
  const expected = { subjectDigest: `sha256:${SUBJECT}`, deploymentId: DEPLOYMENT };
  const signerEnds = new Date('2026-03-01T00:00:00Z');
  for (const [signerEndsAt, isVerified] of [
    [8, true],
    [7, false],
  ] as const) {
    const platform = createPlatform({ signerEnds, signerEndsAt });
    const found = verifyBundle(await platform.bundle(), parseTrust(platform.trust), expected);
    assert.equal(found.verified, isVerified);
    assert.match(found.errorMessage ?? 'signer-expired: ', /^signer-expired: /);
  }
});

/** Signs a timestamp with any time, as the thief of the built-in authority's key could. */
const backdate = async (signature: Buffer, time: Date): Promise<Buffer> => {
  const [chain] = await app.deps.database.system.read(listChains);
  assert(chain);
  return timestampResponse(signature, time, signerCertificateOf(chain.certificate), await keys.signer('timestamp'));
};

test('whoever took a key that ended logs what nobody believes, as a bundle and as an entry', async () => {
  const stolen = await keys.signer('attestation');
  const earlier = await landing();
  await app.attestAll();
  const earlierTime = new Date(Math.floor(app.clock.now().getTime() / 1000) * 1000);
  await rotated();
  assert.equal((await verified(earlier)).verified, true, 'what was logged before still counts');
  const { payload } = await earlier.whole();
  const forged = Buffer.from(payload.toString().replace('"verdict":"verified"', '"verdict":"Verified"'));
  assert(!forged.equals(payload));
  const signature = await stolen.sign(pae(IN_TOTO_PAYLOAD_TYPE, forged));
  const body = entryBodyOf(forged, { signature, spki: stolen.spki });
  const entry = await log.append(body);
  const bundleWith = async (timestamps: readonly Buffer[]) =>
    createBundle({
      payload: forged,
      payloadType: IN_TOTO_PAYLOAD_TYPE,
      signature,
      keyId: stolen.keyId,
      entry,
      log: await log.identity(),
      timestamps,
    });
  const backdated = await bundleWith([await backdate(signature, earlierTime)]);
  const excused = verifyBundle(backdated, await trust.current(), earlier.expected);
  assert.deepEqual([excused.checks.timestamp, excused.checks.signature], ['pass', 'fail'], 'the platform’s own time');
  assert.match(excused.errorMessage ?? '', /^signer-expired: the key had ended before the log/);
  const bundle = await bundleWith([]);
  const offline = verifyBundle(bundle, await trust.current(), earlier.expected);
  assert.match(offline.errorMessage ?? '', /^signer-expired: /);
  for (const request of [{ bundle }, { logIndex: String(entry.index), bodyHash: sha256(body) }]) {
    const { found } = await verifications.verify(app.operator, request);
    assert.equal(found.verified, false);
    assert.match(found.details.signature ?? '', /^signer-expired: /);
  }
});

test('a statement whose key ended before the log had it is signed anew', async () => {
  const attestation = await landing();
  const before = await keys.signer('attestation');
  {
    // Launch and landing wait for the same rotation.
    let rotation: Promise<void> | undefined;
    using _between = arm('attest.signature.saved', () => {
      rotation ??= rotated();
      return rotation;
    });
    await app.module.runOnce.attestor();
  }
  await app.clock.advance(1_000);
  await app.attestAll();
  const attested = await attestation.whole();
  assert(isAttested(attested) && attested.keyId !== before.keyId);
  assert.equal((await verified(attestation)).errorMessage, undefined);
});

test('an entry that the log had in time is found again after the key ended', async () => {
  const attestation = await landing();
  const before = await keys.signer('attestation');
  {
    using _crash = arm('attest.saving', () => {
      throw new Error('the process died');
    });
    await app.module.runOnce.attestor();
  }
  const entries = await app.entries();
  await rotated();
  await app.attestAll();
  const attested = await attestation.whole();
  assert.deepEqual([attested.keyId, await app.entries()], [before.keyId, entries]);
  assert.equal((await verified(attestation)).errorMessage, undefined);
});

const openssl = await needs('openssl');

test('an authority that was away while the key was rotated leaves no statement that is refused', openssl, async () => {
  await using authority = await startTimestampAuthority();
  const directory = await mkdtemp(join(tmpdir(), 'landfall-ended-'));
  const timestampChainFile = join(directory, 'chain.pem');
  await writeFile(
    timestampChainFile,
    authority.certificates.map((der) => new X509Certificate(der).toString()).join('\n'),
  );
  const stamped = app.another({ timestampUrl: authority.url, timestampChainFile });
  await rm(directory, { recursive: true });
  const attestation = await landing();
  const before = await keys.signer('attestation');
  const entries = await app.entries();
  const later = async () => {
    await app.clock.advance(10_000);
    await stamped.runOnce.attestor();
    return attestation.whole();
  };

  authority.answer(() => ({ status: 503, body: Buffer.of() }));
  await stamped.runOnce.attestor();
  assert.equal((await attestation.whole()).keyId, before.keyId);
  await rotated();
  assert.notEqual((await later()).keyId, before.keyId, 'signed anew, before the log has it');

  authority.answer((body) => ({ body }));
  {
    using _late = arm('attest.stamped', rotated);
    const { signature, timestampToken } = await later();
    assert.deepEqual([signature, timestampToken], [null, null], 'the authority’s time is outside the key’s period');
  }
  const attested = await later();
  assert(isAttested(attested) && attested.timestampToken);
  const found = await verified(attestation, stamped.trust);
  assert.deepEqual([found.errorMessage, found.checks.timestamp], [undefined, 'pass']);
  assert.equal(await app.entries(), entries + 2, 'of the launch and of the landing');
});

test('under another platform domain landings go on, and those of the former log still verify', async () => {
  const former = await landing();
  await app.attestAll();
  const moved = app.another({ platformDomain: 'moved.example' });
  const latter = await landing();
  while ((await moved.runOnce.attestor()) > 0);
  const rows = await Promise.all([former.whole(), latter.whole()]);
  assert.deepEqual(
    rows.map(({ logOrigin }) => logOrigin),
    ['landfall.example', 'moved.example'],
  );
  await rotated();
  for (const each of [former, latter]) {
    assert.equal((await verified(each, moved.trust)).errorMessage, undefined);
    const { found } = await moved.verifications.verify(app.operator, { attestationRef: each.id });
    assert.deepEqual([found.verified, found.checks.consistency], [true, 'pass']);
  }
  const completed = [...(await moved.trust.current()).keys.values()].filter(({ validFor }) => validFor.end);
  for (const { logSizes } of completed)
    assert.deepEqual(
      [...(logSizes?.keys() ?? [])],
      rows.map(({ logOrigin }) => logOrigin),
    );
});
