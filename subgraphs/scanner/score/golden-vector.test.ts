import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { leafHash } from '@landfall/kernel/crypto/merkle';
import { scoreFinding } from './finding-score.ts';
import { generatedFindings, scanWith } from './generated-findings.fixture.ts';
import { golden, goldenScan, unevaluatedScan } from './golden-scan.fixture.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { toDecimal } from './ppm.ts';
import { replay } from './replay.ts';

test('the golden vector gives its hashes, seed, first leaf and root', () => {
  const found = replay(goldenScan);
  assert.equal(found.scan.manifest.manifestHash, golden.manifestHash);
  assert.equal(found.manifestDigest, golden.manifestDigest);
  assert.equal(Buffer.byteLength(found.canonicalInputPayload), 5475);
  assert.equal(found.canonicalInputHash, golden.canonicalInputHash);
  assert.equal(found.seedHex, golden.seedHex);
  assert.equal(found.nodes.length, 21);
  const [first = ''] = found.nodes;
  assert.equal(leafHash(Buffer.from(`score-ledger-node/v1\n${first}`)).toString('hex'), golden.firstLeaf);
  assert.equal(found.rootHash, golden.rootHash);
});

test('each finding of the vector has the factors of the table, which sum to its score', () => {
  const { findingScores } = replay(goldenScan);
  const found = [...findingScores].map(([id, { factors }]) => [id, factors.map(({ weighted }) => weighted)]);
  assert.deepEqual(Object.fromEntries(found), golden.weighted);
  for (const { score, factors } of findingScores.values())
    assert.equal(
      factors.reduce((sum, { weighted }) => sum + weighted, 0),
      score,
    );
});

test('the vector’s aggregate leaves the informational finding out', () => {
  const { order, score, tail, top } = replay(goldenScan);
  assert.deepEqual(
    { order: order.join(), score, tail, top },
    { order: 'e,a,d,b,g,c', score: 904_395, tail: 4_395, top: 'e' },
  );
  assert.equal(toDecimal(score ?? 0), 0.904395);
});

test('a scan in which nothing was evaluated has no score, which is not a score of 0', () => {
  const { score, tail, nodes, rootHash } = replay(unevaluatedScan);
  assert.deepEqual([score, tail], [null, null]);
  assert.equal(nodes.at(-1), '{"@type":"result","index":13,"score":null,"status":"notEvaluated"}');
  assert.equal(rootHash, golden.unevaluatedRootHash);
});

test('a scan without components has the score 0', () => {
  const nothing = { components: 0, evaluated: 0, noPurl: 0, unknownEcosystem: 0, badVersion: 0 };
  assert.equal(replay({ ...unevaluatedScan, coverage: nothing }).score, 0);
});

test('20,000 generated findings have the scores of the other implementation', () => {
  const lines = generatedFindings(20_000).map(
    (finding) => `${finding.findingId} ${scoreFinding(finding, DEFAULT_POLICY).score}\n`,
  );
  assert.equal(sha256Hex(lines.join('')), golden.generatedScores);
});

test('the text of every node, and of the input, is canonical JSON', () => {
  for (const scan of [goldenScan, unevaluatedScan, scanWith(generatedFindings(200))]) {
    const { nodes, canonicalInputPayload } = replay(scan);
    for (const text of [...nodes, canonicalInputPayload]) assert.equal(text, canonicalJson(JSON.parse(text)));
  }
});
