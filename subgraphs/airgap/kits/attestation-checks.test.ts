import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attached, cosignLayer } from '@landfall/attestation/admission/layers.fixture';
import { simpleSigning } from '@landfall/attestation/admission/payloads.fixture';
import { createKeys, trusted } from '@landfall/attestation/admission/signers.fixture';
import { createSigstore } from '@landfall/attestation/admission/sigstore.fixture';
import { createPlatform, SUBJECT } from '@landfall/attestation/bundle/bundle.fixture';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { createAttestationChecks, readTrust } from './attestation-checks.ts';
import { createImporterMeters } from './importer-meters.ts';
import { subjectOfTag } from './release-document.ts';

const image = sha256('image');
const keys = createKeys();
const sigstore = await createSigstore();
const checks = createAttestationChecks(createImporterMeters(undefined));
const signer = trusted({ keys, trustedRoot: sigstore.root() });

const logged = attached(image, cosignLayer(simpleSigning(image), keys, sigstore));
const unlogged = attached(image, cosignLayer(simpleSigning(image), keys));
const strange = attached(image, cosignLayer(simpleSigning(image), createKeys()));
const malformed = attached(image, { ...cosignLayer(simpleSigning(image), keys), content: Buffer.from('{') });
const foreign = attached(image, cosignLayer(simpleSigning(sha256('another image')), keys));

test('only a statement of a trusted signer whose log inclusion verifies counts as verified', () => {
  const found = checks.attached([logged, unlogged, strange, malformed], [signer]);
  assert.deepEqual(found, { proven: 1, unlogged: 1, unknown: 2 });
});

test('an attestation of the platform verifies under its trust document, for an image of the release only', async () => {
  const [platform, other] = [createPlatform(), createPlatform()];
  const bundle = await platform.bundle();
  const check = (text: string, trustText: string, subject = `sha256:${SUBJECT}`) =>
    checks.statement('one', async () => text, { trust: readTrust(trustText), subjects: new Set([subject]) });
  await check(bundle, platform.trust);
  const refused = { code: 'kit_attestation_invalid' };
  await assert.rejects(check(bundle, platform.trust, image), { ...refused, message: /none of the images/ });
  await assert.rejects(check(bundle, other.trust), refused);
  await assert.rejects(check(await other.bundle(), platform.trust), refused);
  assert.throws(() => readTrust('{}'), refused);
});

// spec: 6/importer-meters
test('the verification of attestations is measured, and a file that cannot be read at first is read again', async () => {
  const telemetry = createTelemetry(silentLog);
  const measured = createAttestationChecks(createImporterMeters(telemetry.meter('airgap')));
  measured.attached([logged, unlogged], [signer]);
  const platform = createPlatform();
  const bundle = await platform.bundle();
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (reads < 3) throw new Error('the disk is away');
    return bundle;
  };
  const expected = { trust: readTrust(platform.trust), subjects: new Set([`sha256:${SUBJECT}`]) };
  await measured.statement('one', read, expected);

  const text = await telemetry.prometheus();
  for (const line of [
    'attestor_rekor_success_total 2',
    'attestor_rekor_retry_total 2',
    'offlinekit_attestation_verify_latency_seconds_count 3',
    'rekor_inclusion_latency_count 3',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
});

test('statements of strangers never refuse a kit, and one of a trusted signer about another image does', () => {
  assert.deepEqual(checks.attached([foreign, malformed], []), { proven: 0, unlogged: 0, unknown: 2 });
  assert.deepEqual(checks.attached([foreign], [trusted({ keys: createKeys() })]), {
    proven: 0,
    unlogged: 0,
    unknown: 1,
  });
  assert.throws(() => checks.attached([foreign], [signer]), { code: 'kit_attestation_invalid' });
});

test('a tag of cosign names the image, index or platform manifest that it is about', () => {
  assert.equal(subjectOfTag(`${image.replace(':', '-')}.sig`), image);
  assert.equal(subjectOfTag('latest'), undefined);
  assert.equal(subjectOfTag(null), undefined);
});
