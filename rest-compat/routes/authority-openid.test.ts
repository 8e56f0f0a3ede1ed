import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { decodeJwt } from 'jose';
import { type AuthorityApp, authorityApp, basic, CALLBACK, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar } from '../testing/browser.ts';

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());

const ACME = toTenantId('acme');

const idTokenOf = async (username: string, jar = cookieJar()): Promise<string> => {
  const signedIn = await app.signIn(username, { jar });
  return String((await app.exchange(signedIn)).body.id_token);
};

const back = (response: Response): Record<string, string> =>
  Object.fromEntries(new URL(response.headers.get('location') ?? 'missing:').searchParams);

test('a code never speaks of another person than the one of id_token_hint', async () => {
  const jar = cookieJar();
  const { challenge } = pkce();
  const hintAtAda = await idTokenOf('ada');
  const hintAtVic = await idTokenOf('vic', jar);
  const ask = (overrides: Readonly<Record<string, string>>) =>
    app.get(app.authorizeUrl({ code_challenge: challenge, ...overrides }), jar);
  assert.ok(back(await ask({ id_token_hint: hintAtVic, prompt: 'none' })).code);
  const silent = back(await ask({ id_token_hint: hintAtAda, prompt: 'none' }));
  assert.deepEqual([silent.error, silent.code], ['login_required', undefined]);
  const pageText = await ask({ id_token_hint: hintAtAda });
  assert.equal(pageText.status, 200, 'the session of somebody else is not enough');
  const page = await pageText.text();
  const other = back(await app.submit(page, jar, { username: 'vic', password: PASSWORD }));
  assert.deepEqual([other.error, other.code], ['login_required', undefined]);
  assert.ok(back(await app.submit(page, jar, { username: 'ada', password: PASSWORD })).code);
});

test('an ID token that has expired still hints; one of another client or a changed one is refused', async () => {
  const jar = cookieJar();
  const { challenge } = pkce();
  const hint = await idTokenOf('ada', jar);
  const ask = async (overrides: Readonly<Record<string, string>>) =>
    back(await app.get(app.authorizeUrl({ code_challenge: challenge, prompt: 'none', ...overrides }), jar));
  await app.clock.advance(3_600_000);
  assert.ok((await ask({ id_token_hint: hint })).code);
  assert.equal((await ask({ id_token_hint: `${hint}x` })).error, 'invalid_request');
  assert.equal((await ask({ id_token_hint: hint, client_id: app.clients.acmeApp.id })).error, 'invalid_request');
});

// spec: rulings/73
test('scopes that nobody knows are ignored at every grant, and the answer says what was granted', async () => {
  const signedIn = await app.signIn('ada', {
    scope: 'openid address offline_access https://example.com/scope orch:read',
  });
  const { body } = await app.exchange(signedIn);
  assert.equal(body.scope, 'openid offline_access orch:read');
  const refreshed = await app.refresh(body.refresh_token, undefined, { scope: 'orch:read made:up' });
  assert.equal(refreshed.body.scope, 'orch:read');
  const form = { grant_type: 'client_credentials', scope: 'orch:read made:up' };
  const own = await app.post('/token', form, { authorization: basic(app.clients.ci) });
  assert.deepEqual([own.status, own.body.scope], [200, 'orch:read']);
  const none = await app.post('/token', { ...form, scope: 'made:up' }, { authorization: basic(app.clients.ci) });
  assert.deepEqual([none.status, none.body.error], [400, 'invalid_scope']);
});

test('email and groups are told to who asks for them, in the ID token and by userinfo', async () => {
  const secret = 'a secret of the application, long enough';
  const id = await app.authority.bootstrap.ensureClient({
    ...{ tenant: 'acme', name: 'wiki', secret, grants: ['authorization_code'], redirectUris: [CALLBACK] },
    scopes: ['openid', 'email', 'groups'],
  });
  const group = '00000000-0000-7000-8000-000000000a01';
  await app.deps.database.write(ACME, async (tx) => {
    await tx.run(sql`update authority.users set email = 'vic@acme.example' where id = ${app.people.vic}`);
    await tx.run(sql`insert into authority.groups (tenant, id, display_name) values (${ACME}, ${group}, 'Shipping')`);
    await tx.run(sql`insert into authority.group_members (tenant, group_id, user_id, source)
      values (${ACME}, ${group}, ${app.people.vic}, 'directory')`);
  });
  const claimsFor = async (username: string, scope: string) => {
    const signedIn = await app.signIn(username, { client_id: id, scope });
    const { body } = await app.exchange(signedIn, { id, secret });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const answer = await (await fetch(`${app.origin}/userinfo`, { headers })).text();
    const { sub: _sub, ...info } = JSON.parse(answer);
    const { email, email_verified, groups } = decodeJwt(String(body.id_token));
    assert.deepEqual(info, JSON.parse(JSON.stringify({ email, email_verified, groups })), 'both say the same');
    return info;
  };
  const address = { email: 'vic@acme.example', email_verified: false };
  assert.deepEqual(await claimsFor('vic', 'openid email groups'), { ...address, groups: ['Shipping'] });
  assert.deepEqual(await claimsFor('vic', 'openid email'), address);
  assert.deepEqual(await claimsFor('vic', 'openid'), {});
  assert.deepEqual(await claimsFor('ada', 'openid email groups'), { groups: [] }, 'no address, no claim');
});

// spec: rulings/69
test('a native application is answered at any port of its loopback address and nowhere else', async () => {
  const secret = 'a secret of the application, long enough';
  const id = await app.authority.bootstrap.ensureClient({
    ...{ tenant: 'acme', name: 'desktop', secret, grants: ['authorization_code'], scopes: ['openid'] },
    redirectUris: ['http://127.0.0.1/callback', 'http://[::1]:4100/callback', 'http://localhost:4100/callback'],
  });
  const ask = async (address: string) => {
    const parameters = { client_id: id, scope: 'openid', redirect_uri: address, code_challenge: pkce().challenge };
    return (await app.get(app.authorizeUrl(parameters))).status;
  };
  const registered = ['http://127.0.0.1:51004/callback', 'http://127.0.0.1/callback', 'http://[::1]:1/callback'];
  for (const address of [...registered, 'http://localhost:4100/callback'])
    assert.equal(await ask(address), 200, address);
  for (const address of [
    'http://localhost:51004/callback',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/callback?more=1',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:51004@evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'https://127.0.0.1:51004/callback',
  ])
    assert.equal(await ask(address), 400, address);

  const address = 'http://127.0.0.1:51004/callback';
  const signedIn = await app.signIn('ada', { client_id: id, scope: 'openid', redirect_uri: address });
  assert.equal(signedIn.location.origin, 'http://127.0.0.1:51004');
  const other = await app.exchange(signedIn, { id, secret }, { redirect_uri: 'http://127.0.0.1:51005/callback' });
  assert.equal(other.body.error, 'invalid_grant', 'the code is for the port that it was asked for');
  assert.equal((await app.exchange(signedIn, { id, secret }, { redirect_uri: address })).status, 200);
});
