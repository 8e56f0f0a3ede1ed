import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';

const credentials = { username: 'robot', password: 'correct horse' };
const app = await catalogueApp({ credentials });
after(() => app[Symbol.asyncDispose]());

const { integrations, environments } = app.module;
const operator = app.caller('operator');
const baseUrl = app.registry.origin;

test('an integration is tried before it is saved, and nothing of it is kept', async () => {
  const attempt = (input: object) => integrations.try(operator, { kind: 'registry', baseUrl, ...input });
  const wrong = await attempt({ username: 'robot', password: 'wrong' });
  assert.deepEqual([wrong.ok, wrong.code], [false, 'INT_AUTH_FAILED']);
  assert.deepEqual(await attempt(credentials), { ok: true, code: null, detail: null, at: app.clock.now() });
  const absent = await attempt({ baseUrl: 'http://127.0.0.1:9' });
  assert.deepEqual([absent.ok, absent.code], [false, 'INT_CONNECTION_FAILED']);
  assert.deepEqual(await integrations.list(operator, {}), []);
  await assert.rejects(
    integrations.try(app.caller('viewer'), { kind: 'registry', baseUrl }),
    refusal('PERM_SCOPE_DENIED'),
  );
});

test('an integration is corrected, its secret rotated, and a stale page is refused', async () => {
  const created = await integrations.create(operator, {
    kind: 'registry',
    name: 'Main',
    baseUrl: 'https://registry.exmaple',
    username: 'robot',
    password: 'old',
  });
  const { id } = created;
  await assert.rejects(
    integrations.update(operator, { id, expectedVersion: created.version, baseUrl }),
    refusal('VAL_REQUIRED_FIELD'),
    'saved credentials do not follow to another address',
  );
  const moved = await integrations.update(operator, {
    id,
    expectedVersion: created.version,
    baseUrl,
    password: 'older',
  });
  assert.deepEqual([moved.host, moved.probeAt], [new URL(baseUrl).host, null]);
  assert.equal((await integrations.test(operator, { id })).probeCode, 'INT_AUTH_FAILED');
  const { version } = await integrations.get(operator, { id });
  const rotated = await integrations.update(operator, { id, expectedVersion: version, password: credentials.password });
  assert.equal((await integrations.test(operator, { id })).probeOk, true);
  assert.equal((await integrations.try(operator, { id, kind: 'registry', baseUrl })).ok, true);
  await assert.rejects(
    integrations.update(operator, { id, expectedVersion: created.version, name: 'Stale' }),
    refusal('RES_VERSION_CONFLICT'),
  );
  const current = await integrations.get(operator, { id });
  const open = await integrations.update(operator, { id, expectedVersion: current.version, removeCredentials: true });
  assert.equal(open.credentials, null);
  assert.ok(rotated.version > moved.version);
  await integrations.remove(operator, { id, expectedVersion: open.version });
});

test('a disabled registry is not asked, by releases or by agents, until it is enabled', async () => {
  const { id, version } = await integrations.create(operator, {
    kind: 'registry',
    name: 'Paused',
    baseUrl,
    ...credentials,
  });
  const off = await integrations.disable(operator, { id, expectedVersion: version });
  assert.deepEqual(off.disabledAt, app.clock.now());
  const draft = await app.seed.draft();
  const finalize = () => app.module.releases.finalize(operator, { id: draft.id, expectedVersion: draft.version });
  await assert.rejects(finalize(), refusal('INT_CONNECTION_FAILED', { cause: 'disabled' }));
  await integrations.enable(operator, { id, expectedVersion: off.version });
  assert.equal((await finalize()).status, 'finalized');
});

