import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFields } from '../../lib/form-fields.ts';
import { evidencePolicyInput } from './evidence-policy-input.ts';

const formOf = (fields: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(`evidencePolicy.${name}`, value);
  return readFields(data);
};

test('requirements are read in their order, by a kind of evidence or by a predicate type', () => {
  const form = formOf({
    '0.evidence': 'SBOM',
    '0.predicateType': 'https://example.com/left-over',
    '0.maxAgeDays': '30',
    '1.evidence': 'PREDICATE',
    '1.predicateType': 'https://slsa.dev/provenance/v1',
    '1.signer': 'Shop builder',
  });
  assert.deepEqual(evidencePolicyInput(form, ['SBOM', 'VEX']), [
    { evidence: 'SBOM', predicateType: null, signer: null, maxAgeDays: 30 },
    { evidence: null, predicateType: 'https://slsa.dev/provenance/v1', signer: 'Shop builder', maxAgeDays: null },
  ]);
  assert.deepEqual(form.wrong, []);
});

test('a predicate type that was left empty and an age that is no number are marked in their fields', () => {
  const form = formOf({ '0.evidence': 'PREDICATE', '0.maxAgeDays': 'old' });
  evidencePolicyInput(form, ['SBOM']);
  assert.deepEqual(
    form.wrong.map(({ field }) => field),
    ['evidencePolicy.0.predicateType', 'evidencePolicy.0.maxAgeDays'],
  );
  assert.deepEqual(evidencePolicyInput(formOf({}), ['SBOM']), []);
});
