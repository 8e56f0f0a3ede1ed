import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Id } from '@landfall/kernel/ids';
import { toTenantId } from '@landfall/kernel/ids';
import { proofKey } from '@landfall/kernel/testing/dpop';
import type { ClientSeed } from '../bootstrap.ts';
import {
  ACCESS_TOKEN,
  CALLBACK,
  claimsOf,
  EXCHANGE_GRANT,
  outcome,
  type TestClient,
  type TokenApp,
  tokenApp,
} from '../testing/tokens.ts';
import * as families from './families.store.ts';

let app: TokenApp;
let web: TestClient;
let service: TestClient;
let deeper: TestClient;
let foreign: TestClient;
let auditor: TestClient;
let ada: Id<'User'>;

before(async () => {
  app = await tokenApp();
  const scopes: ClientSeed['scopes'] = ['openid', 'offline_access', 'orch:read', 'orch:operate'];
  web = await app.client('web', {
    grants: ['authorization_code', 'client_credentials', 'refresh_token'],
    redirectUris: [CALLBACK],
    scopes,
  });
  const exchanging: Partial<ClientSeed> = { grants: ['token_exchange'], scopes: ['orch:read', 'findings:read'] };
  service = await app.client('service', exchanging, { resources: ['https://scans.example/'] });
  deeper = await app.client('deeper', exchanging);
  foreign = await app.client('service', { ...exchanging, tenant: 'globex' });
  auditor = await app.client('auditor', { canIntrospect: true });
  ada = await app.person('ada', ['admin']);
});
after(() => app[Symbol.asyncDispose]());

const signedIn = async (brought = {}) =>
  app.redeem(await app.code(web, ada, { scopes: ['openid', 'orch:read', 'orch:operate'] }), { as: web, ...brought });

const exchange = (subjectToken: string, as: TestClient, more: Record<string, string | string[]> = {}, brought = {}) =>
  app.token(
    { grant_type: EXCHANGE_GRANT, subject_token: subjectToken, subject_token_type: ACCESS_TOKEN, ...more },
    { as, ...brought },
  );

test('a service gets a token for the same person, of what both may, that says who acts', async () => {
  const { access_token: subject } = await signedIn();
  const first = await exchange(subject, service);
  assert.equal(first.issued_token_type, ACCESS_TOKEN);
  const claims = claimsOf(first.access_token);
  assert.deepEqual([claims.sub, claims.client_id, claims.scope], [ada, service.id, 'orch:read']);
  assert.deepEqual(claims.act, { sub: service.id });
  const second = await exchange(first.access_token, deeper);
  assert.deepEqual(claimsOf(second.access_token).act, { sub: deeper.id, act: { sub: service.id } });
  assert.ok((await app.events()).includes('accessToken.exchange'));
});

test('a named actor acts; its token must be good too', async () => {
  const { access_token: subject } = await signedIn();
  const { access_token: actor } = await app.token({ grant_type: 'client_credentials' }, { as: web });
  const named = { actor_token: actor, actor_token_type: ACCESS_TOKEN };
  assert.deepEqual(claimsOf((await exchange(subject, service, named)).access_token).act, { sub: web.id });
  assert.equal(await outcome(exchange(subject, service, { ...named, actor_token: 'x' })), 'invalid_request');
  assert.equal(await outcome(exchange(subject, service, { actor_token: actor })), 'invalid_request');
});

test('it never lives longer than its subject and ends with the sign-in that it came of', async () => {
  const { access_token: subject } = await signedIn();
  await app.clock.advance(600_000);
  const { access_token: token, expires_in: seconds } = await exchange(subject, service);
  assert.deepEqual([seconds, claimsOf(token).exp], [300, claimsOf(subject).exp]);
  assert.equal((await app.introspect(token, auditor)).active, true);
  const acme = toTenantId('acme');
  await app.deps.database.write(acme, async (tx) => {
    const family = await families.findByAccessToken(tx, acme, String(claimsOf(subject).jti));
    assert.ok(family && (await families.revoke(tx, acme, family.id)));
  });
  assert.deepEqual(await app.introspect(token, auditor), { active: false });
  assert.equal(await outcome(exchange(token, deeper)), 'invalid_request');
  assert.equal(await outcome(exchange(subject, service)), 'invalid_request');
});

test('more scopes, other targets, other types, garbage and another tenant’s client are refused', async () => {
  const { access_token: subject } = await signedIn();
  assert.equal(await outcome(exchange(subject, service, { scope: 'findings:read' })), 'invalid_scope');
  assert.equal(await outcome(exchange(subject, service, { scope: 'orch:operate' })), 'invalid_scope');
  assert.equal(await outcome(exchange(subject, service, { audience: 'elsewhere' })), 'invalid_target');
  const jwt = { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' };
  assert.equal(await outcome(exchange(subject, service, jwt)), 'invalid_request');
  assert.equal(await outcome(exchange('a.b.c', service)), 'invalid_request');
  assert.equal(await outcome(exchange(subject, foreign)), 'invalid_request');
  assert.equal(await outcome(exchange(subject, web)), 'unauthorized_client');
  const targeted = await exchange(subject, service, { resource: 'https://scans.example/', audience: ['landfall'] });
  assert.deepEqual(claimsOf(targeted.access_token).aud, ['https://scans.example/', 'landfall']);
});

test('a bound token is exchanged only by whoever proves its key, and the new one is bound to it', async () => {
  const key = proofKey();
  const { access_token: subject } = await signedIn({ dpop: app.proof(key) });
  assert.equal(await outcome(exchange(subject, service)), 'invalid_request');
  const stranger = { dpop: app.proof(proofKey()) };
  assert.equal(await outcome(exchange(subject, service, {}, stranger)), 'invalid_request');
  const { access_token: token } = await exchange(subject, service, {}, { dpop: app.proof(key) });
  assert.deepEqual(claimsOf(token).cnf, claimsOf(subject).cnf);
});

test('a chain does not grow without end', async () => {
  let token = (await signedIn()).access_token;
  for (let length = 0; length < 8; length++) token = (await exchange(token, service)).access_token;
  assert.equal(await outcome(exchange(token, service)), 'invalid_request');
});
