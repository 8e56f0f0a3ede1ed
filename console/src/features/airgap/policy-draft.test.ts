import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOf, emptyRule, policyInputOf, withoutEmptyRules, wrongPorts } from './policy-draft.ts';

const facts = {
  allowLoopback: false,
  allowPrivateNetworks: true,
  remediationDocumentationUrl: null,
  supportContact: 'platform@site.example',
};

const rules = [
  { hostPattern: '*.site.example', port: 443, transport: 'HTTPS' },
  { hostPattern: '10.0.0.0/8', port: null, transport: null },
] as const;

test('a policy that is edited and left as it was is sent as it was', () => {
  const allowRules = rules.map((rule) => ({ __typename: 'EgressRule' as const, ...rule }));
  const draft = draftOf({ __typename: 'EgressPolicy', ...facts, allowRules });
  assert.deepEqual(policyInputOf(draft), { ...facts, allowRules: [...rules] });
});

test('a first policy lets the machine reach itself and nothing else', () => {
  const input = policyInputOf(draftOf(null));
  assert.deepEqual(
    [input.allowLoopback, input.allowPrivateNetworks, input.allowRules, input.supportContact],
    [true, false, [], null],
  );
});

test('a row that was added and not filled in is left out, one with a port alone is sent for its refusal', () => {
  const draft = draftOf(null);
  const first = { ...emptyRule([]), hostPattern: 'a.example' };
  const second = emptyRule([first]);
  const third = { ...emptyRule([first, second]), port: '80' };
  assert.deepEqual([first.key, second.key, third.key], [0, 1, 2]);
  const { rules } = withoutEmptyRules({ ...draft, rules: [first, second, third] });
  assert.deepEqual(rules, [first, third]);
});

test('a port is a whole number up to 65535, or nothing', () => {
  const rules = ['', '443', '0', '65536', '4.5', 'https'].map((port, key) => ({ ...emptyRule([]), key, port }));
  assert.deepEqual(wrongPorts({ ...draftOf(null), rules }), [2, 3, 4, 5]);
});
