import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worstVerdict } from './worst-verdict.ts';

const verdicts = (...all: Parameters<typeof worstVerdict>[0][number]['landingVerification'][]) =>
  all.map((landingVerification) => ({ landingVerification }));

test('an unverified landing of one product is not hidden by a verified one of another', () => {
  assert.equal(worstVerdict(verdicts('VERIFIED', 'UNVERIFIED')), 'UNVERIFIED');
  assert.equal(worstVerdict(verdicts('UNVERIFIED', 'MISMATCH', 'VERIFIED')), 'MISMATCH');
  assert.equal(worstVerdict(verdicts(null, 'VERIFIED')), null);
  assert.equal(worstVerdict([]), undefined);
});
