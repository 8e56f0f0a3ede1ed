import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { detached } from '@landfall/kernel/core/connection-use';
import { type Id, toTenantId } from '@landfall/kernel/core/ids';
import { caller } from '@landfall/kernel/testing/callers';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { denyAccessTokensOfUsers } from '../revocation/revocation.store.ts';
import {
  ACCESS_TOKEN,
  CALLBACK,
  claimsOf,
  EXCHANGE_GRANT,
  outcome,
  type RequestParts,
  type TestClient,
  type TokenApp,
  tokenApp,
} from '../testing/tokens.ts';
import * as users from '../users/users.store.ts';

const STOP = 'mutation ($input: DeactivateClientInput!) { deactivateClient(input: $input) { active } }';
const acme = toTenantId('acme');
const API = 'https://one.example/api';

let app: TokenApp;
let web: TestClient;
let service: TestClient;
let deeper: TestClient;
let auditor: TestClient;
let ada: Id<'User'>;

const both: Partial<ClientSeed> = { grants: ['token_exchange', 'client_credentials'], scopes: ['orch:read'] };

before(async () => {
  app = await tokenApp();
  web = await app.client('web', {
    grants: ['authorization_code', 'client_credentials'],
    redirectUris: [CALLBACK],
    scopes: ['openid', 'orch:read'],
    resources: [API],
  });
  service = await app.client('service', { ...both, resources: ['https://scans.example/'] });
  deeper = await app.client('deeper', both);
  auditor = await app.client('auditor', { canIntrospect: true });
  ada = await app.person('ada', ['admin']);
});
after(() => app[Symbol.asyncDispose]());

const exchange = async (
  subject: string,
  as: TestClient,
  overrides: Record<string, string> = {},
  requestParts: RequestParts = {},
) =>
  (
    await app.token(
      { grant_type: EXCHANGE_GRANT, subject_token: subject, subject_token_type: ACCESS_TOKEN, ...overrides },
      { as, ...requestParts },
    )
  ).access_token;

const own = async (as: TestClient, overrides: Record<string, string> = {}, requestParts: RequestParts = {}) =>
  (await app.token({ grant_type: 'client_credentials', ...overrides }, { as, ...requestParts })).access_token;

const isActive = async (token: string) => (await app.introspect(token, auditor)).active;

const signedIn = async () => (await app.redeem(await app.code(web, ada), { as: web })).access_token;

const stop = async ({ id }: TestClient) => {
  const as = caller({ subject: ada, scopes: ['authority:admin'] });
  const { data, errors } = await app.graph(STOP, { input: { id, expectedVersion: 2 } }, { as });
  assert.equal(errors, undefined);
  assert.equal(Object(data?.deactivateClient).active, false);
};

test('what a client’s own token was exchanged for ends when that client is stopped', async () => {
  const builder = await app.client('builder', both);
  const child = await exchange(await own(builder), service);
  assert.equal(await isActive(child), true);
  await stop(builder);
  assert.equal(await isActive(child), false);
  assert.equal(await outcome(exchange(child, deeper)), 'invalid_request');
});

test('a token ends with every client that acts in it', async () => {
  const middle = await app.client('middle', both);
  const child = await exchange(await exchange(await signedIn(), middle), deeper);
  assert.equal(await isActive(child), true);
  await stop(middle);
  assert.equal(await isActive(child), false);
});

test('a revoked token takes along what it was exchanged for, however often', async () => {
  const [subject, another] = [await own(web), await own(web)];
  const child = await exchange(subject, service);
  const grandchild = await exchange(child, deeper);
  const unaffected = await exchange(another, service);
  await app.module.revoke(app.request({ token: subject }, { as: web }));
  assert.deepEqual(
    [await isActive(child), await isActive(grandchild), await isActive(unaffected)],
    [false, false, true],
  );
});

test('an exchange that is on its way while a person loses a role gets nothing', async () => {
  const subject = await signedIn();
  const delayed = await app.deps.database.write(acme, async (tx) => {
    await users.findLocked(tx, acme, ada);
    const pendingExchange = detached(() => outcome(exchange(subject, service)));
    await Promise.race([pendingExchange, new Promise((go) => setTimeout(go, 150))]);
    await denyAccessTokensOfUsers(tx, acme, [ada]);
    return { onItsWay: pendingExchange };
  });
  assert.equal(await delayed.onItsWay, 'invalid_request');
});

test('an exchange makes no bearer token of one that is bound to a certificate', async () => {
  const certificate = { raw: randomBytes(600), error: undefined };
  const bound = await app.client('bound', both, { tlsBound: true });
  const subject = await own(bound, {}, { certificate });
  const child = await exchange(subject, service, {}, { certificate });
  const thumbprint = createHash('sha256').update(certificate.raw).digest('base64url');
  assert.deepEqual(claimsOf(child).cnf, { 'x5t#S256': thumbprint });
});

test('an exchanged token is for whom its subject is, and beyond that where its client is registered', async () => {
  const narrow = await own(web, { resource: API });
  assert.equal(claimsOf(await exchange(narrow, service)).aud, API);
  assert.equal(await outcome(exchange(narrow, service, { audience: 'landfall' })), 'invalid_target');
  assert.equal(await outcome(exchange(narrow, service, { resource: 'http://localhost:4000' })), 'invalid_target');
  const scans = await exchange(narrow, service, { resource: 'https://scans.example/' });
  assert.equal(claimsOf(scans).aud, 'https://scans.example/');
  assert.equal(claimsOf(await exchange(await own(web), service)).aud, 'landfall');
});

test('a client for whom another one acts is told from a person', async () => {
  const subject = await own(web);
  const child = claimsOf(await exchange(await exchange(subject, service), deeper));
  assert.deepEqual([child.sub, child.client_id, child['svc:kind']], [web.id, deeper.id, 'client']);
  assert.equal(claimsOf(subject)['svc:kind'], undefined);
  assert.equal(claimsOf(await exchange(await signedIn(), service))['svc:kind'], undefined);
});
