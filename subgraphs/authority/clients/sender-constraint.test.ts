import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Id } from '@landfall/kernel/core/ids';
import { proofKey } from '@landfall/kernel/testing/dpop';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { CALLBACK, claimsOf, outcome, type TestClient, type TokenApp, tokenApp } from '../testing/tokens.ts';

let app: TokenApp;
let web: TestClient;
let dpopOnly: TestClient;
let tlsOnly: TestClient;
let auditor: TestClient;
let ada: Id<'User'>;

const code = {
  grants: ['authorization_code', 'refresh_token', 'client_credentials'],
  redirectUris: [CALLBACK],
} satisfies Partial<ClientSeed>;
const own = { grant_type: 'client_credentials' };
const key = proofKey();
const certificate = { raw: randomBytes(600), error: undefined };
const thumbprint = createHash('sha256').update(certificate.raw).digest('base64url');

before(async () => {
  app = await tokenApp();
  const scopes: ClientSeed['scopes'] = ['openid', 'offline_access', 'orch:read'];
  web = await app.client('web', { ...code, scopes });
  dpopOnly = await app.client('dpop-only', { ...code, scopes }, { dpopBound: true });
  tlsOnly = await app.client('tls-only', { ...code, scopes }, { tlsBound: true });
  auditor = await app.client('auditor', { canIntrospect: true });
  ada = await app.person('ada', ['admin']);
});
after(() => app[Symbol.asyncDispose]());

const jktOf = (token: string): unknown => Reflect.get(Object(claimsOf(token).cnf), 'jkt');

test('a proof binds the token to its key, and the type says so in the answer and in introspection', async () => {
  const answer = await app.token(own, { as: web, dpop: app.proof(key) });
  assert.equal(answer.token_type, 'DPoP');
  assert.match(String(jktOf(answer.access_token)), /^[\w-]{43}$/);
  const introspection = await app.introspect(answer.access_token, auditor);
  assert.ok(introspection.active);
  assert.deepEqual([introspection.token_type, introspection.cnf], ['DPoP', { jkt: jktOf(answer.access_token) }]);
  assert.equal((await app.token(own, { as: web })).token_type, 'Bearer');
});

test('a client that is bound gets nothing without its proof', async () => {
  assert.equal(await outcome(app.token(own, { as: dpopOnly })), 'invalid_request');
  assert.equal(await outcome(app.token(own, { as: tlsOnly, dpop: app.proof(key) })), 'invalid_request');
  const { access_token: token, token_type: type } = await app.token(own, { as: tlsOnly, certificate });
  assert.deepEqual([type, claimsOf(token).cnf], ['Bearer', { 'x5t#S256': thumbprint }]);
});

test('of eight requests with one proof one gets a token', async () => {
  const dpop = app.proof(key);
  const answers = await Promise.all(Array.from({ length: 8 }, () => outcome(app.token(own, { as: web, dpop }))));
  assert.equal(answers.filter((answer) => typeof answer === 'object').length, 1);
  assert.ok(answers.every((answer) => typeof answer === 'object' || answer === 'invalid_dpop_proof'));
});

test('a proof for another path, method, host or time, two proofs and no proof at all are refused', async () => {
  const wrong: (string | string[])[] = [
    app.proof(key, {}, '/introspect'),
    app.proof(key, { htm: 'GET' }),
    app.proof(key, { htu: 'https://evil.example/token' }),
    app.proof(key, { iat: 1_000 }),
    app.proof(key, { jti: 'j'.repeat(10_240) }),
    [app.proof(key), app.proof(key)],
    'garbage',
  ];
  for (const dpop of wrong)
    assert.equal(await outcome(app.token(own, { as: web, dpop })), 'invalid_dpop_proof', String(dpop).slice(0, 80));
});

test('a code that names a key is for that key, and nothing of a wrong try uses it up', async () => {
  const first = await app.token(own, { as: web, dpop: app.proof(key) });
  const value = await app.code(web, ada, { dpopJkt: String(jktOf(first.access_token)) });
  assert.equal(await outcome(app.redeem(value, { as: web })), 'invalid_grant');
  assert.equal(await outcome(app.redeem(value, { as: web, dpop: app.proof(proofKey()) })), 'invalid_grant');
  const answer = await app.redeem(value, { as: web, dpop: app.proof(key) });
  assert.equal(answer.token_type, 'DPoP');
});

test('what was bound stays bound: a refresh needs the same kind of proof, by any key', async () => {
  const { refresh_token: token } = await app.redeem(await app.code(web, ada), { as: web, dpop: app.proof(key) });
  assert.equal(await outcome(app.refresh(token, { as: web })), 'invalid_request');
  assert.equal(await outcome(app.refresh(token, { as: web, certificate })), 'invalid_request');
  const next = await app.refresh(token, { as: web, dpop: app.proof(proofKey()) });
  assert.equal(next.token_type, 'DPoP');
  const bound = await app.redeem(await app.code(tlsOnly, ada), { as: tlsOnly, certificate });
  assert.equal(await outcome(app.refresh(bound.refresh_token, { as: tlsOnly })), 'invalid_request');
  const repeated = await app.refresh(bound.refresh_token, { as: tlsOnly, certificate });
  assert.deepEqual(claimsOf(repeated.access_token).cnf, { 'x5t#S256': thumbprint });
});

test('the ID token says how the person signed in', async () => {
  const answer = await app.redeem(await app.code(web, ada, { amr: ['hwk', 'user'] }), { as: web });
  assert.deepEqual(claimsOf(answer.id_token ?? '').amr, ['hwk', 'user']);
});
