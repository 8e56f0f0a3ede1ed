import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import fc from 'fast-check';
import { runAtOnce, STEP } from '../shared/steps.ts';
import { type BundleEntries, createBundle, ENTRY_NAMES } from './bundle.ts';
import { generatedFindings, scanWith } from './generated-findings.fixture.ts';
import { goldenManifest } from './golden-scan.fixture.ts';
import { seedOf } from './ledger.ts';
import { createManifest, signManifest } from './manifest.ts';
import { readBundle } from './read-bundle.ts';
import { replay } from './replay.ts';
import { assignPaths, edited, signedBundle, signer, withNodes } from './signed-bundle.fixture.ts';
import { type ExpectedScore, verifyBundle, verifySteps } from './verify-bundle.ts';

const { replayed, bytes, entries } = await signedBundle();
const { rootHash: expectedRootHash, canonicalInputPayload, canonicalInputHash } = replayed;

const verify = (changed: BundleEntries, expected: Partial<ExpectedScore> = {}) =>
  runAtOnce(verifySteps(changed, [signer], { expectedRootHash, ...expected }));

const slugOf = (changed: BundleEntries, expected: Partial<ExpectedScore> = {}): string =>
  verify(changed, expected).errorMessage?.split(':')[0] ?? 'valid';

/** Slug for a bundle whose nodes are changed by path, under the root that they then have. */
const slugOfNodes = (values: Readonly<Record<string, unknown>>): string => {
  const { entries: changed, rootHash } = withNodes(entries, values);
  return slugOf(changed, { expectedRootHash: rootHash });
};

/** Original nodes: the header, 11 inputs, the findings a to g from 12 on, the aggregate (19) and the result. */
const { nodes } = JSON.parse(entries['score_proof.json'].toString());
const moved = (from: number, to: number) => ({ ...nodes[from], index: to });

test('a bundle verifies with its root alone, and with its canonical input', () => {
  const expected = { expectedRootHash, manifestValid: true, ledgerValid: true, canonicalInputHashValid: true };
  const result = {
    ...expected,
    valid: true,
    computedRootHash: expectedRootHash,
    canonicalInputHash,
    errorMessage: null,
  };
  assert.deepEqual(verify(entries), { ...result, expectedCanonicalInputHash: null });
  const sent = { canonicalInputPayload, expectedCanonicalInputHash: canonicalInputHash };
  assert.deepEqual(verify(entries, sent), { ...result, expectedCanonicalInputHash: canonicalInputHash });
});

test('a change of any byte of any entry is refused', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ENTRY_NAMES), fc.nat(), fc.integer({ min: 1, max: 255 }), (name, position, mask) => {
      const content = Buffer.from(entries[name]);
      const at = position % content.length;
      content.writeUInt8(content.readUInt8(at) ^ mask, at);
      assert.equal(verify({ ...entries, [name]: content }).valid, false, `${name} at ${at}`);
    }),
    { numRuns: 300 },
  );
});

test('a change of any byte of the canonical input is refused', () => {
  fc.assert(
    fc.property(fc.nat(canonicalInputPayload.length - 1), (at) => {
      const letter = canonicalInputPayload.charAt(at) === '1' ? '2' : '1';
      const payload = canonicalInputPayload.slice(0, at) + letter + canonicalInputPayload.slice(at + 1);
      const found = verify(entries, { canonicalInputPayload: payload });
      assert.deepEqual([found.valid, found.canonicalInputHashValid, found.ledgerValid], [false, false, true]);
    }),
  );
});

test('an entry of another manifest is refused, signed or not', async () => {
  const manifest = createManifest({ ...goldenManifest, scannerVersion: '1.0.1' });
  const text = Buffer.from(canonicalJson(manifest));
  const envelope = Buffer.from(await signManifest(signer, manifest));
  assert.equal(slugOf({ ...entries, 'manifest.json': text }), 'signature-payload');
  assert.equal(slugOf({ ...entries, 'manifest.dsse.json': envelope }), 'signature-payload');
  const found = verify({ ...entries, 'manifest.json': text, 'manifest.dsse.json': envelope });
  assert.deepEqual([found.manifestValid, found.ledgerValid], [true, false]);
  assert.match(found.errorMessage ?? '', /^ledger-manifest: /);
});

test('a manifest that is not canonical or not of its inputs is refused', () => {
  const spaced = Buffer.from(`${entries['manifest.json'].toString()} `);
  const doubled = Buffer.from(entries['manifest.json'].toString().replace('{', '{"@type":"x",'));
  for (const text of [spaced, doubled, Buffer.from('\ufeff{}'), Buffer.from([0xff])])
    assert.equal(slugOf({ ...entries, 'manifest.json': text }), 'manifest-malformed');
  assert.equal(
    slugOf(edited(entries, 'manifest.json', (manifest) => ({ ...manifest, deterministic: false }))),
    'manifest-hash',
  );
});

