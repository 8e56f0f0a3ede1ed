import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { goldenManifest } from './golden-scan.fixture.ts';
import { createManifest, type Manifest, manifestHashes, parseManifest, signManifest } from './manifest.ts';

const withInputs = (inputs: Manifest['inputs']) => createManifest({ ...goldenManifest, inputs });

const rolesOf = ({ inputs }: Manifest) => inputs.map(({ role }) => role);

test('inputs are in the byte order of their roles, whatever order they come in', () => {
  const roles = ['feed:epss', 'feed:kev', 'feed:osv:Go', 'feed:osv:PyPI', 'feed:osv:crates.io', 'feed:osv:npm'];
  assert.deepEqual(rolesOf(goldenManifest), [...roles, 'policy', 'reachability', 'rules', 'sbom', 'vex']);
  assert.deepEqual(withInputs(goldenManifest.inputs.toReversed()), goldenManifest);
});

test('an absent input is there as the empty byte string, and an absent feed as fully stale', () => {
  const { inputs } = withInputs([]);
  const [first, , last] = inputs;
  assert.equal(inputs.length, 7);
  assert.deepEqual(first, { hash: sha256(''), publishedAt: '1970-01-01T00:00:00Z', role: 'feed:epss' });
  assert.deepEqual(last, { hash: sha256(''), role: 'policy' });
});

test('scans of the same inputs share the manifest’s hash, and a feed’s date is a part of it', () => {
  const later = {
    ...goldenManifest,
    scanId: '00000000-0000-4000-8000-000000000002',
    createdAtUtc: '2026-02-01T00:00:00Z',
  };
  assert.equal(createManifest(later).manifestHash, goldenManifest.manifestHash);
  const dated = goldenManifest.inputs.map((input) =>
    input.role === 'feed:kev' ? { ...input, publishedAt: '2025-01-01T00:00:00Z' } : input,
  );
  assert.notEqual(withInputs(dated).manifestHash, goldenManifest.manifestHash);
});

test('an unknown or duplicate role, and a date where none belongs, are refused', () => {
  const hash = sha256('x');
  for (const input of [
    { hash, role: 'notes' },
    { hash, role: 'feed:osv:', publishedAt: '2026-01-01T00:00:00Z' },
    { hash, role: 'feed:osv:Hex' },
    { hash, role: 'sbom' },
  ])
    assert.throws(() => withInputs([...goldenManifest.inputs, input]), { reason: 'manifest-inputs' });
  assert.throws(() => withInputs([{ hash, role: 'sbom', publishedAt: '2026-01-01T00:00:00Z' }]), {
    reason: 'manifest-inputs',
  });
  assert.throws(() => withInputs([{ hash, role: 'feed:kev', publishedAt: '2026-13-01T00:00:00Z' }]), {
    reason: 'time-invalid',
  });
});

test('a manifest with another hash, order or field is refused', () => {
  assert.equal(parseManifest(goldenManifest), goldenManifest);
  const reasons = [
    { ...goldenManifest, deterministic: false },
    { ...goldenManifest, inputs: goldenManifest.inputs.toReversed() },
    { ...goldenManifest, inputs: goldenManifest.inputs.slice(1) },
    { ...goldenManifest, scanId: 'A0000000-0000-4000-8000-000000000001' },
    { ...goldenManifest, extra: 1 },
  ].map((manifest) => {
    try {
      return parseManifest(manifest) && 'accepted';
    } catch (error) {
      return error instanceof Error && 'reason' in error ? error.reason : error;
    }
  });
  const expected = ['manifest-hash', 'manifest-inputs', 'manifest-inputs', 'manifest-malformed', 'manifest-malformed'];
  assert.deepEqual(reasons, expected);
});

test('the envelope is canonical JSON with one signature of the manifest’s bytes', async () => {
  const signer = localSigner(generateKeyPairSync('ed25519').privateKey);
  const text = await signManifest(signer, goldenManifest);
  assert.equal(text, canonicalJson(JSON.parse(text)));
  const envelope = parseEnvelope(JSON.parse(text));
  assert.equal(envelope.payload.toString(), canonicalJson(goldenManifest));
  assert.equal(envelope.payloadType, 'application/vnd.svc.scan-manifest+json');
  assert.deepEqual(verifyEnvelope(envelope, [signer]), [signer]);
});

test('the hash of the feeds changes with a feed’s date and not with another input', () => {
  const { feedHash, policyHash, sbomHash, rulesHash } = manifestHashes(goldenManifest);
  assert.deepEqual(
    [policyHash, sbomHash, rulesHash],
    ['policy', 'sbom', 'rules'].map((role) => sha256(role)),
  );
  const changed = (role: string, change: object) =>
    manifestHashes(
      withInputs(goldenManifest.inputs.map((input) => (input.role === role ? { ...input, ...change } : input))),
    );
  assert.equal(changed('sbom', { hash: sha256('') }).feedHash, feedHash);
  assert.notEqual(changed('feed:kev', { publishedAt: '2025-01-01T00:00:00Z' }).feedHash, feedHash);
});
