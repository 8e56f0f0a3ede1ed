import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { deployingApp, landedAt, leased } from '../../testing/deploying-app.ts';

const plain = (name: string, value: string) => ({ name, value });

test('a version is appended to the one that the caller saw, and none is changed', async () => {
  await using app = await catalogueApp();
  const { id: environmentId } = await app.seed.environment();
  const save = (expectedVersion: number, ...variables: object[]) =>
    app.module.variableSets.save(app.caller('operator'), { environmentId, expectedVersion, variables });
  assert.equal((await save(0, plain('LOG', 'info'))).version, 1);
  assert.equal((await save(1, plain('LOG', 'debug'), { name: 'KEY', secret: 'vault:main/a#b' })).version, 2);
  await assert.rejects(save(1), refusal('RES_VERSION_CONFLICT', { expected: 1, actual: 2 }));
  await assert.rejects(save(3), refusal('RES_VERSION_CONFLICT', { expected: 3, actual: 2 }));
  const { data } = await app.graph(
    `query ($id: ID!) { environment(id: $id) {
      variableSet { version variables { name value secret } createdBy { id } environment { id } }
      variableSets { version variables { name value } } } }`,
    { id: environmentId },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).environment, {
    variableSet: {
      version: 2,
      variables: [
        { name: 'LOG', value: 'debug', secret: null },
        { name: 'KEY', value: null, secret: 'vault:main/a#b' },
      ],
      createdBy: { id: app.caller('operator').subject },
      environment: { id: environmentId },
    },
    variableSets: [
      { version: 2, variables: [plain('LOG', 'debug'), { name: 'KEY', value: null }] },
      { version: 1, variables: [plain('LOG', 'info')] },
    ],
  });
});

test('of many who saw the same version one saves, and the others are told', async () => {
  await using app = await catalogueApp();
  const { id: environmentId } = await app.seed.environment();
  const saves = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) =>
      app.module.variableSets.save(app.caller('operator'), {
        environmentId,
        expectedVersion: 0,
        variables: [plain('WHO', String(i))],
      }),
    ),
  );
  assert.equal(saves.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const each of saves)
    if (each.status === 'rejected') assert.ok(refusal('RES_VERSION_CONFLICT', { expected: 0 })(each.reason));
});

test('a variable has a name of its own, and a value or a secret', async () => {
  await using app = await catalogueApp();
  const { id: environmentId } = await app.seed.environment();
  const save = (variables: object[], overrides: object = {}) =>
    app.module.variableSets.save(app.caller('operator'), {
      environmentId,
      expectedVersion: 0,
      variables,
      ...overrides,
    });
  const refused: readonly (readonly [object[], string])[] = [
    [[plain('A', '1'), plain('A', '2')], 'VAL_INVALID_VALUE'],
    [[{ name: 'A' }], 'VAL_REQUIRED_FIELD'],
    [[{ name: 'A', value: '', secret: 'key' }], 'VAL_INVALID_VALUE'],
    [[plain('1A', '')], 'VAL_INVALID_FORMAT'],
    [[{ name: 'A', secret: 'vault:nowhere' }], 'VAL_INVALID_FORMAT'],
    [[plain('A', 'x'.repeat(32_769))], 'VAL_TOO_LONG'],
    [Array.from({ length: 201 }, (_, i) => plain(`A${i}`, '')), 'VAL_TOO_LONG'],
    [Array.from({ length: 65 }, (_, i) => ({ name: `A${i}`, secret: 'key' })), 'VAL_TOO_LONG'],
  ];
  for (const [variables, code] of refused)
    await assert.rejects(save(variables), refusal(code), JSON.stringify(variables).slice(0, 80));
  await assert.rejects(save([], { environmentId: exampleId('Environment') }), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await assert.rejects(
    app.module.variableSets.save(app.caller('other-tenant'), { environmentId, expectedVersion: 0, variables: [] }),
    refusal('RES_ENVIRONMENT_NOT_FOUND'),
  );
  assert.deepEqual((await save([plain('EMPTY', '')])).variables, [{ name: 'EMPTY', value: '', secret: null }]);
});

const events = table('kernel.events.text', { whole: text });

test('the trail names the variables and tells no value', async () => {
  await using app = await catalogueApp();
  const { id: environmentId } = await app.seed.environment();
  const variables = [plain('LICENCE', 'nobodys-business'), { name: 'KEY', secret: 'db/password' }];
  await app.module.variableSets.save(app.caller('operator'), { environmentId, expectedVersion: 0, variables });
  const rows = await app.rows(
    events,
    sql`select e::text as whole from kernel.events e where type = 'variableSet.save'`,
  );
  assert.match(rows[0]?.whole ?? '', /LICENCE.*db\/password/);
  for (const { whole: complete } of rows) assert.ok(!complete.includes('nobodys-business'));
});

test('a deployment runs with the version that was newest at its launch, whatever is saved while it runs', async () => {
  await using app = await deployingApp();
  const agent = await app.register();
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const operator = app.caller('operator');
  const target = { config: { port: 20_500, env: [plain('OWN', 'target')] } };
  await app.seed.target(environment, agent, target);
  const save = (expectedVersion: number, ...variables: object[]) =>
    app.module.variableSets.save(operator, { environmentId: environment.id, expectedVersion, variables });
  await save(0, plain('LEVEL', 'one'), plain('OWN', 'set'));
  const release = await app.seed.ready();
  const promotion = await app.seed.approved(release, environment);
  const { id } = await app.module.deployments.launch(operator, { promotionId: promotion.id });
  await save(1, plain('LEVEL', 'two'));
  await app.module.runOnce.runner();
  const assignment = await leased(app, agent);
  assert.deepEqual(assignment.task.spec.env, { LEVEL: 'one', OWN: 'target' });
  await app.report(agent, assignment, 1, landedAt(assignment));
  const deployment = await app.module.deployments.get(operator, { id });
  assert.deepEqual([deployment.state, deployment.variableSetVersion], ['completed', 1]);
});
