import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { detached } from '@landfall/kernel/core/connection-use';
import type { Id } from '@landfall/kernel/core/ids';
import { toTenantId } from '@landfall/kernel/core/ids';
import { integer } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { revoke as deny, stop } from '@landfall/kernel/identity/denylist';
import { proofKey } from '@landfall/kernel/testing/dpop';
import { until } from '@landfall/kernel/testing/until';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { revokeFamily } from '../revocation/revocation.store.ts';
import { settings } from '../testing/authority.ts';
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
import { findLocked as lockUser } from '../users/users.store.ts';
import * as families from './families.store.ts';

let app: TokenApp;
let web: TestClient;
let service: TestClient;
let deeper: TestClient;
let other: TestClient;
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
  other = await app.client('service', { ...exchanging, tenant: 'globex' });
  auditor = await app.client('auditor', { canIntrospect: true });
  ada = await app.person('ada', ['admin']);
});
after(() => app[Symbol.asyncDispose]());

const signedIn = async (requestParts = {}) =>
  app.redeem(await app.code(web, ada, { scopes: ['openid', 'orch:read', 'orch:operate'] }), {
    as: web,
    ...requestParts,
  });

const exchange = (
  subjectToken: string,
  as: TestClient,
  overrides: Record<string, string | string[]> = {},
  requestParts = {},
) =>
  app.token(
    { grant_type: EXCHANGE_GRANT, subject_token: subjectToken, subject_token_type: ACCESS_TOKEN, ...overrides },
    { as, ...requestParts },
  );

// spec: 1/grants
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

test('an exchanged token names every client and person that had a part in the tokens before it', async () => {
  const { access_token: subject } = await signedIn();
  assert.equal(claimsOf(subject)['svc:holders'], undefined);
  const { access_token: first } = await exchange(subject, service);
  assert.deepEqual(claimsOf(first)['svc:holders'], [web.id]);
  const { access_token: second } = await exchange(first, deeper);
  assert.deepEqual(claimsOf(second)['svc:holders'], [service.id, web.id]);
  // The client that exchanges is in `client_id`.
  assert.deepEqual(claimsOf((await exchange(second, service)).access_token)['svc:holders'], [deeper.id, web.id]);
  const bob = await app.person('bob', ['admin']);
  const code = await app.code(web, bob, { scopes: ['openid', 'orch:read'] });
  const { access_token: token } = await app.redeem(code, { as: web });
  const named = { actor_token: token, actor_token_type: ACCESS_TOKEN };
  const { access_token: performed } = await exchange(first, deeper, named);
  const holders = claimsOf(performed)['svc:holders'];
  assert.ok(Array.isArray(holders));
  assert.deepEqual(new Set(holders), new Set([service.id, web.id, bob]));
});

test('a client that serves every tenant is no holder that an exchanged token names', async () => {
  const seed: Partial<ClientSeed> = {
    grants: ['authorization_code'],
    redirectUris: [CALLBACK],
    scopes: ['openid', 'orch:read'],
  };
  const shared = await app.client('shared', seed, { servesEveryTenant: true });
  const code = await app.code(shared, ada, { scopes: ['openid', 'orch:read'] });
  const { access_token: subject } = await app.redeem(code, { as: shared });
  const { access_token: token } = await exchange(subject, service);
  assert.deepEqual(claimsOf(token)['svc:holders'], []);
  const { access_token: further } = await exchange(token, deeper);
  assert.deepEqual(claimsOf(further)['svc:holders'], [service.id]);
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
    assert.ok(family && (await revokeFamily(tx, acme, family.id)));
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
  assert.equal(await outcome(exchange(subject, other)), 'invalid_request');
  assert.equal(await outcome(exchange(subject, web)), 'unauthorized_client');
  const targeted = await exchange(subject, service, { resource: 'https://scans.example/', audience: ['landfall'] });
  assert.deepEqual(claimsOf(targeted.access_token).aud, ['https://scans.example/', 'landfall']);
});

test('a bound token is exchanged only by whoever proves its key, and the new one is bound to it', async () => {
  const key = proofKey();
  const { access_token: subject } = await signedIn({ dpop: app.proof(key) });
  assert.equal(await outcome(exchange(subject, service)), 'invalid_request');
  const unrelated = { dpop: app.proof(proofKey()) };
  assert.equal(await outcome(exchange(subject, service, {}, unrelated)), 'invalid_request');
  const { access_token: token } = await exchange(subject, service, {}, { dpop: app.proof(key) });
  assert.deepEqual(claimsOf(token).cnf, claimsOf(subject).cnf);
});

test('a chain does not grow without end', async () => {
  let token = (await signedIn()).access_token;
  for (let length = 0; length < 8; length++) token = (await exchange(token, service)).access_token;
  assert.equal(await outcome(exchange(token, service)), 'invalid_request');
});

const acme = toTenantId('acme');
const own = async (of: TestClient, requestParts = {}) =>
  (await app.token({ grant_type: 'client_credentials' }, { as: of, ...requestParts })).access_token;
const isActive = async (token: string): Promise<boolean> => (await app.introspect(token, auditor)).active;

const CLIENTS = '{ clients { edges { node { id version } } } }';
const DEACTIVATE = 'mutation ($input: DeactivateClientInput!) { deactivateClient(input: $input) { active } }';

const deactivate = async ({ id }: TestClient): Promise<void> => {
  const { edges } = JSON.parse(JSON.stringify((await app.graph(CLIENTS)).data?.clients));
  const { version } = edges.map(({ node }: { node: object }) => node).find((node: { id: string }) => node.id === id);
  assert.equal((await app.graph(DEACTIVATE, { input: { id, expectedVersion: version } })).errors, undefined);
};