test('a signature by another key, with another hint, type or spelling is refused', async () => {
  const stranger = localSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const foreign = Buffer.from(await signManifest(stranger, goldenManifest));
  assert.equal(slugOf({ ...entries, 'manifest.dsse.json': foreign }), 'signature-untrusted');
  const edits: readonly [slug: string, edit: (envelope: ReturnType<typeof JSON.parse>) => object][] = [
    ['signature-untrusted', (envelope) => ({ ...envelope, signatures: [{ ...envelope.signatures[0], keyid: 'x' }] })],
    [
      'signature-malformed',
      (envelope) => ({ ...envelope, signatures: [...envelope.signatures, ...envelope.signatures] }),
    ],
    ['signature-malformed', (envelope) => ({ ...envelope, signatures: [] })],
    ['signature-malformed', (envelope) => ({ ...envelope, note: '' })],
    ['signature-payload', (envelope) => ({ ...envelope, payloadType: 'text/plain' })],
  ];
  for (const [slug, edit] of edits) assert.equal(slugOf(edited(entries, 'manifest.dsse.json', edit)), slug);
  assert.equal(runAtOnce(verifySteps(entries, [], { expectedRootHash })).manifestValid, false);
});

test('nodes in another order, number or form are refused even under a root of their own', () => {
  assert.equal(slugOfNodes({ 12: nodes[13], 13: nodes[12] }), 'ledger-sequence');
  assert.equal(slugOfNodes({ 12: moved(13, 12), 13: moved(12, 13) }), 'ledger-sequence');
  assert.equal(slugOfNodes({ 13: moved(12, 13) }), 'ledger-sequence');
  assert.equal(slugOfNodes({ 3: moved(4, 3), 4: moved(3, 4) }), 'ledger-manifest');
  assert.equal(slugOfNodes({ 18: moved(19, 18), 19: moved(20, 19), length: 20 }), 'ledger-sequence');
  assert.equal(slugOfNodes({ length: 5 }), 'ledger-sequence');
  assert.equal(slugOfNodes({ '12.note': 1 }), 'ledger-sequence');
  assert.equal(slugOfNodes({ '12.index': 13 }), 'ledger-sequence');
  assert.equal(slugOfNodes({ '0.nodeCount': 20 }), 'ledger-sequence');
});

test('a header of another manifest, seed, time or coverage is refused', () => {
  const other = sha256('other');
  assert.equal(slugOfNodes({ '0.manifestDigest': other }), 'ledger-manifest');
  assert.equal(slugOfNodes({ '0.manifestHash': other }), 'ledger-manifest');
  assert.equal(slugOfNodes({ '0.canonicalInputHash': other }), 'ledger-seed');
  assert.equal(slugOfNodes({ '0.freezeTimestamp': '2026-01-01T00:00:01Z' }), 'ledger-time');
  assert.equal(slugOfNodes({ '0.coverage.noPurl': 2 }), 'coverage-sum');
});

test('factors that do not give the finding’s score are refused', () => {
  for (const values of [
    { '12.score': 800_001 },
    { '12.score': 800_001, '12.factors.0.weighted': 175_001 },
    { '12.factors.0.raw': 510_000 },
    { '12.score': 460_564, '12.factors.6.weighted': 0 },
    { '12.factors.7.raw': 0 },
    { '12.factors': nodes[12].factors.toReversed() },
    { '12.factors.length': 7 },
    { '12.class': 'informational' },
    { '12.score': 0, '12.factors': [] },
  ])
    assert.equal(slugOfNodes(values), 'finding-sum', JSON.stringify(values));
});

test('an aggregate or result that does not follow from the findings is refused', () => {
  const { order } = nodes[19];
  for (const values of [
    { '19.order': order.toReversed() },
    { '19.order': [order[0], order[2]] },
    { '19.order': [] },
    { '19.order': [...order, 'f'] },
    { '19.top': 'a' },
  ])
    assert.equal(slugOfNodes(values), 'aggregate-order', JSON.stringify(values));
  // The second is above what a share of 1 would give.
  for (const values of [{ '19.tail': 4_396 }, { '19.score': 999_395, '19.tail': 99_395 }, { '19.score': null }])
    assert.equal(slugOfNodes(values), 'aggregate-score', JSON.stringify(values));
  for (const values of [{ '19.score': 904_396, '19.tail': 4_396 }, { '20.status': 'notEvaluated' }])
    assert.equal(slugOfNodes(values), 'result-mismatch', JSON.stringify(values));
});

