import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { releaseDirectory } from '../releases/release-directory.ts';
import { MAX_ENVIRONMENTS } from './environments.ts';

test('an environment has defaults for what nobody said', async () => {
  await using app = await catalogueApp();
  const { createdAt, id, ...environment } = await app.seed.environment({ name: 'Production', stageKind: 'prod' });
  assert.deepEqual(environment, {
    name: 'Production',
    orderIndex: 10,
    stageKind: 'prod',
    requiredApprovals: 1,
    approvingClientIds: [],
    separationOfDuties: 'off',
    requiredEvidence: [],
    evidencePolicy: [],
    defaultStrategy: 'all_at_once',
    strategyParams: { batchPercent: 25, canarySteps: [10, 50, 100], gate: 'manual' },
    analysis: null,
    deployTimeoutSeconds: 600,
    isExclusive: false,
    version: 1,
  });
});

// spec: 7.2/ENV_INVALID_ORDER
test('names and places on the path are taken once', async () => {
  await using app = await catalogueApp();
  const first = await app.seed.environment({ name: 'Staging', orderIndex: 5 });
  await assert.rejects(app.seed.environment({ name: 'Staging' }), refusal('RES_ALREADY_EXISTS', { name: 'Staging' }));
  await assert.rejects(app.seed.environment({ orderIndex: 5 }), refusal('ENV_INVALID_ORDER', { orderIndex: 5 }));
  const second = await app.seed.environment({ orderIndex: 6 });
  const operator = app.caller('operator');
  const change = { id: second.id, expectedVersion: second.version };
  const { environments } = app.module;
  await assert.rejects(environments.update(operator, { ...change, orderIndex: 5 }), refusal('ENV_INVALID_ORDER'));
  await assert.rejects(environments.update(operator, { ...change, name: first.name }), refusal('RES_ALREADY_EXISTS'));
});

test('an update changes what it names, in the version that was read', async () => {
  await using app = await catalogueApp();
  const { environments } = app.module;
  const operator = app.caller('operator');
  const before = await app.seed.environment();
  const change = { id: before.id, expectedVersion: 1, requiredApprovals: 2, requiredEvidence: ['sbom'] };
  const changed = await environments.update(operator, change);
  assert.deepEqual(changed, { ...before, requiredApprovals: 2, requiredEvidence: ['sbom'], version: 2 });
  await assert.rejects(
    environments.update(operator, change),
    refusal('RES_VERSION_CONFLICT', { expected: 1, actual: 2 }),
  );
  await assert.rejects(environments.update(app.caller('other-tenant'), change), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await assert.rejects(environments.update(app.caller('viewer'), change), refusal('PERM_SCOPE_DENIED'));
});

test('an environment says which evidence it expects, beside the kinds that it requires of everyone', async () => {
  await using app = await catalogueApp();
  const { environments } = app.module;
  const operator = app.caller('operator');
  const { id } = await app.seed.environment();
  const evidencePolicy = [
    { evidence: 'sbom', signer: 'builder', maxAgeDays: 30 },
    { predicateType: 'https://a.test/review' },
  ];
  const change = { id, expectedVersion: 1, requiredEvidence: ['sbom', 'vex'], evidencePolicy };
  await environments.update(operator, change);
  const tenant = toTenantId('acme');
  const required = () => app.deps.database.read(tenant, (query) => releaseDirectory.requirementsOf(query, tenant, id));
  const none = { evidence: null, predicateType: null, signer: null, maxAgeDays: null };
  assert.deepEqual(await required(), [
    { ...none, evidence: 'sbom', signer: 'builder', maxAgeDays: 30 },
    { ...none, predicateType: 'https://a.test/review' },
    { ...none, evidence: 'vex' },
  ]);
  await environments.update(operator, { id, expectedVersion: 2, name: 'Other' });
  assert.equal((await required())?.length, 3, 'what is not named stays');
  for (const wrong of [{}, { evidence: 'sbom', predicateType: 'x' }])
    await assert.rejects(
      environments.update(operator, { id, expectedVersion: 3, evidencePolicy: [wrong] }),
      refusal('VAL_REQUIRED_FIELD'),
    );
  await environments.update(operator, { id, expectedVersion: 3, evidencePolicy: [], requiredEvidence: [] });
  assert.deepEqual(await required(), []);
});

// spec: 7.2/ENV_QUOTA_EXCEEDED
test('a tenant has as many environments as its plan allows, however many ask at once', async () => {
  await using app = await catalogueApp();
  const creations = Array.from({ length: MAX_ENVIRONMENTS + 4 }, () => app.seed.environment());
  const settled = await Promise.allSettled(creations);
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.equal(refused.length, 4);
  for (const reason of refused) assert.ok(refusal('ENV_QUOTA_EXCEEDED')(reason), String(reason));
  assert.match(String(refused[0]), /Remove one that is not used, first\./);
});

test('every field that does not fit is told at once', async () => {
  await using app = await catalogueApp();
  const wrong = { name: '!', orderIndex: -1, stageKind: 'moon', requiredApprovals: 99, requiredEvidence: ['hope'] };
  const error: unknown = await app.seed.environment(wrong).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Error && 'fields' in error && Array.isArray(error.fields));
  assert.deepEqual(error.fields.map(({ field, code }) => [field, code]).toSorted(), [
    ['name', 'VAL_TOO_SHORT'],
    ['orderIndex', 'VAL_INVALID_VALUE'],
    ['requiredApprovals', 'VAL_INVALID_VALUE'],
    ['requiredEvidence.0', 'VAL_INVALID_VALUE'],
    ['stageKind', 'VAL_INVALID_VALUE'],
  ]);
});

