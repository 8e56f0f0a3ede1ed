import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { findingFactors, scanFactors } from './factor-sources.ts';
import { goldenScan, plainFinding, unevaluatedScan } from './golden-scan.fixture.ts';
import { type FrozenScan, replay } from './replay.ts';

const sourcesOf = (changes: Partial<FrozenScan>, id: string) =>
  Object.fromEntries(
    findingFactors(replay({ ...goldenScan, ...changes }), id).map(({ name, source }) => [name, source]),
  );

const input = (role: string) => `${role}:${sha256Hex(role).slice(0, 8)}`;

test('the factors of a scan are those of its first finding and the tail, and sum to the score', () => {
  const factors = scanFactors(replay(goldenScan));
  assert.deepEqual(factors.at(-1), {
    name: 'tail',
    raw: 4_395,
    weight: 20_000,
    weighted: 4_395,
    source: 'policy:default@1',
  });
  assert.equal(
    factors.reduce((sum, { weighted }) => sum + weighted, 0),
    904_395,
  );
});

test('each factor names the frozen input that gave its raw value', () => {
  const { manifest } = goldenScan;
  const vex = manifest.inputs.find(({ role }) => role === 'vex')?.hash.slice(7, 15);
  assert.deepEqual(sourcesOf({}, 'b'), {
    cvss: input('feed:osv:npm'),
    epss: input('feed:epss'),
    kev: input('feed:kev'),
    reachability: input('reachability'),
    exposure: 'policy:default@1',
    freshness: input('feed:osv:npm'),
    floor: 'policy:default@1',
    vex: `vex:${vex}`,
  });
});

test('a severity that no CVSS vector gives comes from the policy', () => {
  assert.equal(sourcesOf({}, 'g').cvss, 'policy:default@1');
  assert.equal(sourcesOf({}, 'd').cvss, 'policy:default@1');
});

test('the floor names the rule that gave it, and malicious at a tie', () => {
  const both = [plainFinding({ findingId: 'x', kev: true, malicious: true })];
  const floor = (kevFloor: number) =>
    sourcesOf({ findings: both, policy: { ...goldenScan.policy, kevFloor } }, 'x').floor;
  assert.deepEqual([800_000, 900_000, 900_001].map(floor), [
    'policy:default@1#maliciousFloor',
    'policy:default@1#maliciousFloor',
    'policy:default@1#kevFloor',
  ]);
  assert.equal(sourcesOf({}, 'a').floor, 'policy:default@1#kevFloor');
});

test('a scan without findings, and an informational finding, have no factors', () => {
  assert.deepEqual(scanFactors(replay(unevaluatedScan)), []);
  assert.deepEqual(findingFactors(replay(goldenScan), 'f'), []);
  assert.deepEqual(findingFactors(replay(goldenScan), 'nobody'), []);
});