test('a consistent ledger of another score fails by its root, or by its canonical input', () => {
  const values = { '19.score': 904_396, '19.tail': 4_396, '20.score': 904_396 };
  const { entries: changed, rootHash } = withNodes(entries, values);
  assert.equal(slugOf(changed), 'root-unexpected');
  assert.equal(slugOf(changed, { expectedRootHash: rootHash }), 'valid');
  assert.equal(slugOf(changed, { expectedRootHash: rootHash, canonicalInputPayload }), 'node-mismatch');
});

test('roots and times that disagree are refused', () => {
  const other = sha256('other');
  assert.equal(slugOf(entries, { expectedRootHash: other }), 'root-unexpected');
  assert.equal(slugOf(edited(entries, 'meta.json', (meta) => ({ ...meta, rootHash: other }))), 'root-mismatch');
  assert.equal(
    slugOf(edited(entries, 'score_proof.json', (proof) => ({ ...proof, rootHash: other }))),
    'root-mismatch',
  );
  assert.equal(slugOf(edited(entries, 'meta.json', (meta) => ({ ...meta, version: '2' }))), 'ledger-malformed');
  const later = '2026-01-02T00:00:00Z';
  assert.equal(slugOf(edited(entries, 'meta.json', (meta) => ({ ...meta, createdAtUtc: later }))), 'ledger-time');
});

test('an input that is not canonical, of another hash or not expected is refused', () => {
  assert.equal(slugOf(entries, { canonicalInputPayload: ` ${canonicalInputPayload}` }), 'payload-not-canonical');
  assert.equal(slugOf(entries, { canonicalInputPayload: '{}' }), 'payload-hash');
  assert.equal(slugOf(entries, { expectedCanonicalInputHash: sha256('') }), 'input-hash-unexpected');
});

test('an input whose hash fits, and which the model refuses or scores otherwise, is refused', () => {
  const slugWith = (values: Readonly<Record<string, unknown>>): string => {
    const payload = canonicalJson(assignPaths(JSON.parse(canonicalInputPayload), values));
    const header = { '0.canonicalInputHash': sha256(payload), '0.seedHex': seedOf(sha256(payload)) };
    const { entries: bound, rootHash } = withNodes(entries, header);
    return slugOf(bound, { expectedRootHash: rootHash, canonicalInputPayload: payload });
  };
  assert.equal(slugWith({}), 'valid');
  assert.equal(slugWith({ 'findings.0.evidenceAgeSeconds': 0 }), 'payload-refused');
  assert.equal(slugWith({ 'findings.0.findingId': 'z' }), 'payload-refused');
  assert.equal(slugWith({ 'inputs.0.hash': sha256('') }), 'payload-refused');
  assert.equal(slugWith({ 'policy.weights.cvss': 350_001 }), 'payload-refused');
  assert.equal(slugWith({ 'findings.0.kev': 'yes' }), 'payload-malformed');
  assert.equal(slugWith({ 'findings.1.kev': true }), 'node-mismatch');
  assert.equal(slugWith({ 'findings.0.vexStatement': null }), 'finding-vex');
});

test('a bundle is located, read and verified by its path', async () => {
  const basePath = await mkdtemp(join(tmpdir(), 'landfall-verify-'));
  try {
    await writeFile(join(basePath, 'good.zip'), bytes);
    await writeFile(join(basePath, 'cut.zip'), bytes.subarray(0, 500));
    const resultOf = async (bundleUri: string | undefined) => {
      const { valid, errorMessage } = await verifyBundle({ basePath, bundleUri }, [signer], { expectedRootHash });
      return valid ? 'valid' : errorMessage?.split(':')[0];
    };
    const uris = ['good.zip', 'cut.zip', 'absent.zip', '/etc/hostname', undefined];
    const expected = ['valid', 'bundle-damaged', 'bundle-missing', 'bundle-outside', 'bundle-missing'];
    assert.deepEqual(await Promise.all(uris.map(resultOf)), expected);
  } finally {
    await rm(basePath, { recursive: true });
  }
});

test('a bundle of many findings is verified in steps, between which other work has its turn', async () => {
  const findings = generatedFindings(20 * STEP);
  const scan = scanWith(findings);
  const many = replay(scan);
  const large = await readBundle(createBundle(many, await signManifest(signer, scan.manifest)));
  const expected = { expectedRootHash: many.rootHash, canonicalInputPayload: many.canonicalInputPayload };
  let steps = 0;
  const verification = verifySteps(large, [signer], expected);
  for (let next = verification.next(); ; next = verification.next()) {
    if (next.done) {
      assert.equal(next.value.errorMessage, null);
      break;
    }
    steps += 1;
  }
  // Nodes and payload are parsed, nodes validated and summed, the root computed, and the input scored again.
  assert.ok(steps >= (6 * findings.length) / STEP, `${steps} steps`);
});