test('a disabled integration is not tested, and its registry is sent nothing, until it is enabled', async () => {
  const [registry] = await integrations.list(operator, {});
  assert.ok(registry);
  const { id, name, version } = registry;
  const off = await integrations.disable(operator, { id, expectedVersion: version });
  const requestCount = app.registry.requests.length;
  await assert.rejects(integrations.test(operator, { id }), (error) => {
    assert.ok(error instanceof Fault);
    assert.deepEqual([error.code, error.details], ['RES_CONFLICT', { id, disabledAt: app.clock.now().toISOString() }]);
    assert.match(error.message, new RegExp(`^The integration ${name} is disabled, .* Enable it first\\.$`));
    return true;
  });
  assert.equal(app.registry.requests.length, requestCount);
  assert.equal((await integrations.get(operator, { id })).version, off.version, 'the last answer stays');
  await integrations.enable(operator, { id, expectedVersion: off.version });
  assert.equal((await integrations.test(operator, { id })).probeOk, true);
});

test('saved credentials of a disabled integration are sent nowhere by a trial; new ones may be tried', async () => {
  const [registry] = await integrations.list(operator, {});
  assert.ok(registry);
  const { id, version } = registry;
  const off = await integrations.disable(operator, { id, expectedVersion: version });
  const attempt = (input: object) => integrations.try(operator, { id, kind: 'registry', baseUrl, ...input });
  const requestCount = app.registry.requests.length;
  await assert.rejects(attempt({}), refusal('RES_CONFLICT', { id, disabledAt: app.clock.now().toISOString() }));
  assert.equal(app.registry.requests.length, requestCount);
  assert.equal((await attempt(credentials)).ok, true);
  await integrations.enable(operator, { id, expectedVersion: off.version });
  assert.equal((await attempt({})).ok, true);
});

test('an integration in use is neither removed nor sent to another host, and the refusal says where', async () => {
  const [registry] = await integrations.list(operator, {});
  assert.ok(registry);
  const metrics = await integrations.create(operator, {
    kind: 'metrics',
    name: 'Metrics',
    baseUrl: 'https://metrics.example',
  });
  const environment = await app.seed.environment({ name: 'Judged' });
  await environments.update(operator, {
    id: environment.id,
    expectedVersion: environment.version,
    analysis: { integrationId: metrics.id, query: 'errors', max: 1 },
  });
  const remove = ({ id, version }: { id: string; version: number }) =>
    integrations.remove(operator, { id, expectedVersion: version });
  const release = await app.module.releases.list(operator, {});
  const [used] = release.items;
  assert.ok(used);
  await assert.rejects(
    remove(registry),
    refusal('RES_CONFLICT', {
      usedBy: [{ type: 'Release', id: used.id, name: `${used.name} ${used.semver}` }],
    }),
  );
  await assert.rejects(
    remove(metrics),
    refusal('RES_CONFLICT', { usedBy: [{ type: 'Environment', id: environment.id, name: 'Judged' }] }),
  );
  await assert.rejects(
    integrations.update(operator, {
      id: registry.id,
      expectedVersion: registry.version,
      baseUrl: 'https://elsewhere.example',
      password: 'x',
    }),
    refusal('RES_CONFLICT'),
  );
  await assert.rejects(
    integrations.remove(app.caller('other-tenant'), { id: metrics.id, expectedVersion: 1 }),
    refusal('RES_NOT_FOUND'),
  );
});

test('a registry that a release source polls is not removed, and the refusal names the source', async () => {
  const origin = 'https://sources.example';
  const created = await integrations.create(operator, { kind: 'registry', name: 'Polled', baseUrl: origin });
  const { id: productId } = await app.module.products.create(operator, { name: 'polled' });
  const source = await app.module.sources.create(operator, {
    productId,
    component: 'web',
    repository: 'sources.example/web',
    selection: { tag: 'stable' },
  });
  const remove = () => integrations.remove(operator, { id: created.id, expectedVersion: created.version });
  const usedBy = [{ type: 'ReleaseSource', id: source.id, name: 'polled web' }];
  await assert.rejects(remove(), refusal('RES_CONFLICT', { usedBy }));
  await app.module.sources.remove(operator, { id: source.id, expectedVersion: source.version });
  await remove();
});
