import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFailRule } from './fail-rule.ts';
import { reported } from './finding.fixture.ts';

const meets = (rule: string, changes: Parameters<typeof reported>[0]): boolean =>
  parseFailRule(rule).isMet(reported(changes));

test('a severity is a threshold: that one and every severity above it', () => {
  assert.deepEqual(
    (['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE', null] as const).map((severity) => meets('high', { severity })),
    [true, true, false, false, false, false],
  );
  assert.ok(meets('low', { severity: 'LOW' }));
  assert.ok(meets('unrated', { severity: null }));
});

test('each term has its own condition, and any term of several suffices', () => {
  assert.ok(meets('kev', { kev: true }));
  assert.ok(meets('malicious', { malicious: true }));
  assert.ok(meets('reachable', { reachability: 'REACHABLE' }));
  assert.ok(!meets('reachable', { reachability: 'POTENTIALLY_REACHABLE' }));
  assert.ok(meets('fixable', { fixedVersions: ['2.0.0'] }));
  assert.ok(meets('critical, KEV', { severity: 'LOW', kev: true }));
  assert.ok(!meets('critical,kev', { severity: 'HIGH' }));
});

test('a score is compared exactly, with its bound or above it', () => {
  assert.deepEqual(
    [0.69, 0.7, 0.71].map((score) => meets('score>=0.7', { score })),
    [false, true, true],
  );
  assert.deepEqual(
    [0.7, 0.71].map((score) => meets('score > .7', { score })),
    [false, true],
  );
});

test('a notice and a finding that VEX rules out or a triage decision suppresses meet no rule', () => {
  assert.ok(!meets('low', { severity: 'CRITICAL', class: 'INFORMATIONAL' }));
  assert.ok(!meets('low', { severity: 'CRITICAL', vex: 'NOT_AFFECTED' }));
  assert.ok(!meets('kev', { kev: true, vex: 'FIXED' }));
  const decision = { status: 'ACCEPTED', reason: 'Only the test runner uses it' } as const;
  assert.ok(!meets('kev', { kev: true, isSuppressed: true, decision }));
  assert.ok(meets('kev', { kev: true, isSuppressed: false, decision: { ...decision, status: 'FIXING' } }));
  assert.ok(meets('low', { severity: 'CRITICAL', vex: 'UNDER_INVESTIGATION' }));
});

test('a rule that cannot be read is refused with the accepted terms', () => {
  for (const rule of ['', 'urgent', 'none', 'critical,', 'score>=2', 'score>=', 'score=0.5', 'constructor'])
    assert.throws(() => parseFailRule(rule), /is no rule of --fail-on\. There is critical, high.*score>=<0\.\.1>/);
});
