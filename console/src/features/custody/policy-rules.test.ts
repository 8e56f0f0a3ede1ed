import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyRules } from './policy-rules.ts';

test('a policy that came by kit is read in words, and a rule of a newer platform stands as it is written', () => {
  const rules = {
    analysis: null,
    requiredApprovals: 2,
    requiredEvidence: ['sbom', 'vex'],
    separationOfDuties: 'author',
  };
  assert.equal(
    policyRules(JSON.stringify(rules)),
    '2 approvals required, SBOM and VEX required, separation of duties: not by the author',
  );
  const open = { requiredApprovals: 0, requiredEvidence: [], separationOfDuties: 'off', freeze: { days: 2 } };
  assert.equal(policyRules(JSON.stringify(open)), 'no approval required, freeze: {"days":2}');
  assert.equal(policyRules('no policy'), 'none');
});
