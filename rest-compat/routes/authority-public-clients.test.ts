import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { proofBy, proofKey } from '@landfall/kernel/testing/dpop';
import { type AuthorityApp, authorityApp, basic, CALLBACK, PASSWORD, pkce } from '../testing/authority-app.ts';
import { cookieJar, hidden } from '../testing/browser.ts';

const LOOPBACK = 'http://127.0.0.1/callback';
const SCOPES = ['openid', 'offline_access', 'orch:read'] as const;
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

let app: AuthorityApp;
let page: string;
before(async () => {
  app = await authorityApp();
  page = await publicClient('single page', {});
});
after(() => app[Symbol.asyncDispose]());

type Seed = Parameters<AuthorityApp['authority']['bootstrap']['ensureClient']>[0];

const publicClient = (name: string, overrides: Partial<Seed>): Promise<string> =>
  app.authority.bootstrap.ensureClient({
    ...{ tenant: 'acme', name, secret: 'x'.repeat(32), authMethods: ['none'], scopes: [...SCOPES] },
    ...{ grants: ['authorization_code', 'refresh_token'], redirectUris: [CALLBACK] },
    ...overrides,
  });

const redeem = async (id: string, form: Readonly<Record<string, string>>, dpop?: string) => {
  const { status, body } = await app.post('/token', { client_id: id, ...form }, dpop === undefined ? {} : { dpop });
  return { status, body, error: body.error };
};

const signIn = async (id: string) => {
  const { code, verifier } = await app.signIn('ada', { client_id: id, scope: SCOPES.join(' ') });
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK };
};

const refreshing = (token: unknown) => ({ grant_type: 'refresh_token', refresh_token: String(token) });

const pair = proofKey();
const proof = (by = pair): string =>
  proofBy(by, {
    claims: { htm: 'POST', htu: `${app.origin}/token`, iat: Math.floor(app.clock.now().getTime() / 1000) },
  });

// spec: rulings/69
test('a public client redeems its code by the verifier alone, and each refresh spends the token before', async () => {
  const first = await redeem(page, await signIn(page));
  assert.equal(first.status, 200);
  const second = await redeem(page, refreshing(first.body.refresh_token));
  assert.equal(second.status, 200);
  assert.equal((await redeem(page, refreshing(first.body.refresh_token))).error, 'invalid_grant');
  assert.equal((await redeem(page, refreshing(second.body.refresh_token))).error, 'invalid_grant', 'all of it ends');
  const stolen = await signIn(page);
  assert.equal((await redeem(page, { ...stolen, code_verifier: pkce().verifier })).error, 'invalid_grant');
});

// spec: rulings/69
test('the refresh token of a public client is good for the key that it was issued to, and for no other', async () => {
  const first = await redeem(page, await signIn(page), proof());
  assert.deepEqual([first.status, first.body.token_type], [200, 'DPoP']);
  const refresh = refreshing(first.body.refresh_token);
  assert.equal((await redeem(page, refresh)).error, 'invalid_request', 'without a proof');
  assert.equal((await redeem(page, refresh, proof(proofKey()))).error, 'invalid_grant');
  const second = await redeem(page, refresh, proof());
  assert.equal(second.status, 200, 'what another key tried has spent nothing');
  assert.equal((await redeem(page, refreshing(second.body.refresh_token), proof(proofKey()))).error, 'invalid_grant');
});

test('a client with a secret is not let in without it, and a public one not by any secret', async () => {
  const { error, status } = await redeem(app.clients.ci.id, { grant_type: 'client_credentials' });
  assert.deepEqual([status, error], [401, 'invalid_client']);
  const form = { grant_type: 'client_credentials' };
  for (const secret of ['x'.repeat(32), 'another'])
    assert.equal((await app.post('/token', form, { authorization: basic({ id: page, secret }) })).status, 401);
});

// spec: rulings/69
test('a public client acts for no one but a person: no tokens of its own, no exchange, no introspection', async () => {
  const { body } = await redeem(page, await signIn(page));
  const token = String(body.access_token);
  for (const form of [
    { grant_type: 'client_credentials' },
    { grant_type: 'password', username: 'ada', password: PASSWORD },
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    },
  ])
    assert.equal((await redeem(page, form)).error, 'unauthorized_client', form.grant_type);
  assert.equal((await app.post('/introspect', { client_id: page, token })).status, 401);
  assert.equal((await app.introspect(token)).active, true);
  assert.equal((await app.post('/revoke', { client_id: page, token })).status, 200);
  assert.equal((await app.introspect(token)).active, false);
  const {
    introspection_endpoint_auth_methods_supported: introspecting,
    token_endpoint_auth_methods_supported: asking,
  } = app.authority.metadata;
  assert.deepEqual(
    [introspecting, asking].map((methods) => methods.some((method: string) => method === 'none')),
    [false, true],
  );
});

test('people are asked each time where any program of their machine could be the client', async () => {
  const id = await publicClient('command line', { redirectUris: [LOOPBACK] });
  const jar = cookieJar();
  const { verifier, challenge } = pkce();
  const address = 'http://127.0.0.1:51004/callback';
  const parameters = { client_id: id, redirect_uri: address, scope: 'openid', code_challenge: challenge };
  const page = await app.get(app.authorizeUrl(parameters), jar);
  const signedIn = await app.submit(await page.text(), jar, { username: 'ada', password: PASSWORD });
  const consentUrl = signedIn.headers.get('location') ?? '';
  assert.match(consentUrl, /^\/consent\?/);
  const consent = await (await app.get(consentUrl, jar)).text();
  const allowed = await app.submit(consent, jar, { decision: 'allow', shown: hidden(consent, 'shown') });
  const code = new URL(allowed.headers.get('location') ?? 'missing:').searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: address };
  assert.equal((await redeem(id, form)).status, 200);
  const repeated = await app.get(app.authorizeUrl(parameters), jar);
  assert.match(repeated.headers.get('location') ?? '', /^\/consent\?/);
  const silent = await app.get(app.authorizeUrl({ ...parameters, prompt: 'none' }), jar);
  assert.equal(new URL(silent.headers.get('location') ?? '').searchParams.get('error'), 'consent_required');
});

test('a command-line tool signs in by a device code', async () => {
  const id = await publicClient('device', { grants: ['device_code', 'refresh_token'], redirectUris: [] });
  const { status, body } = await app.post('/device_authorization', { client_id: id, scope: 'openid orch:read' });
  assert.equal(status, 200);
  const waiting = await redeem(id, { grant_type: DEVICE_CODE, device_code: String(body.device_code) });
  assert.equal(waiting.error, 'authorization_pending');
});
