import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hasTenant } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id } from '@landfall/kernel/core/ids';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { startMetricsServer, vector } from '../../testing/metrics-server.ts';
import { createMetrics } from './metrics.ts';

const app = await catalogueApp();
const server = await startMetricsServer();
after(async () => {
  await app[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const { integrations, environments, releases } = app.module;
const operator = app.caller('operator');
const create = (overrides: object) =>
  integrations.create(operator, { kind: 'metrics', name: 'Metrics', baseUrl: server.origin, ...overrides });
const metrics = createMetrics(app.deps);
const query = (id: Id<'Integration'>, promql = 'up') => {
  assert.ok(hasTenant(operator));
  return metrics.query(operator, id, promql);
};

test('a query goes as it is to the server’s address, and its numbers come back, one for each series', async () => {
  const { id, baseUrl } = await create({ name: 'Path', baseUrl: `${server.origin}/prometheus/` });
  assert.equal(baseUrl, `${server.origin}/prometheus`);
  server.answers(200, vector('0.5', '1e3', '-Inf', '+Inf', 'NaN'));
  assert.deepEqual(await query(id, 'sum(rate(x{a="&b=c"}[1m]))'), [0.5, 1000, -Infinity, Infinity, Number.NaN]);
  const request = server.asked.at(-1);
  assert.equal(request?.url.pathname, '/prometheus/api/v1/query');
  assert.deepEqual([...(request?.url.searchParams ?? [])], [['query', 'sum(rate(x{a="&b=c"}[1m]))']]);
  assert.equal(request?.authorization, undefined);
  server.answers(200, { status: 'success', data: { resultType: 'scalar', result: [1, '2'] } });
  assert.deepEqual(await query(id), [2]);
  server.answers(200, vector());
  assert.deepEqual(await query(id), []);
});

test('a user and password go as Basic, a password alone as Bearer, and neither comes back', async () => {
  const basic = await create({ name: 'Basic', username: 'robot', password: 'correct horse' });
  const bearer = await create({ name: 'Bearer', password: 'glsa_token' });
  server.answers(400, { status: 'error', errorType: 'bad_data', error: 'no\ngood: Bearer glsa_token' });
  await query(basic.id);
  assert.equal(server.asked.at(-1)?.authorization, `Basic ${Buffer.from('robot:correct horse').toString('base64')}`);
  const answer = await query(bearer.id);
  assert.equal(server.asked.at(-1)?.authorization, 'Bearer glsa_token');
  assert.ok(answer instanceof Fault);
  assert.match(answer.message, /answered 400: no good: \*\*\*$/);
  await assert.rejects(create({ name: 'Half', username: 'robot' }), refusal('VAL_REQUIRED_FIELD'));
  await assert.rejects(create({ name: 'Odd', password: 'no token' }), refusal('VAL_INVALID_FORMAT'));
});

test('an answer that is none says what it is instead', async () => {
  const { id } = await create({ name: 'Broken' });
  const cases: readonly (readonly [number, unknown, string])[] = [
    [401, '', 'INT_AUTH_FAILED'],
    [404, '<html>', 'INT_RESOURCE_NOT_FOUND'],
    [422, { status: 'error', error: 'query timed out' }, 'INT_INVALID_RESPONSE'],
    [429, '', 'INT_RATE_LIMITED'],
    [503, '', 'INT_CONNECTION_FAILED'],
    [302, '', 'INT_INVALID_RESPONSE'],
    [200, '<html>', 'INT_INVALID_RESPONSE'],
    [200, { status: 'success', data: { resultType: 'matrix', result: [] } }, 'INT_INVALID_RESPONSE'],
    [200, { status: 'error', error: 'odd' }, 'INT_INVALID_RESPONSE'],
    [200, ' '.repeat(5 * 1024 * 1024), 'INT_INVALID_RESPONSE'],
  ];
  for (const [status, body, code] of cases) {
    server.answers(status, body);
    const answer = await query(id);
    assert.equal(answer instanceof Fault && answer.code, code, `${status} ${String(body).slice(0, 40)}`);
  }
  const removed = await query(exampleId('Integration'));
  assert.equal(removed instanceof Fault && removed.code, 'RES_NOT_FOUND');
});

test('a metrics server is tested by a query, and is no registry of its host', async () => {
  const { id, host } = await create({ name: 'Beside', password: 'glsa_token' });
  server.answers(200, vector('1'));
  assert.equal((await integrations.test(operator, { id })).probeOk, true);
  assert.equal(server.asked.at(-1)?.url.searchParams.get('query'), 'vector(1)');
  server.answers(503, '');
  assert.equal((await integrations.test(operator, { id })).probeCode, 'INT_CONNECTION_FAILED');

  await integrations.create(operator, { kind: 'registry', name: 'Registry here', baseUrl: server.origin });
  await create({ name: 'Beside again' });
  server.answers(401, '');
  const components = [{ name: 'api', repository: `${host}/shop/api`, tag: '1' }];
  const release = await app.seed.draft({ components });
  await releases.finalize(operator, { id: release.id, expectedVersion: release.version }).catch(() => undefined);
  assert.equal(server.asked.at(-1)?.url.pathname, '/v2/shop/api/manifests/1');
  assert.equal(server.asked.at(-1)?.authorization, undefined);
});

test('an environment’s analysis names a metrics server that is there, and a query that can be filled in', async () => {
  const { id: integrationId } = await create({ name: 'Judge' });
  const registry = await integrations.create(operator, { kind: 'registry', name: 'Far', baseUrl: 'https://r.example' });
  const environment = await app.seed.environment();
  const save = (analysis: object | null, expectedVersion = environment.version) =>
    environments.update(operator, { id: environment.id, expectedVersion, analysis });
  const policy = { integrationId, query: 'up{d=~"{{digests}}"}', max: 0.1 };
  await assert.rejects(save({ ...policy, integrationId: exampleId('Integration') }), refusal('RES_NOT_FOUND'));
  await assert.rejects(save({ ...policy, integrationId: registry.id }), refusal('VAL_INVALID_VALUE'));
  await assert.rejects(save({ ...policy, query: 'up{d={{digests}}}' }), refusal('VAL_INVALID_FORMAT'));
  await assert.rejects(save({ ...policy, query: 'up{d="{{nothing}}"}' }), refusal('VAL_INVALID_FORMAT'));
  await assert.rejects(save({ integrationId, query: 'up' }), refusal('VAL_REQUIRED_FIELD'));
  const saved = await save(policy);
  assert.deepEqual(saved.analysis, { ...policy, min: null, intervalSeconds: 10, passes: 3, failures: 1 });
  const { data } = await app.graph(
    'query ($id: ID!) { environment(id: $id) { analysis { query max integration { name kind } } } }',
    { id: environment.id },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).environment.analysis, {
    query: policy.query,
    max: 0.1,
    integration: { name: 'Judge', kind: 'METRICS' },
  });
  assert.equal((await save(null, saved.version)).analysis, null);
});
