import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Id, toId, toTenantId } from '@landfall/kernel/core/ids';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { updateAnywhere } from '../tenants/tenants.store.ts';
import { settings } from '../testing/authority.ts';
import { CALLBACK, claimsOf, outcome, type TestClient, type TokenApp, tokenApp } from '../testing/tokens.ts';
import { createAccessTokens } from './access-tokens.ts';

let app: TokenApp;
let web: TestClient;
let ci: TestClient;
let auditor: TestClient;
let ada: Id<'User'>;
const own = { grant_type: 'client_credentials' };
const acme = toTenantId('acme');

before(async () => {
  app = await tokenApp();
  const scopes: ClientSeed['scopes'] = ['openid', 'offline_access', 'orch:read'];
  const code: ClientSeed['grants'] = ['authorization_code', 'refresh_token'];
  web = await app.client(
    'web',
    { grants: code, redirectUris: [CALLBACK], scopes },
    { resources: ['urn:example:a', 'urn:example:b'] },
  );
  ci = await app.client('ci', {}, { resources: ['https://scans.example'] });
  auditor = await app.client('auditor', { canIntrospect: true });
  ada = await app.person('ada', ['admin']);
});
after(() => app[Symbol.asyncDispose]());

/** Changes a tenant as the operator, and returns the resulting notice. */
const operator = async (word: { active?: boolean; plans?: readonly string[]; license?: string | null }) => {
  const is = { tenant: acme, id: toId(ada, 'Tenant'), name: 'acme', active: true, plans: [], license: null, ...word };
  await app.deps.database.system.write((tx) => updateAnywhere(tx, is));
  app.deps.hints.publish([]);
};

test('a token says its claims and no others, and a client’s own words become none of them', async () => {
  const { access_token: token } = await app.token(
    { ...own, sub: 'root', iss: 'evil', 'svc:tenant': 'globex', exp: '1' },
    { as: ci },
  );
  const claims = claimsOf(token);
  assert.deepEqual(Object.keys(claims), ['iss', 'sub', 'aud', 'client_id', 'scope', 'iat', 'exp', 'jti', 'svc:tenant']);
  assert.deepEqual([claims.sub, claims.iss, claims['svc:tenant']], [ci.id, settings.issuer, 'acme']);
});

test('a token of ours without audience, expiry or date of issue, or with strange ones, is worth nothing', async () => {
  const accessTokens = createAccessTokens({ clock: app.deps.clock, keys: app.module.keys }, settings);
  const complete = claimsOf((await app.token(own, { as: ci })).access_token);
  const signed = (claims: object): Promise<string> => app.module.keys.sign('at+jwt', { ...complete, ...claims });
  assert.ok(await accessTokens.verify(await signed({})));
  const requiredClaims = ['iss', 'sub', 'aud', 'client_id', 'scope', 'iat', 'exp', 'jti', 'svc:tenant'];
  const unknown = {
    aud: [],
    exp: '9999999999',
    iat: 1.5,
    jti: 'j'.repeat(10_240),
    'svc:tenant': '../x',
    cnf: 'x',
    act: {},
  };
  for (const claim of [
    ...requiredClaims.map((name) => ({ [name]: undefined })),
    ...Object.entries(unknown).map(([name, value]) => ({ [name]: value })),
  ]) {
    const token = await signed(claim);
    assert.equal(await accessTokens.verify(token), undefined, JSON.stringify(claim).slice(0, 60));
    assert.deepEqual(await app.introspect(token, auditor), { active: false });
  }
  assert.equal(await accessTokens.verify(await app.module.keys.sign('JWT', complete)), undefined);
});

test('resource indicators are the audience, of a client and of a person, and a refresh may ask for fewer', async () => {
  const one = await app.token({ ...own, resource: 'https://scans.example' }, { as: ci });
  assert.equal(claimsOf(one.access_token).aud, 'https://scans.example');
  const introspection = await app.introspect(one.access_token, auditor);
  assert.ok(introspection.active);
  assert.equal(introspection.aud, 'https://scans.example');
  const both = await app.token({ ...own, resource: ['https://scans.example', settings.baseUrl] }, { as: ci });
  assert.deepEqual(claimsOf(both.access_token).aud, ['https://scans.example', 'landfall']);
  assert.equal(await outcome(app.token({ ...own, resource: 'https://other.example' }, { as: ci })), 'invalid_target');

  const value = await app.code(web, ada, { resources: ['urn:example:a', 'urn:example:b'] });
  const first = await app.redeem(value, { as: web }, { resource: 'urn:example:a' });
  assert.equal(claimsOf(first.access_token).aud, 'urn:example:a');
  const rest = await app.refresh(first.refresh_token, { as: web });
  assert.deepEqual(claimsOf(rest.access_token).aud, ['urn:example:a', 'urn:example:b']);
  assert.equal(
    await outcome(app.refresh(rest.refresh_token, { as: web }, { resource: settings.baseUrl })),
    'invalid_target',
  );
});

test('the plan is the client’s while its tenant has it, else its tenant’s first, and the licence its tenant’s', async () => {
  const operate = (plans: readonly string[], license: string | null) => operator({ plans, license });
  await operate(['free', 'team'], 'L-1');
  const plain = claimsOf((await app.token(own, { as: ci })).access_token);
  assert.deepEqual([plain['svc:plan'], plain['svc:license']], ['free', 'L-1']);
  const paying = await app.client('paying', {}, { plan: 'team' });
  assert.equal(claimsOf((await app.token(own, { as: paying })).access_token)['svc:plan'], 'team');
  const value = await app.code(web, ada);
  assert.equal(claimsOf((await app.redeem(value, { as: web })).access_token)['svc:plan'], 'free');
  await operate(['free'], 'L-1');
  const claims = claimsOf((await app.token(own, { as: paying })).access_token);
  assert.equal(claims['svc:plan'], 'free', 'the operator took the plan from the tenant');
  await operate([], null);
});

test('a stopped tenant has no client and nobody', async () => {
  const signedIn = await app.redeem(await app.code(web, ada), { as: web });
  const remaining = await app.code(web, ada);
  await operator({ active: false });
  assert.equal(await outcome(app.token(own, { as: ci })), 'invalid_client');
  assert.equal(await outcome(app.refresh(signedIn.refresh_token, { as: web })), 'invalid_client');
  const everywhere = await app.client('everywhere', {
    tenant: 'globex',
    grants: ['authorization_code'],
    redirectUris: [CALLBACK],
    servesEveryTenant: true,
  });
  const value = await app.code(everywhere, ada);
  assert.equal(await outcome(app.redeem(value, { as: everywhere })), 'invalid_grant');
  await operator({ active: true });
  assert.equal(typeof (await outcome(app.redeem(remaining, { as: web }))), 'object');
});
