import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administer } from '@landfall/kernel/testing/cluster';
import { authorityApp, basic } from '../testing/authority-app.ts';

test('while the database lets nobody in nothing is answered as done, and after it all goes on without a restart', async () => {
  await using app = await authorityApp();
  const authorization = basic(app.clients.ci);
  const form = { grant_type: 'client_credentials' };
  const { body } = await app.post('/token', form, { authorization });
  const token = String(body.access_token);
  const name = app.connection.database;

  await administer(
    app.connection,
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  // A client that was verified a moment ago is cached; a revocation that it requests is not done for that reason.
  const { ci, introspector } = app.clients;
  const request = [
    ['/revoke', ci],
    ['/oauth/revoke', ci],
    ['/token', introspector],
    ['/introspect', introspector],
  ] as const;
  for (const [path, client] of request) {
    const answer = await app.post(path, { ...form, token }, { authorization: basic(client) });
    assert.deepEqual([answer.status, answer.body.error], [500, 'server_error'], path);
  }
  await administer(app.connection, `alter database ${name} allow_connections true`);

  assert.equal((await app.post('/revoke', { token }, { authorization })).status, 200);
  await assert.rejects(app.callerOf(token), { code: 'AUTH_TOKEN_REVOKED' });
});
