import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attached, cosignLayer } from '@landfall/attestation/admission/layers.fixture';
import { simpleSigning } from '@landfall/attestation/admission/payloads.fixture';
import { createKeys, trusted } from '@landfall/attestation/admission/signers.fixture';
import { createSigstore } from '@landfall/attestation/admission/sigstore.fixture';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createAttestationChecks } from './attestation-checks.ts';
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
