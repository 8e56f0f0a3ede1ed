import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { exampleId, toTenantId } from '@landfall/kernel/core/ids';
import { bytes, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { createHttpClient } from '@landfall/kernel/http/client';
import { parseSubnets } from '@landfall/kernel/system/address';
import { guarded } from '@landfall/kernel/system/egress';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { startVault } from './vault.fixture.ts';

const OWN_PORT = 4003;
const token = 'hvs.CAESIJ-a-token-nobody-may-read';
const privateNetworks = parseSubnets('Egress:Private', ['127.0.0.0/8', '::1/128']);
const egress = guarded({ ownPorts: new Set([OWN_PORT]), privateNetworks, allowPrivate: false });
const http = createHttpClient({ egress });
const app = await catalogueApp({}, { http });
const vault = await startVault({ token });
after(async () => {
  await app[Symbol.asyncDispose]();
  await vault[Symbol.asyncDispose]();
  await http.close();
});

const { secretProviders } = app.module;
const operator = app.caller('operator');
const create = (overrides: object = {}) =>
  secretProviders.create(operator, { name: 'main', kind: 'vault_kv', address: vault.address, token, ...overrides });

test('a provider is asked once and says what it answered', async () => {
  const { id, mount } = await create({ name: 'asked' });
  assert.equal(mount, 'secret');
  const ask = () =>
    app.graph(
      'mutation ($input: TestSecretProviderInput!) { testSecretProvider(input: $input) { name lastProbe { ok code detail } } }',
      { input: { id } },
    );
  const probe = async () => JSON.parse(JSON.stringify(await ask())).data.testSecretProvider.lastProbe;
  assert.deepEqual(await probe(), { ok: true, code: null, detail: null });
  vault.seal();
  const sealed = await probe();
  vault.breaks();
  assert.deepEqual([sealed.ok, sealed.code], [false, 'INT_CONNECTION_FAILED']);
  assert.match(sealed.detail, /Vault is sealed/);
});

test('a name, an address, a mount and a token that do not fit are told', async () => {
  const refused: readonly (readonly [object, string])[] = [
    [{ name: 'Main' }, 'VAL_INVALID_FORMAT'],
    [{ name: 'a#b' }, 'VAL_INVALID_FORMAT'],
    [{ kind: 'aws' }, 'VAL_INVALID_VALUE'],
    [{ address: 'http://vault.example:8200' }, 'VAL_INVALID_FORMAT'],
    [{ address: 'https://root:pass@vault.example' }, 'VAL_INVALID_FORMAT'],
    [{ address: 'https://vault.example/v1' }, 'VAL_INVALID_FORMAT'],
    [{ address: 'http://169.254.169.254' }, 'VAL_INVALID_FORMAT'],
    [{ address: 'https://169.254.169.254' }, 'VAL_INVALID_VALUE'],
    [{ address: `http://127.0.0.1:${OWN_PORT}` }, 'VAL_INVALID_VALUE'],
    [{ mount: '../sys' }, 'VAL_INVALID_FORMAT'],
    [{ mount: '' }, 'VAL_REQUIRED_FIELD'],
    [{ token: 'with a space' }, 'VAL_INVALID_FORMAT'],
    [{ token: 'line\nbreak' }, 'VAL_INVALID_FORMAT'],
  ];
  for (const [input, code] of refused)
    await assert.rejects(create({ name: 'odd', ...input }), refusal(code), JSON.stringify(input));
});

test('a name is taken once, and in each tenant for itself', async () => {
  await create({ name: 'once' });
  await assert.rejects(create({ name: 'once' }), refusal('RES_ALREADY_EXISTS', { name: 'once' }));
  const others = await secretProviders.list(app.caller('other-tenant'), {});
  assert.deepEqual(others, []);
  const [first] = await secretProviders.list(operator, {});
  assert.ok(first);
  await assert.rejects(secretProviders.test(app.caller('other-tenant'), { id: first.id }), refusal('RES_NOT_FOUND'));
  await assert.rejects(secretProviders.test(operator, { id: exampleId('SecretProvider') }), refusal('RES_NOT_FOUND'));
  await assert.rejects(secretProviders.test(app.caller('viewer'), { id: first.id }), refusal('PERM_SCOPE_DENIED'));
});

const events = table('kernel.events.text', { whole: text });
const sealed = table('orchestrator.secret_providers.token', { token: bytes });

test('a token is in no answer, no event, no kept answer and no row as it is', async () => {
  const input = { name: 'quiet', kind: 'vault_kv', address: vault.address, token, idempotencyKey: 'once' };
  const first = await secretProviders.create(operator, input);
  assert.deepEqual(await secretProviders.create(operator, input), first);
  await secretProviders.test(operator, { id: first.id });
  const answer = await app.graph('{ secretProviders { id name address mount version lastProbe { detail } } }', {});
  assert.ok(JSON.stringify(answer).includes('quiet'));
  const rows = await app.rows(events, sql`select e::text as whole from kernel.events e`);
  assert.ok(rows.some(({ whole: complete }) => complete.includes('quiet')));
  const tokens = await app.rows(sealed, sql`select token from orchestrator.secret_providers`);
  assert.ok(tokens.length > 0);
  for (const message of [
    JSON.stringify([first, answer]),
    ...rows.map(({ whole: complete }) => complete),
    ...tokens.map((row) => row.token),
  ])
    assert.ok(!message.includes(token));
});

// spec: 7.2/SYS_VAULT_ERROR
test('a token that was moved to another provider does not open', async () => {
  const a = await create({ name: 'from' });
  const b = await create({ name: 'into' });
  await app.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`update orchestrator.secret_providers b set token = a.token
      from orchestrator.secret_providers a where a.id = ${a.id} and b.id = ${b.id}`),
  );
  const before = vault.requests.length;
  const { probeOk, probeCode } = await secretProviders.test(operator, { id: b.id });
  assert.deepEqual([probeOk, probeCode], [false, 'SYS_VAULT_ERROR']);
  assert.equal(vault.requests.length, before);
});
