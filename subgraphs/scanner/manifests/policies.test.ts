import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import { DEFAULT_POLICY } from '../score/policy.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const PUBLISH = 'mutation ($policy: String!) { publishScorePolicy(input: { policy: $policy }) { id version } }';
const as = { as: people['scan-operator'] };
const CURRENT = '{ scorePolicy { id version document } }';

const policyOf = (changes: object): string => JSON.stringify({ ...DEFAULT_POLICY, ...changes });

test('a tenant has the default policy until it publishes its own, and the newest counts', async () => {
  await using app = await scannerApp();
  const current = async (who = as) => (await app.graph(CURRENT, {}, who)).data?.scorePolicy;
  assert.equal(
    JSON.stringify(await current()),
    JSON.stringify({ id: 'default', version: '1', document: JSON.stringify(DEFAULT_POLICY) }),
  );
  for (const version of ['1', '2']) {
    const { errors } = await app.graph(PUBLISH, { policy: policyOf({ id: 'own', version, kevFloor: 850_000 }) }, as);
    assert.equal(errors, undefined);
    await app.clock.advance(1_000);
  }
  assert.match(JSON.stringify(await current()), /"id":"own","version":"2"/);
  assert.match(JSON.stringify(await current({ as: people['other-scan-operator'] })), /"id":"default"/);
});

test('a version is published once, and a policy that breaks a rule of the model is refused', async () => {
  await using app = await scannerApp();
  const codeOf = async (policy: string) => (await app.graph(PUBLISH, { policy }, as)).errors?.[0]?.extensions?.code;
  assert.equal(await codeOf(policyOf({ id: 'own' })), undefined);
  assert.equal(await codeOf(policyOf({ id: 'own', kevFloor: 1 })), 'RES_CONFLICT');
  const weights = { ...DEFAULT_POLICY.weights, cvss: 350_001 };
  assert.equal(await codeOf(policyOf({ weights })), 'VAL_INVALID_VALUE');
  assert.equal(await codeOf('{'), 'VAL_INVALID_JSON');
});
