import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { createAuthority } from '../index.ts';
import { createFirstAdmin, parseAdmin } from './first-admin.ts';

const MINUTE = 60_000;

const emptyInstallation = () =>
  testApp({
    createModule: (deps) =>
      createAuthority(deps, {
        issuer: 'http://127.0.0.1:4001',
        baseUrl: 'http://platform.invalid',
        audience: 'landfall',
        accessTokenMs: 15 * MINUTE,
        codeMs: MINUTE,
        deviceCodeMs: 600_000,
        devicePollMs: 5_000,
        requiresDpopNonce: false,
        hasMutualTls: false,
        refreshIdleMs: 60 * MINUTE,
        sessionMs: 60 * MINUTE,
        version: '0.0.0',
      }),
  });

test('the first admin gets a password that is said once; after that nobody gets in this way', async () => {
  await using app = await emptyInstallation();
  const { bootstrap } = app.module;
  const password = await createFirstAdmin(bootstrap, { tenant: 'acme', username: 'ana' });
  assert.ok(password !== undefined && password.length >= 24);
  assert.equal(await createFirstAdmin(bootstrap, { tenant: 'acme', username: 'ana' }), undefined);
  assert.equal(await createFirstAdmin(bootstrap, { tenant: 'acme', username: 'mallory' }), undefined);

  const { data } = await app.graph('{ users { edges { node { username roles } } } }');
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    users: { edges: [{ node: { username: 'ana', roles: ['admin'] } }] },
  });
});

test('--admin is a tenant and a user name', () => {
  assert.deepEqual(parseAdmin('acme/ana'), { tenant: 'acme', username: 'ana' });
  for (const text of ['', 'ana', 'acme/', '/ana', 'acme/ana/x'])
    assert.throws(() => parseAdmin(text), /write <tenant>\/<user name>/);
});
