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
import { type BundleEntries, ENTRY_NAMES } from './bundle.ts';
import { goldenManifest } from './golden-scan.fixture.ts';
import { ledgerRoot, seedOf } from './ledger.ts';
import { createManifest, signManifest } from './manifest.ts';
import { edited, signedBundle, signer } from './signed-bundle.fixture.ts';
import { type ExpectedScore, verifyBundle, verifyEntries } from './verify-bundle.ts';

const { replayed, bytes, entries } = await signedBundle();
const { rootHash: expectedRootHash, canonicalInputPayload, canonicalInputHash } = replayed;

const verify = (changed: BundleEntries, expected: Partial<ExpectedScore> = {}) =>
  verifyEntries(changed, [signer], { expectedRootHash, ...expected });

const slugOf = (changed: BundleEntries, expected: Partial<ExpectedScore> = {}): string =>
  verify(changed, expected).errorMessage?.split(':')[0] ?? 'valid';

type Node = ReturnType<typeof JSON.parse>;

/** Bundle whose nodes are changed, with the root that they then have. */
const withNodes = (edit: (nodes: Node[]) => void, source = entries) => {
  const changed = edited(source, 'score_proof.json', (proof) => {
    edit(proof.nodes);
    return { ...proof, rootHash: ledgerRoot(proof.nodes.map(canonicalJson)) };
  });
  const { rootHash } = JSON.parse(changed['score_proof.json'].toString());
  return { entries: edited(changed, 'meta.json', (meta) => ({ ...meta, rootHash })), expected: { expectedRootHash: rootHash } };
};

const slugOfNodes = (edit: (nodes: Node[]) => void): string => {
  const changed = withNodes(edit);
  return slugOf(changed.entries, changed.expected);
};

test('a bundle verifies with its root alone, and with its canonical input', () => {
  const expected = { expectedRootHash, manifestValid: true, ledgerValid: true, canonicalInputHashValid: true };
  const result = { ...expected, valid: true, computedRootHash: expectedRootHash, canonicalInputHash, errorMessage: null };
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
    { numRuns: 1000 },
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
  assert.equal(slugOf(edited(entries, 'manifest.json', (manifest) => ({ ...manifest, deterministic: false }))), 'manifest-hash');
});

test('a signature by another key, with another hint, type or spelling is refused', async () => {
  const stranger = localSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const foreign = Buffer.from(await signManifest(stranger, goldenManifest));
  assert.equal(slugOf({ ...entries, 'manifest.dsse.json': foreign }), 'signature-untrusted');
  const edits: readonly [slug: string, edit: (envelope: Node) => object][] = [
    ['signature-untrusted', (envelope) => ({ ...envelope, signatures: [{ ...envelope.signatures[0], keyid: 'x' }] })],
    ['signature-malformed', (envelope) => ({ ...envelope, signatures: [...envelope.signatures, ...envelope.signatures] })],
    ['signature-malformed', (envelope) => ({ ...envelope, signatures: [] })],
    ['signature-malformed', (envelope) => ({ ...envelope, note: '' })],
    ['signature-payload', (envelope) => ({ ...envelope, payloadType: 'text/plain' })],
  ];
  for (const [slug, edit] of edits) assert.equal(slugOf(edited(entries, 'manifest.dsse.json', edit)), slug);
  assert.equal(verifyEntries(entries, [], { expectedRootHash }).manifestValid, false);
});

test('nodes in another order, number or form are refused even under a root of their own', () => {
  const swap = (nodes: Node[], at: number): void => void nodes.splice(at, 2, nodes[at + 1], nodes[at]);
  const renumber = (nodes: Node[]): void => nodes.forEach((node, index) => Object.assign(node, { index }));
  assert.equal(slugOfNodes((nodes) => swap(nodes, 12)), 'ledger-sequence');
  assert.equal(slugOfNodes((nodes) => { swap(nodes, 12); renumber(nodes); }), 'ledger-sequence');
  assert.equal(slugOfNodes((nodes) => { swap(nodes, 3); renumber(nodes); }), 'ledger-manifest');
  assert.equal(slugOfNodes((nodes) => { nodes.splice(13, 1); renumber(nodes); }), 'ledger-sequence');
  assert.equal(slugOfNodes((nodes) => { nodes.length = 5; }), 'ledger-sequence');
  assert.equal(slugOfNodes((nodes) => { nodes[12].note = 1; }), 'ledger-sequence');
  assert.equal(slugOfNodes((nodes) => { nodes[0].nodeCount = 20; }), 'ledger-sequence');
});

