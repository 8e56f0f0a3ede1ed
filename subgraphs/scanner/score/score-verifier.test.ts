import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { localSigner } from '@landfall/kernel/crypto/signing/local-signer';
import { type BundleEntries, createBundle, packBundle } from './bundle.ts';
import { generatedFindings, scanWith } from './generated-findings.fixture.ts';
import { golden, unevaluatedScan } from './golden-scan.fixture.ts';
import { signManifest } from './manifest.ts';
import { type FrozenScan, replay } from './replay.ts';
import { assignPaths, edited, signedBundle, signer, withNodes } from './signed-bundle.fixture.ts';

// The independent verifier shares no code with the product, so it runs as the program that it is.
const program = join(import.meta.dirname, '../../../e2e/score-verifier/verify.mjs');

const directory = await mkdtemp(join(tmpdir(), 'landfall-verifier-'));
after(() => rm(directory, { recursive: true }));

const { entries, bytes } = await signedBundle();
let files = 0;

const verdictOn = async (zip: Buffer, key = signer, ...expectedRoot: readonly string[]): Promise<string> => {
  const path = join(directory, `${files++}`);
  await writeFile(`${path}.zip`, zip);
  await writeFile(`${path}.pem`, key.publicKey.export({ type: 'spki', format: 'pem' }));
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [program, `${path}.zip`, `${path}.pem`, ...expectedRoot], (_, stdout) => resolve(stdout));
  return (await promise).trim();
};

const bundleOf = async (scan: FrozenScan, key = signer) =>
  createBundle(replay(scan), await signManifest(key, scan.manifest));

test('the independent verifier accepts the product’s bundles, and computes the same root', async () => {
  const root = golden.rootHash;
  assert.equal(await verdictOn(bytes, signer, root), `valid: root ${root}, score 0.904395`);
  const unevaluated = await verdictOn(await bundleOf(unevaluatedScan));
  assert.equal(unevaluated, `valid: root ${golden.unevaluatedRootHash}, score none`);
  const generated = scanWith(generatedFindings(300));
  const { rootHash, score } = replay(generated);
  const key = localSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  assert.equal(
    await verdictOn(await bundleOf(generated, key), key),
    `valid: root ${rootHash}, score ${Number(score) / 1e6}`,
  );
});

test('it refuses another key, another root and a damaged file', async () => {
  const stranger = localSigner(generateKeyPairSync('ed25519').privateKey);
  assert.match(await verdictOn(bytes, stranger), /^invalid: the signature names another key/);
  assert.match(await verdictOn(bytes, signer, golden.unevaluatedRootHash), /^invalid: the root is .* not the expected/);
  assert.match(await verdictOn(bytes.subarray(0, 400)), /^invalid: no ZIP file/);
});

const withSignature = (sig: string) =>
  edited(entries, 'manifest.dsse.json', (envelope) => assignPaths(envelope, { 'signatures.0.sig': sig }));

const withManifest = (values: object) => edited(entries, 'manifest.json', (manifest) => ({ ...manifest, ...values }));

const { nodes } = JSON.parse(entries['score_proof.json'].toString());

const changes: readonly (readonly [reason: RegExp, changed: BundleEntries])[] = [
  [/the manifest has another hash/, withManifest({ deterministic: false })],
  [/of another manifest/, withManifest({ createdAtUtc: '' })],
  [/the signature is wrong/, withSignature('AAAA')],
  [/not canonical/, { ...entries, 'meta.json': Buffer.from(`${entries['meta.json'].toString()}\n`) }],
  [/the root is/, edited(entries, 'meta.json', (meta) => ({ ...meta, rootHash: golden.unevaluatedRootHash }))],
  [/out of order/, withNodes(entries, { 12: nodes[13], 13: nodes[12] }).entries],
  [/do not sum/, withNodes(entries, { '12.score': 1 }).entries],
  [/the factor cvss is wrong/, withNodes(entries, { '12.factors.0.weighted': 1 }).entries],
  [/the factor vex is wrong/, withNodes(entries, { '12.factors.7.raw': 1 }).entries],
  [/other findings/, withNodes(entries, { '19.order': ['a'] }).entries],
  [/the result is another one/, withNodes(entries, { '20.score': 1 }).entries],
  [/input 0 differs/, withNodes(entries, { '1.role': 'x' }).entries],
];

test('it refuses changed entries, and changed nodes even under a root of their own', async () => {
  for (const [reason, changed] of changes) assert.match(await verdictOn(packBundle(changed)), reason);
});
