import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes } from './document.ts';
import type { Finding } from './finding.ts';
import { scoreFinding } from './finding-score.ts';
import { generatedFindings, scanWith } from './generated-findings.fixture.ts';
import { plainFinding } from './golden-scan.fixture.ts';
import { DEFAULT_POLICY, type Policy, parsePolicy } from './policy.ts';
import { interpolate, MILLION, parsePpm } from './ppm.ts';
import { replay, replayInTurns } from './replay.ts';
import { combineScores, rankFindings } from './scan-score.ts';

const ppm = fc.integer({ min: 0, max: MILLION });

/** Policies that publication accepts. */
const policies: fc.Arbitrary<Policy> = fc
  .record({
    cuts: fc.array(ppm, { minLength: 5, maxLength: 5 }),
    results: fc.array(ppm, { minLength: 14, maxLength: 14 }),
    ages: fc.uniqueArray(fc.integer({ min: 0, max: 1_000_000_000 }), { minLength: 1, maxLength: 5 }),
    floors: fc.tuple(ppm, ppm),
    share: ppm,
  })
  .map(({ cuts, results, ages, floors: [kevFloor, maliciousFloor], share }) => {
    const ends = [...cuts.toSorted((a, b) => a - b), MILLION];
    const shares = ends.map((end, at) => end - (ends[at - 1] ?? 0));
    const table = (names: object, values: readonly number[]) =>
      Object.fromEntries(Object.keys(names).map((name, at) => [name, values[at]]));
    const { weights, reachability, exposure, vexKeep, tail } = DEFAULT_POLICY;
    return parsePolicy({
      ...DEFAULT_POLICY,
      weights: table(weights, shares),
      reachability: table(reachability, results),
      exposure: table(exposure, results.slice(4)),
      vexKeep: table(vexKeep, results.slice(9)),
      freshnessSeconds: ages.toSorted((a, b) => a - b).map((age, at) => [age, results[at]]),
      kevFloor,
      maliciousFloor,
      tail: { ...tail, share },
    });
  });

const pool = generatedFindings(400);
const findings: fc.Arbitrary<Finding> = fc
  .tuple(fc.constantFrom(...pool), fc.integer({ min: 0, max: 2_000_000_000 }))
  .map(([finding, evidenceAgeSeconds]) => ({ ...finding, evidenceAgeSeconds }));

test('the factors of a finding sum to its score, which is between 0 and a million, under every policy', () => {
  fc.assert(
    fc.property(findings, policies, (finding, policy) => {
      const { score, factors } = scoreFinding(finding, policy);
      const sum = factors.reduce((total, { weighted }) => total + weighted, 0);
      assert.equal(sum, score);
      assert.ok(score >= 0 && score <= MILLION);
    }),
    { numRuns: 500 },
  );
});

test('the order of the findings changes no byte of a replay', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(pool, { minLength: 2, maxLength: 20 }), (subset) => {
      const [one, other] = [subset, subset.toReversed()].map((list) => replay(scanWith(list)));
      assert.equal(one?.rootHash, other?.rootHash);
      assert.equal(one?.canonicalInputPayload, other?.canonicalInputPayload);
    }),
    { numRuns: 30 },
  );
});

test('adding a finding never lowers the score of a scan', () => {
  const scores = fc.array(ppm, { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(scores, ppm, fc.integer({ min: 1, max: 50 }), (list, share, max) => {
      const scored = list.map((score, at) => ({ findingId: `f${at}`, score }));
      const combined = (subset: typeof scored) => combineScores(rankFindings(subset).slice(0, max), share);
      assert.ok(combined(scored) >= combined(scored.slice(1)));
    }),
  );
});

test('the default policy orders risks as security engineers would', () => {
  const scored = (changes: Partial<Finding>) =>
    scoreFinding({ ...plainFinding({ epss: '0.01' }), evidenceAgeSeconds: 0, ...changes }, DEFAULT_POLICY).score;
  const severity = (cvssTenths: number) => ({ severitySource: 'cvss', cvssTenths }) as const;
  const unlikely = { reachability: 'unreachable', exposure: 'isolated' } as const;
  const unknown = { reachability: 'unknown' } as const;
  assert.deepEqual(
    [
      scored({ ...severity(98), kev: true, epss: '0.9' }),
      scored({ malicious: true, epss: null, ...unlikely }),
      scored({ ...severity(100), epss: '1', evidenceAgeSeconds: 1e9 }),
      scored({ ...severity(50), kev: true, ...unknown, exposure: 'internal' }),
      scored(severity(98)),
      scored({}),
      scored(unknown),
      scored({ ...severity(80), severitySource: 'vendor', ...unknown, exposure: 'internal' }),
      scored({ ...severity(53), ...unknown }),
      scored({ ...severity(98), ...unlikely }),
      scored(unlikely),
    ],
    [923_000, 900_000, 850_000, 800_000, 595_000, 497_000, 437_000, 412_000, 377_500, 370_000, 272_000],
  );
});

test('an EPSS probability is rounded half up on its seventh digit, as text', () => {
  const found = ['0', '1', '1.000', '0.0000005', '0.00000049999', '0.9999995', '0.1234565'].map(parsePpm);
  assert.deepEqual(found, [0, MILLION, MILLION, 1, 0, MILLION, 123_457]);
});

test('interpolation stays within the results of its table, and meets each of them', () => {
  fc.assert(
    fc.property(policies, fc.nat(2_000_000_000), ({ freshnessSeconds: table }, age) => {
      const results = table.map(([, result]) => result);
      const found = interpolate(table, age);
      assert.ok(found >= Math.min(...results) && found <= Math.max(...results));
      for (const [x, y] of table) assert.equal(interpolate(table, x), y);
    }),
  );
});

test('strings are ordered by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
      assert.equal(Math.sign(compareBytes(left, right)), Buffer.compare(Buffer.from(left), Buffer.from(right)));
    }),
  );
  assert.ok(compareBytes('\uffff', '😀') < 0);
});

test('a scan that is scored in turns gives the bytes of one that is scored at once', async () => {
  const scan = scanWith(generatedFindings(2_500));
  const { findingScores, ...rest } = await replayInTurns(scan);
  const { findingScores: expected, ...atOnce } = replay(scan);
  assert.deepEqual(rest, atOnce);
  assert.deepEqual([...findingScores], [...expected]);
});
