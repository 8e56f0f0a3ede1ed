import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { exampleId } from '@landfall/kernel/core/ids';
import { bytes } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';

const credentials = { username: 'robot', password: 'correct horse' };
const app = await catalogueApp({ credentials });
after(() => app[Symbol.asyncDispose]());

const { integrations, releases } = app.module;
const operator = app.caller('operator');
const create = (overrides: object = {}) =>
  integrations.create(operator, { kind: 'registry', name: 'Registry', baseUrl: app.registry.origin, ...overrides });

test('an address is an origin over TLS, or on this machine', async () => {
  const refused = [
    'registry.example',
    'ftp://registry.example',
    'http://registry.example',
    'https://registry.example/v2',
    'https://robot:secret@registry.example',
    'https://registry.example/?x=1',
  ];
  for (const baseUrl of refused) await assert.rejects(create({ baseUrl }), refusal('VAL_INVALID_FORMAT'), baseUrl);
  const { baseUrl, host } = await create({ name: 'Far', baseUrl: 'https://Registry.Example:8443/' });
  assert.deepEqual([baseUrl, host], ['https://registry.example:8443', 'registry.example:8443']);
});

test('a name, a host and credentials come once and in pairs', async () => {
  await create({ name: 'Once', baseUrl: 'https://once.example' });
  await assert.rejects(
    create({ name: 'Once', baseUrl: 'https://x.example' }),
    refusal('RES_ALREADY_EXISTS', { name: 'Once' }),
  );
  await assert.rejects(
    create({ name: 'Twice', baseUrl: 'https://once.example' }),
    refusal('RES_ALREADY_EXISTS', { host: 'once.example' }),
  );
  const pair = { name: 'Pair', baseUrl: 'https://pair.example' };
  await assert.rejects(create({ ...pair, username: 'robot' }), refusal('VAL_REQUIRED_FIELD'));
  await assert.rejects(create({ ...pair, password: 'secret' }), refusal('VAL_REQUIRED_FIELD'));
});

// spec: rulings/53
test('a release from a registry that asks for credentials is finalized once they are known', async () => {
  const digest = app.registry.push('shop/api', imageOf('private'), '1');
  const components = [{ name: 'api', repository: app.registry.repository('shop/api'), tag: '1' }];
  const { id, version } = await app.seed.draft({ components });
  const finalize = () => releases.finalize(operator, { id, expectedVersion: version });
  await assert.rejects(finalize(), refusal('INT_AUTH_FAILED', { component: 'api' }));

  const registry = await create({ name: 'Private', ...credentials });
  const probed = await integrations.test(operator, { id: registry.id });
  assert.deepEqual([probed.probeOk, probed.probeCode, probed.probeAt], [true, null, app.clock.now()]);
  assert.equal((await finalize()).components[0]?.digest, digest);
});

const sealed = table('orchestrator.integrations.sealed', { credentials: bytes });

test('credentials are sealed in the database and in no answer', async () => {
  const rows = await app.rows(
    sealed,
    sql`select credentials from orchestrator.integrations where credentials is not null`,
  );
  assert.ok(rows.length > 0);
  for (const row of rows) assert.ok(!row.credentials.includes(credentials.password));
  const { data, errors } = await app.graph('{ integrations { id name kind baseUrl version } }');
  assert.equal(errors, undefined);
  assert.ok(!JSON.stringify(data).includes(credentials.password));
});

test('a test of an integration says what the remote answered, and is no error', async () => {
  const { id } = await create({ name: 'Absent', baseUrl: 'http://127.0.0.1:9' });
  const { data, errors } = await app.graph(
    'mutation ($input: TestIntegrationInput!) { testIntegration(input: $input) { version lastProbe { ok code at } } }',
    { input: { id } },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)).testIntegration, {
    version: 2,
    lastProbe: { ok: false, code: 'INT_CONNECTION_FAILED', at: app.clock.now().toISOString() },
  });
  await assert.rejects(integrations.test(operator, { id: exampleId('Integration') }), refusal('RES_NOT_FOUND'));
  await assert.rejects(integrations.test(app.caller('other-tenant'), { id }), refusal('RES_NOT_FOUND'));
});
