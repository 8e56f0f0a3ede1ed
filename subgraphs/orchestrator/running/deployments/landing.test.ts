import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judgeTarget, type LandedComponent, type Verdict, worst } from './landing.ts';

const d = (letter: string): string => `sha256:${letter.repeat(64)}`;
const gated = { name: 'web', digest: d('a'), platforms: [] };
const index = {
  name: 'web',
  digest: d('a'),
  platforms: [
    { platform: 'linux/amd64', digest: d('b') },
    { platform: 'linux/arm64', digest: d('c') },
  ],
};

const landed = (overrides: Partial<LandedComponent> = {}): LandedComponent => ({
  name: 'web',
  gatedDigest: d('a'),
  manifestDigest: d('a'),
  observedDigest: d('a'),
  ...overrides,
});

const verdictOf = (component: typeof gated | typeof index, overrides: Partial<LandedComponent>): Verdict | undefined =>
  judgeTarget([component], [landed(overrides)], 'linux/amd64')?.verdict;

// spec: 3/landing-verified
test('a target is verified when what was fetched and what runs are the gated digest', () => {
  assert.equal(verdictOf(gated, {}), 'verified');
});

// spec: rulings/26
test('a target whose running digest nobody observed is unverified, never verified', () => {
  assert.equal(verdictOf(gated, { observedDigest: null }), 'unverified');
  assert.equal(verdictOf(gated, { manifestDigest: null, observedDigest: null }), 'unverified');
  assert.equal(judgeTarget([gated], [], 'linux/amd64')?.verdict, 'unverified');
});

// spec: rulings/26
test('either digest differing is a mismatch, even where the other is missing', () => {
  assert.equal(verdictOf(gated, { manifestDigest: d('e') }), 'mismatch');
  assert.equal(verdictOf(gated, { observedDigest: d('e') }), 'mismatch');
  assert.equal(verdictOf(gated, { manifestDigest: d('e'), observedDigest: null }), 'mismatch');
});

// spec: rulings/50
test('of an image index the running digest is the child of the agent’s own platform, by our own record', () => {
  assert.equal(verdictOf(index, { observedDigest: d('b') }), 'verified');
  assert.equal(verdictOf(index, { observedDigest: d('c') }), 'mismatch');
  assert.equal(verdictOf(index, { observedDigest: d('a') }), 'mismatch');
  assert.equal(verdictOf(index, { observedDigest: d('e') }), 'mismatch');
  assert.equal(judgeTarget([index], [landed({ observedDigest: d('b') })], 'linux/s390x')?.verdict, 'mismatch');
  const variant = { ...index, platforms: [{ platform: 'linux/arm64/v8', digest: d('c') }] };
  assert.equal(judgeTarget([variant], [landed({ observedDigest: d('c') })], 'linux/arm64')?.verdict, 'verified');
});

// spec: rulings/26
test('the worst component stands on top with its digests', () => {
  const api = { ...gated, name: 'api' };
  const landing = judgeTarget([gated, api], [landed(), landed({ name: 'api', manifestDigest: d('e') })], 'linux/amd64');
  assert.equal(landing?.verdict, 'mismatch');
  assert.equal(landing?.manifestDigest, d('e'));
  assert.deepEqual(
    landing?.components.map(({ verdict }) => verdict),
    ['verified', 'mismatch'],
  );
});

test('the worst of verdicts is verified only when all are, and of none nothing was seen', () => {
  const verdict = fc.constantFrom<Verdict>('verified', 'mismatch', 'unverified');
  fc.assert(
    fc.property(fc.array(verdict), (verdicts) => {
      const all = verdicts.length > 0 && verdicts.every((one) => one === 'verified');
      assert.equal(worst(verdicts) === 'verified', all);
      if (verdicts.includes('mismatch')) assert.equal(worst(verdicts), 'mismatch');
    }),
  );
});
