import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { DEFAULT_POLICY } from '../score/policy.ts';
import { rescoreApp } from '../testing/rescore-app.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const PUBLISH = 'mutation ($policy: String!) { publishScorePolicy(input: { policy: $policy }) { id version } }';
const as = { as: people['scan-operator'] };
const CURRENT = '{ scorePolicy { id version document } }';

const text = Type.String();
const Listed = Type.Object({
  scorePolicies: Type.Array(
    Type.Object({ id: text, version: text, document: text, publishedAt: Type.Union([text, Type.Null()]) }),
  ),
});

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

test('the source order of the policy decides between vectors of one CVSS version', async () => {
  await using app = await rescoreApp();
  const vector = (score: string) => ({ severity: [{ type: 'CVSS_V3', score }] });
  await app.advise('CVE-2026-1000', 'gate', vector('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'));
  const low = vector('CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:N/I:N/A:L');
  await app.advise('GHSA-2c2c-3f3f-4g4g', 'gate', { aliases: ['CVE-2026-1000'], ...low });
  const scanId = await app.scan();
  const tenths = async () => {
    const [found] = (await app.module.scans.findings.ofScan(people['scan-operator'], { scanId })).items;
    return found?.finding.cvssTenths;
  };
  assert.equal(await tenths(), 98, 'the higher one without an order');
  const { errors } = await app.graph(PUBLISH, { policy: policyOf({ id: 'own', sourceOrder: ['GHSA', 'CVE'] }) }, as);
  assert.equal(errors, undefined);
  assert.equal(await app.module.rescoreScans(), 1);
  assert.equal(await tenths(), 25);
  const { rootHash } = await app.replay(scanId);
  const verified = await app.module.proofs.verify(people['scan-operator'], { scanId, expectedRootHash: rootHash });
  assert.deepEqual([verified.valid, verified.errorMessage], [true, null]);
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

test('a policy that two readers could understand differently, or that cannot be stored, is refused with the reason', async () => {
  await using app = await scannerApp();
  const refusalOf = async (policy: string) => {
    const { code, validationErrors } = (await app.graph(PUBLISH, { policy }, as)).errors?.[0]?.extensions ?? {};
    return JSON.stringify([code, validationErrors]);
  };
  assert.match(await refusalOf(policyOf({ id: 'own\0' })), /^\["VAL_INVALID_VALUE",.*NUL/);
  assert.match(await refusalOf(`{"id":"other",${policyOf({ id: 'own' }).slice(1)}`), /^\["VAL_INVALID_VALUE",.*twice/);
  assert.match(await refusalOf(policyOf({ id: 'x'.repeat(201) })), /^\["VAL_TOO_LONG",.*"field":"id"/);
  assert.match(await refusalOf(policyOf({ version: '1#kevFloor' })), /^\["VAL_INVALID_FORMAT",.*"field":"version"/);
});

test('versions are listed with the time of their publication, the one in force first and the default last', async () => {
  await using app = await scannerApp();
  const LIST = '{ scorePolicies { id version publishedAt document } }';
  const versions = async (who = as) => Parse(Listed, (await app.graph(LIST, {}, who)).data).scorePolicies;
  for (const version of ['1', '2']) {
    await app.graph(PUBLISH, { policy: policyOf({ id: 'own', version, kevFloor: 850_000 }) }, as);
    await app.clock.advance(1_000);
  }
  const [newest, before, ...others] = await versions();
  assert.deepEqual([newest?.version, before?.version], ['2', '1']);
  assert.ok(String(newest?.publishedAt) > String(before?.publishedAt));
  assert.deepEqual(
    others.map(({ id, publishedAt, document }) => [id, publishedAt, document]),
    [['default', null, JSON.stringify(DEFAULT_POLICY)]],
  );
  assert.deepEqual(await versions({ as: people['other-scan-operator'] }), others);
});
