import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { startVault } from './vault.fixture.ts';
import { createVault, type VaultAccess } from './vault.ts';

const token = 'hvs.CAESIJ-a-token-nobody-may-read';
const vault = await startVault({ token, mount: 'team/kv' });
const http = createHttpClient({ egress: openEgress });
const client = createVault(http);
after(async () => {
  await http.close();
  await vault[Symbol.asyncDispose]();
});

const access: VaultAccess = {
  address: vault.address,
  mount: 'team/kv',
  token,
  tenant: toTenantId('acme'),
  correlationId: 'test',
};

const fault = async (path: string, overrides: Partial<VaultAccess> = {}): Promise<Fault> => {
  const answer = await client.read({ ...access, ...overrides }, path);
  assert.ok(answer instanceof Fault, 'expected a refusal');
  assert.ok(!JSON.stringify([answer.message, answer.details]).includes(token), answer.message);
  return answer;
};

test('a secret is read by its path, all of its keys at once', async () => {
  vault.put('shop/db', { password: 'correct horse', user: 'shop' });
  assert.deepEqual(await client.read(access, 'shop/db'), { password: 'correct horse', user: 'shop' });
  assert.equal(vault.requests.at(-1), 'team/kv/data/shop/db');
});

test('what was never there and what was deleted are both missing', async () => {
  assert.equal((await fault('shop/none')).code, 'INT_RESOURCE_NOT_FOUND');
  vault.delete('shop/gone');
  assert.equal((await fault('shop/gone')).code, 'INT_RESOURCE_NOT_FOUND');
  const other = await fault('shop/db', { mount: 'other' });
  assert.equal(other.code, 'INT_RESOURCE_NOT_FOUND');
  assert.match(other.message, /route entry not found/);
});

test('what is kept from us is refused in Vault’s own words, on one line and without the token', async () => {
  vault.forbid('shop/root');
  const refused = await fault('shop/root');
  assert.equal(refused.code, 'INT_AUTH_FAILED');
  assert.match(refused.message, /team\/kv\/shop\/root to our token \(403\): 1 error occurred: \* permission denied$/);
  const wrong = await fault('shop/db', { token: 'hvs.wrong' });
  assert.match(wrong.message, /bad token \*\*\*$/);
});

test('a vault that is sealed, fails, limits, redirects or talks nonsense is none that has no secret', async () => {
  const html = (status: number, headers: Record<string, string> = {}) =>
    vault.breaks((response) => response.writeHead(status, headers).end('<html>'));
  vault.seal();
  const sealed = await fault('shop/db');
  assert.equal(sealed.code, 'INT_CONNECTION_FAILED');
  assert.match(sealed.message, /\(503\): Vault is sealed$/);
  for (const [status, code] of [
    [500, 'INT_CONNECTION_FAILED'],
    [412, 'INT_INVALID_RESPONSE'],
    [429, 'INT_RATE_LIMITED'],
    [200, 'INT_INVALID_RESPONSE'],
  ] as const) {
    html(status);
    assert.equal((await fault('shop/db')).code, code, String(status));
  }
  html(307, { location: 'http://127.0.0.1:1/v1/team/kv/data/shop/db' });
  assert.match((await fault('shop/db')).message, /name the active node/);
  vault.breaks();
});

test('a vault that hangs, trickles or never ends is not waited for', async () => {
  vault.breaks(() => undefined);
  assert.equal((await fault('shop/db')).code, 'INT_TIMEOUT');
  vault.breaks((response) => {
    response.writeHead(200);
    const more = setInterval(() => response.write(' '.repeat(256 * 1024)), 1);
    response.once('close', () => clearInterval(more));
  });
  assert.equal((await fault('shop/db')).code, 'INT_INVALID_RESPONSE');
  vault.breaks();
  assert.equal((await fault('shop/db', { address: 'http://127.0.0.1:9' })).code, 'INT_CONNECTION_FAILED');
});

test('a mount is asked what it is: token, engine and version', async () => {
  assert.equal(await client.ping(access), undefined);
  assert.equal((await client.ping({ ...access, token: 'hvs.wrong' }))?.code, 'INT_AUTH_FAILED');
  assert.equal((await client.ping({ ...access, mount: 'other' }))?.code, 'INT_RESOURCE_NOT_FOUND');
  await using first = await startVault({ token, engineVersion: '1' });
  assert.match(
    (await client.ping({ ...access, address: first.address, mount: 'secret' }))?.message ?? '',
    /secret is an engine of type kv, not KV version 2/,
  );
});