test('what another client got for a client’s own token is no person’s and ends with that client', async () => {
  const first = await app.client('first');
  const { access_token: token } = await exchange(await own(first), service);
  const { access_token: further } = await exchange(token, deeper);
  for (const each of [token, further])
    assert.deepEqual(
      [claimsOf(each).sub, claimsOf(each)['svc:kind'], await isActive(each)],
      [first.id, 'client', true],
    );
  await deactivate(first);
  for (const each of [token, further]) assert.equal(await isActive(each), false);
  assert.equal(await outcome(exchange(token, deeper)), 'invalid_request');
});

test('whoever acts in the middle of a chain ends the rest of it when they are stopped', async () => {
  const middle = await app.client('middle', { grants: ['token_exchange'], scopes: ['orch:read'] });
  const { access_token: subject } = await signedIn();
  const { access_token: token } = await exchange(subject, middle);
  const { access_token: further } = await exchange(token, deeper);
  const named = await app.client('named');
  const actor = { actor_token: await own(named), actor_token_type: ACCESS_TOKEN };
  const { access_token: performed } = await exchange(subject, service, actor);
  await deactivate(middle);
  for (const each of [token, further]) assert.equal(await isActive(each), false);
  for (const each of [subject, performed]) assert.equal(await isActive(each), true);
  await deactivate(named);
  assert.equal(await isActive(performed), false);
});

test('a revoked token ends with all that it was exchanged for, and leaves what it came of', async () => {
  const { access_token: subject } = await signedIn();
  const { access_token: token } = await exchange(subject, service);
  const { access_token: further } = await exchange(token, deeper);
  await app.module.revoke(app.request({ token }, { as: service }));
  for (const each of [token, further]) assert.equal(await isActive(each), false);
  assert.equal(await isActive(subject), true);
});

const locks = table('waiting', { pid: integer });
/** Backends that wait for the end of the transaction that asks. */
const WAITING = sql`select pid from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`;

/** Exchanges a token, and lets `action` happen once the exchange has read the token and waits for its person. */
const exchangeDuring = async (
  subject: string,
  { as = service, more = {} }: { readonly as?: TestClient; readonly more?: Record<string, string> },
  action: (tx: Tx) => Promise<unknown>,
): Promise<unknown> => {
  let response: Promise<unknown> = Promise.resolve();
  await app.deps.database.write(acme, async (tx) => {
    await lockUser(tx, acme, ada);
    response = detached(() => outcome(exchange(subject, as, more)));
    await until(async () => (await tx.list(locks, WAITING)).length > 0);
    await action(tx);
  });
  return response;
};

test('a token that ends while it is being exchanged brings nothing', async () => {
  const { access_token: subject } = await signedIn();
  const end = (tx: Tx) => deny(tx, String(claimsOf(subject).jti), new Date(app.clock.now().getTime() + 900_000));
  assert.equal(await exchangeDuring(subject, {}, end), 'invalid_request');
});

test('a tenant or an actor that is stopped while a token is being exchanged ends the exchange', async () => {
  const { access_token: subject } = await signedIn();
  const named = await app.client('stopped');
  const more = { actor_token: await own(named), actor_token_type: ACCESS_TOKEN };
  assert.equal(await exchangeDuring(subject, { more }, (tx) => stop(tx, 'client', named.id)), 'invalid_request');
  const setTenant = (active: boolean) =>
    detached(() =>
      app.deps.database.system.write((tx) =>
        tx.run(sql`update authority.tenants set active = ${active} where name = 'acme'`),
      ),
    );
  assert.equal(await exchangeDuring(subject, {}, () => setTenant(false)), 'invalid_request');
  await setTenant(true);
  assert.equal((await exchange(subject, service)).issued_token_type, ACCESS_TOKEN);
});

test('a token bound to a certificate is exchanged with it only, for one that is bound to it too', async () => {
  const certificate = { raw: randomBytes(600), error: undefined };
  const bound = await app.client('bound', {}, { tlsBound: true });
  const subject = await own(bound, { certificate });
  assert.equal(await outcome(exchange(subject, service)), 'invalid_request');
  const { access_token: token } = await exchange(subject, service, {}, { certificate });
  assert.deepEqual(claimsOf(token).cnf, claimsOf(subject).cnf);
  assert.ok(claimsOf(token).cnf);
});

test('a token for one audience is not turned into one for another that the client is not registered for', async () => {
  const scans = 'https://scans.example/';
  const narrow = await app.client('narrow', { scopes: ['orch:read'] }, { resources: [scans] });
  const { access_token: subject } = await app.token(
    { grant_type: 'client_credentials', resource: scans },
    { as: narrow },
  );
  assert.equal(claimsOf((await exchange(subject, service)).access_token).aud, scans);
  assert.equal(claimsOf((await exchange(subject, deeper)).access_token).aud, scans);
  for (const more of [{ resource: settings.baseUrl }, { audience: 'landfall' }])
    assert.equal(await outcome(exchange(subject, service, more)), 'invalid_target');
  const broad = await app.client(
    'wide',
    { grants: ['token_exchange'], scopes: ['orch:read'] },
    { resources: [settings.baseUrl] },
  );
  const widened = await exchange(subject, broad, { resource: settings.baseUrl });
  assert.equal(claimsOf(widened.access_token).aud, 'landfall');
});