test('a header of another manifest, seed or time is refused', () => {
  assert.equal(slugOfNodes(([header]) => { header.manifestDigest = sha256(''); }), 'ledger-manifest');
  assert.equal(slugOfNodes(([header]) => { header.manifestHash = sha256(''); }), 'ledger-manifest');
  assert.equal(slugOfNodes(([header]) => { header.canonicalInputHash = sha256(''); }), 'ledger-seed');
  assert.equal(slugOfNodes(([header]) => { header.freezeTimestamp = '2026-01-01T00:00:01Z'; }), 'ledger-time');
  assert.equal(slugOfNodes(([header]) => { header.coverage.noPurl = 2; }), 'coverage-sum');
});

test('factors that do not give the finding’s score are refused', () => {
  const edits: readonly ((finding: Node) => void)[] = [
    (finding) => { finding.score += 1; },
    (finding) => { finding.factors[0].weighted += 1; finding.score += 1; },
    (finding) => { finding.factors[0].raw += 10_000; },
    (finding) => { finding.factors[6].weighted = 0; finding.score = 460_564; },
    (finding) => { finding.factors[7].raw = 0; },
    (finding) => { finding.factors.reverse(); },
    (finding) => { finding.factors.pop(); },
    (finding) => { finding.class = 'informational'; },
    (finding) => { finding.factors = []; finding.score = 0; },
  ];
  for (const edit of edits) assert.equal(slugOfNodes((nodes) => edit(nodes[12])), 'finding-sum', String(edit));
});

test('an aggregate or result that does not follow from the findings is refused', () => {
  const aggregates: readonly (readonly [slug: string, edit: (aggregate: Node) => void])[] = [
    ['aggregate-order', (aggregate) => { aggregate.order.reverse(); }],
    ['aggregate-order', (aggregate) => { aggregate.order.splice(1, 1); }],
    ['aggregate-order', (aggregate) => { aggregate.order = []; }],
    ['aggregate-order', (aggregate) => { aggregate.order.push('f'); }],
    ['aggregate-order', (aggregate) => { aggregate.top = 'a'; }],
    ['aggregate-score', (aggregate) => { aggregate.score += 95_000; aggregate.tail += 95_000; }],
    ['aggregate-score', (aggregate) => { aggregate.tail += 1; }],
    ['aggregate-score', (aggregate) => { aggregate.score = null; }],
    ['result-mismatch', (aggregate) => { aggregate.score += 1; aggregate.tail += 1; }],
  ];
  for (const [slug, edit] of aggregates) assert.equal(slugOfNodes((nodes) => edit(nodes[19])), slug, String(edit));
  assert.equal(slugOfNodes((nodes) => { nodes[20].status = 'notEvaluated'; }), 'result-mismatch');
});

test('a consistent ledger of another score fails by its root, or by its canonical input', () => {
  const lowered = withNodes((nodes) => {
    for (const node of nodes.slice(-2)) node.score += 1;
    nodes[19].tail += 1;
  });
  assert.equal(slugOf(lowered.entries), 'root-unexpected');
  assert.equal(slugOf(lowered.entries, lowered.expected), 'valid');
  assert.equal(slugOf(lowered.entries, { ...lowered.expected, canonicalInputPayload }), 'node-mismatch');
});

test('roots and times that disagree are refused', () => {
  const other = sha256('other');
  assert.equal(slugOf(entries, { expectedRootHash: other }), 'root-unexpected');
  assert.equal(slugOf(edited(entries, 'meta.json', (meta) => ({ ...meta, rootHash: other }))), 'root-mismatch');
  assert.equal(slugOf(edited(entries, 'score_proof.json', (proof) => ({ ...proof, rootHash: other }))), 'root-mismatch');
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
  const slugWith = (edit: (input: Node) => void): string => {
    const input = JSON.parse(canonicalInputPayload);
    edit(input);
    const payload = canonicalJson(input);
    const bound = withNodes(([header]) => {
      header.canonicalInputHash = sha256(payload);
      header.seedHex = seedOf(sha256(payload));
    });
    return slugOf(bound.entries, { ...bound.expected, canonicalInputPayload: payload });
  };
  assert.equal(slugWith(() => {}), 'valid');
  assert.equal(slugWith((input) => { input.findings[0].evidenceAgeSeconds = 0; }), 'payload-refused');
  assert.equal(slugWith((input) => { input.findings.reverse(); }), 'payload-refused');
  assert.equal(slugWith((input) => { input.inputs[0].hash = sha256(''); }), 'payload-refused');
  assert.equal(slugWith((input) => { input.policy.weights.cvss += 1; }), 'payload-refused');
  assert.equal(slugWith((input) => { input.findings[0].kev = 'yes'; }), 'payload-malformed');
  assert.equal(slugWith((input) => { input.findings[1].kev = true; }), 'node-mismatch');
  assert.equal(slugWith((input) => { input.findings[0].vexStatement = null; }), 'finding-vex');
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