test('the path is in order, whatever the order of its making', async () => {
  await using app = await catalogueApp();
  for (const orderIndex of [30, 10, 20]) await app.seed.environment({ orderIndex });
  const { data, errors } = await app.graph('{ environments { orderIndex stageKind targets { id } } }');
  assert.equal(errors, undefined);
  assert.deepEqual(
    JSON.parse(JSON.stringify(data)).environments,
    [10, 20, 30].map((orderIndex) => ({ orderIndex, stageKind: 'STAGE', targets: [] })),
  );
});

test('how an environment deploys is changed whole, and what is absent takes its default', async () => {
  await using app = await catalogueApp();
  const { environments } = app.module;
  const operator = app.caller('operator');
  const { id } = await app.seed.environment({ strategyParams: { batchPercent: 10, gate: 'none' } });
  const change = (expectedVersion: number, fields: object) =>
    environments.update(operator, { id, expectedVersion, ...fields });
  assert.deepEqual((await environments.get(operator, { id })).strategyParams, {
    batchPercent: 10,
    canarySteps: [10, 50, 100],
    gate: 'none',
  });
  assert.deepEqual((await change(1, { strategyParams: { canarySteps: [5, 100] } })).strategyParams, {
    batchPercent: 25,
    canarySteps: [5, 100],
    gate: 'manual',
  });
  const wrong = [
    [{ strategyParams: { canarySteps: [50, 10, 100] } }, 'strategyParams.canarySteps'],
    [{ strategyParams: { canarySteps: [10, 50] } }, 'strategyParams.canarySteps'],
    [{ strategyParams: { batchPercent: 0 } }, 'strategyParams.batchPercent'],
    [{ strategyParams: { canarySteps: [0, 100] } }, 'strategyParams.canarySteps.0'],
    [{ strategyParams: { gate: 'analysis' } }, 'strategyParams.gate'],
  ] as const;
  for (const [fields, field] of wrong)
    await assert.rejects(change(2, fields), (error: unknown) => {
      assert(refusal('VAL_INVALID_VALUE')(error), String(error));
      assert(error instanceof Fault);
      assert.deepEqual(
        error.fields.map((each) => each.field),
        [field],
      );
      return true;
    });
  await assert.rejects(
    change(2, { strategyParams: { canarySteps: Array.from({ length: 11 }, (_, i) => i + 1) } }),
    refusal('VAL_TOO_LONG'),
  );
});

test('an analysis is given, kept and taken away, but not while a gate waits for it', async () => {
  await using app = await catalogueApp();
  const { environments, integrations } = app.module;
  const operator = app.caller('operator');
  const metrics = { kind: 'metrics', name: 'Metrics', baseUrl: 'http://127.0.0.1:9' };
  const { id: integrationId } = await integrations.create(operator, metrics);
  const { id } = await app.seed.environment();
  let version = 1;
  const change = async (fields: object) => {
    const changed = await environments.update(operator, { id, expectedVersion: version, ...fields });
    version = changed.version;
    return changed;
  };
  const input = { integrationId, query: 'up', max: 0.05 };
  const complete = { ...input, min: null, intervalSeconds: 10, passes: 3, failures: 1 };
  assert.deepEqual((await change({ analysis: input, strategyParams: { gate: 'analysis' } })).analysis, complete);
  assert.deepEqual((await change({ requiredApprovals: 2 })).analysis, complete);
  await assert.rejects(change({ analysis: null }), refusal('VAL_INVALID_VALUE'));
  assert.equal((await change({ analysis: null, strategyParams: { gate: 'manual' } })).analysis, null);
  await assert.rejects(change({ analysis: { integrationId, query: 'up' } }), refusal('VAL_REQUIRED_FIELD'));
  await assert.rejects(change({ analysis: { ...input, min: 1 } }), refusal('VAL_INVALID_VALUE'));
});
