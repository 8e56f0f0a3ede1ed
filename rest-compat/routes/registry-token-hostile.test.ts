import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { integer, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type RegistryApp, registryApp } from '@landfall/registry-token/testing/app';
import { registryTokenRoutes } from './registry-token.ts';

const start = () => registryApp(registryTokenRoutes);
const rows = table('registry.tokens', { outcome: text });
const recorded = (app: RegistryApp) =>
  app.deps.database.read(toTenantId('acme'), (query) =>
    query.list(rows, sql`select outcome from registry.tokens where tenant = 'acme'`),
  );

const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.error];

test('hostile scopes are refused, whatever is in them, and never break a row', async () => {
  await using app = await start();
  const hostile = [
    'a'.repeat(60_000),
    'x:'.repeat(30_000),
    '\u0000',
    '\ud800',
    `repository:${'a-'.repeat(30_000)}:pull`,
    'ä:ö:ü',
    ' '.repeat(59_999),
  ];
  for (const scope of hostile) {
    const accessToken = app.bound();
    const form = { grant_type: 'refresh_token', refresh_token: accessToken };
    const { status } = await app.ask({ method: 'POST', accessToken, form, scope });
    assert.equal(status, scope.trim() === '' ? 200 : 400);
  }
  const many = Array.from({ length: 101 }, (_, index) => `repository:acme/a${index}:pull`);
  const accessToken = app.bound();
  const form = { grant_type: 'refresh_token', refresh_token: accessToken };
  assert.equal((await app.ask({ method: 'POST', accessToken, form, scope: many })).status, 400);
  assert.deepEqual(app.bugs, []);
});

test('a refusal keeps little of what was sent, and a form is no longer than a hundred scopes need', async () => {
  await using app = await start();
  const accessToken = app.bound();
  const form = { grant_type: 'refresh_token', refresh_token: accessToken };
  const scope = Array.from({ length: 90 }, (_, index) => `repository:other/${'a'.repeat(180)}${index}:pull`);
  const long = await app.ask({ method: 'POST', accessToken, form, scope });
  assert.deepEqual(codeOf(long), [403, 'insufficient_scope']);
  const storedTokens = table('registry.tokens', { bytes: integer });
  const { bytes } = await app.deps.database.read(toTenantId('acme'), (query) =>
    query.get(
      storedTokens,
      sql`select length(array_to_string(scopes, ' ')) as bytes from registry.tokens where tenant = 'acme'`,
    ),
  );
  assert.ok(bytes > 1_000 && bytes <= 2_100, `${bytes} characters`);
  const larger = await app.ask({ method: 'POST', accessToken, form, scope: 'a'.repeat(70_000) });
  assert.deepEqual([larger.status, (await recorded(app)).length], [400, 1]);
  assert.deepEqual(app.bugs, []);
});

test('who cannot prove the key of a token fills no table with it, and a nonce to come again with is no refusal', async () => {
  await using app = await start();
  const accessToken = app.bound();
  for (let time = 0; time < 20; time++) assert.equal((await app.ask({ accessToken, proof: '' })).status, 401);
  assert.equal((await recorded(app)).length, 1);
  assert.equal((await app.ask({ accessToken: app.bound({ jti: 'another' }), proof: '' })).status, 401);
  assert.equal((await recorded(app)).length, 2);
  const stale = app.holder.proof({ url: app.realm, accessToken, claims: { nonce: 'stale' } });
  assert.deepEqual(codeOf(await app.ask({ accessToken, proof: stale })), [401, 'use_dpop_nonce']);
  assert.equal((await recorded(app)).length, 2);
});

test('a password that is no access token is told where to get one', async () => {
  await using app = await start();
  const authorization = `Basic ${btoa('ci:a-client-secret')}`;
  const { status, body } = await app.ask({ headers: { authorization }, proof: '' });
  assert.equal(status, 401);
  assert.match(
    body.detail,
    /^The password or token is not an access token\. Ask the authority .*landfall registry login/,
  );
});
