import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { athOf, proofBy, proofKey } from '@landfall/kernel/testing/dpop';
import { type AuthorityApp, authorityApp, basic, CALLBACK } from '../testing/authority-app.ts';

const ALGORITHMS = 'algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"';
const key = proofKey();

let app: AuthorityApp;
before(async () => {
  app = await authorityApp();
});
after(() => app[Symbol.asyncDispose]());

const proof = (method: string, path: string, token?: string): string =>
  proofBy(key, {
    claims: {
      htm: method,
      htu: app.origin + path,
      iat: Math.floor(app.clock.now().getTime() / 1000),
      ...(token !== undefined && { ath: athOf(token) }),
    },
  });

const tokenOf = async (scope: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { code, verifier } = await app.signIn('vic', { scope });
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
  const { body } = await app.post('/token', form, { authorization: basic(app.clients.console), ...headers });
  return String(body.access_token);
};

const ask = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
  const answer = await fetch(`${app.origin}/userinfo`, { method, headers });
  const body: Readonly<Record<string, unknown>> = JSON.parse(await answer.text());
  return { status: answer.status, body, challenge: answer.headers.get('www-authenticate') };
};

test('who brings no token, or two, is told which are taken and of no error', async () => {
  for (const headers of [{}, { authorization: 'Basic eDp5' }, { authorization: 'Bearer a b' }]) {
    const { status, challenge } = await ask(headers);
    assert.deepEqual([status, challenge], [401, `Bearer realm="landfall", DPoP ${ALGORITHMS}`]);
  }
  const { status, challenge } = await ask({ authorization: 'Bearer nothing' });
  assert.deepEqual([status, challenge], [401, 'Bearer realm="landfall", error="invalid_token"']);
});

test('a token tells of its person what its scopes allow, by GET and by POST', async () => {
  const sub = app.people.vic;
  const complete = { sub, preferred_username: 'vic', name: 'vic of acme' };
  const token = await tokenOf('openid profile');
  for (const method of ['GET', 'POST']) {
    const { status, body } = await ask({ authorization: `Bearer ${token}` }, method);
    assert.deepEqual([status, body], [200, complete]);
  }
  assert.deepEqual((await ask({ authorization: `Bearer ${await tokenOf('openid')}` })).body, { sub });
  const narrow = await ask({ authorization: `Bearer ${await tokenOf('orch:read')}` });
  assert.deepEqual([narrow.status, narrow.body.error], [403, 'insufficient_scope']);
});

test('a token bound to no key is refused under the scheme DPoP, with a proof or without', async () => {
  const token = await tokenOf('openid');
  for (const headers of [{}, { dpop: proof('GET', '/userinfo', token) }]) {
    const { status, body } = await ask({ authorization: `DPoP ${token}`, ...headers });
    assert.deepEqual([status, body.error], [401, 'invalid_token']);
  }
});

test('a bound token needs its proof, and how that failed is said with the algorithms that are taken', async () => {
  const token = await tokenOf('openid', { dpop: proof('POST', '/token') });
  const bound = { authorization: `DPoP ${token}` };
  assert.equal((await ask({ ...bound, dpop: proof('GET', '/userinfo', token) })).status, 200);
  assert.equal((await ask(bound)).status, 401);
  const { status, challenge } = await ask({ ...bound, dpop: proof('POST', '/userinfo', token) });
  assert.deepEqual([status, challenge], [401, `DPoP error="invalid_dpop_proof", ${ALGORITHMS}`]);
  const stale = { dpop: proof('GET', '/userinfo', `${token}x`) };
  assert.equal((await ask({ ...bound, ...stale })).status, 401);
});
