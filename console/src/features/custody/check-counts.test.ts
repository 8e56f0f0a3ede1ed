import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttestationCheckName, CheckResult } from '../../generated/operations.ts';
import { countChecks } from './check-counts.ts';

const check = (name: AttestationCheckName, result: CheckResult) => ({
  __typename: 'AttestationCheck' as const,
  name,
  result,
  detail: null,
});

test('a proof without an authority for time lacks nothing: it is told as not configured', () => {
  const checks = [check('SIGNATURE', 'PASS'), check('TIMESTAMP', 'SKIPPED'), check('SUBJECT', 'PASS')];
  assert.deepEqual(countChecks({ checks, verified: true }), { holds: 2, fails: 0, unmade: 0, unset: 1 });
});

test('what a failed proof did not come to was not checked', () => {
  const checks = [check('SIGNATURE', 'FAIL'), check('TIMESTAMP', 'SKIPPED'), check('SUBJECT', 'SKIPPED')];
  assert.deepEqual(countChecks({ checks, verified: false }), { holds: 0, fails: 1, unmade: 2, unset: 0 });
});
