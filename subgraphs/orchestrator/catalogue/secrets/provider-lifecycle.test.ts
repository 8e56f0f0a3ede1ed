import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { admit } from '@landfall/kernel/operation/operation';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { createSecretSource } from './secret-source.ts';
import { startVault } from './vault.fixture.ts';
import { createVaults } from './vaults.ts';

const token = 'hvs.a-token';
const app = await catalogueApp();
const vault = await startVault({ token });
after(async () => {
  await app[Symbol.asyncDispose]();
  await vault[Symbol.asyncDispose]();
});

const { secretProviders, variableSets } = app.module;
const operator = app.caller('operator');
const kind = 'vault_kv';
const create = (name: string, overrides: object = {}) =>
  secretProviders.create(operator, { name, kind, address: vault.address, token, ...overrides });

test('a vault is tried before it is saved, and nothing of it is kept', async () => {
  const attempt = (overrides: object) => secretProviders.try(operator, { kind, address: vault.address, ...overrides });
  assert.equal((await attempt({ token })).ok, true);
  assert.equal((await attempt({ token: 'wrong' })).code, 'INT_AUTH_FAILED');
  await assert.rejects(attempt({}), refusal('VAL_REQUIRED_FIELD'));
  assert.deepEqual(await secretProviders.list(operator, {}), []);
});

test('a provider is corrected and its token rotated; a saved token goes to no other address', async () => {
  const { id, version } = await create('moved', { address: 'https://vault.exmaple', token: 'old' });
  const update = (expectedVersion: number, overrides: object) =>
    secretProviders.update(operator, { id, expectedVersion, ...overrides });
  await assert.rejects(update(version, { address: vault.address }), refusal('VAL_REQUIRED_FIELD'));
  await assert.rejects(
    secretProviders.try(operator, { id, kind, address: vault.address }),
    refusal('VAL_REQUIRED_FIELD'),
  );
  const moved = await update(version, { address: vault.address, token: 'older' });
  assert.deepEqual([moved.address, moved.probeAt], [vault.address, null]);
  const rotated = await update(moved.version, { token });
  assert.equal((await secretProviders.test(operator, { id })).probeOk, true);
  await assert.rejects(update(rotated.version, { mount: 'other' }), refusal('RES_VERSION_CONFLICT'));
});

test('a provider is removed only once no variables of an environment refer to it', async () => {
  const { id, version } = await create('used');
  const environment = await app.seed.environment({ name: 'Served' });
  const save = (expectedVersion: number, variables: readonly object[]) =>
    variableSets.save(operator, { environmentId: environment.id, expectedVersion, variables });
  await save(0, [{ name: 'PASSWORD', secret: 'vault:used/shop/db#password' }]);
  const remove = () => secretProviders.remove(operator, { id, expectedVersion: version });
  await assert.rejects(
    remove(),
    refusal('RES_CONFLICT', { usedBy: [{ type: 'VariableSet', id: environment.id, name: 'Served' }] }),
  );
  await save(1, [{ name: 'PASSWORD', value: 'plain' }]);
  assert.equal((await remove()).name, 'used');
  await assert.rejects(remove(), refusal('RES_NOT_FOUND'));
});

test('a disabled provider is not asked for a secret until it is enabled', async () => {
  const { id, version } = await create('paused');
  const source = createSecretSource({ ...app.deps, vaults: createVaults(app.deps) });
  const reference = 'vault:paused/shop/absent#key';
  const resolved = async () =>
    (await source.fromVaults(admit(operator, secretProviders.list.spec), [reference])).get(reference);
  const off = await secretProviders.disable(operator, { id, expectedVersion: version });
  assert.deepEqual(off.disabledAt, app.clock.now());
  assert.deepEqual(await resolved(), { status: 'unavailable', detail: 'the secret provider paused is disabled' });
  assert.equal((await secretProviders.enable(operator, { id, expectedVersion: off.version })).disabledAt, null);
  assert.equal((await resolved())?.status, 'missing');
});

test('a disabled provider is not tested, and its vault is sent nothing, until it is enabled', async () => {
  const { id, version } = await create('untested');
  const off = await secretProviders.disable(operator, { id, expectedVersion: version });
  const requestCount = vault.requests.length;
  await assert.rejects(secretProviders.test(operator, { id }), refusal('RES_CONFLICT', { id }));
  assert.equal(vault.requests.length, requestCount);
  await secretProviders.enable(operator, { id, expectedVersion: off.version });
  assert.equal((await secretProviders.test(operator, { id })).probeOk, true);
  assert.ok(vault.requests.length > requestCount);
});

test('the saved token of a disabled provider is sent nowhere by a trial; a new one may be tried', async () => {
  const { id, version } = await create('untried');
  const off = await secretProviders.disable(operator, { id, expectedVersion: version });
  const attempt = (overrides: object) =>
    secretProviders.try(operator, { id, kind, address: vault.address, ...overrides });
  const requestCount = vault.requests.length;
  await assert.rejects(attempt({}), refusal('RES_CONFLICT', { id }));
  assert.equal(vault.requests.length, requestCount);
  assert.equal((await attempt({ token })).ok, true);
  await secretProviders.enable(operator, { id, expectedVersion: off.version });
  assert.equal((await attempt({})).ok, true);
});
