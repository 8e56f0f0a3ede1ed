import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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

const CLIENTS = '{ clients { edges { node { id version } } } }';
const UPDATE = 'mutation ($input: UpdateClientInput!) { updateClient(input: $input) { scopes } }';

let app: TokenApp;
let auditor: TestClient;
before(async () => {
  app = await tokenApp();
  auditor = await app.client('auditor', { canIntrospect: true });
});
after(() => app[Symbol.asyncDispose]());

const update = async ({ id }: TestClient, changes: object): Promise<void> => {
  const { edges } = JSON.parse(JSON.stringify((await app.graph(CLIENTS)).data?.clients));
  const { version } = edges.map(({ node }: { node: object }) => node).find((node: { id: string }) => node.id === id);
  const { errors } = await app.graph(UPDATE, { input: { id, expectedVersion: version, ...changes } });
  assert.equal(errors, undefined);
};

const own = async (of: TestClient) => (await app.token({ grant_type: 'client_credentials' }, { as: of })).access_token;
const isActive = async (token: string): Promise<boolean> => (await app.introspect(token, auditor)).active;

test('tokens of a client that gets fewer scopes end at once, and those that come after say what is left', async () => {
  const ci = await app.client('ci', { scopes: ['orch:read', 'orch:operate'] });
  const before = await own(ci);
  await update(ci, { scopes: ['orch:read'] });
  assert.equal(await isActive(before), false);
  const after = await own(ci);
  assert.deepEqual([claimsOf(after).scope, await isActive(after)], ['orch:read', true]);
  await update(ci, { scopes: ['findings:read'] });
  assert.equal(await isActive(after), false, 'again is the same');
  assert.equal(await isActive(await own(ci)), true);
});

test('a lost grant or target, another plan and a new binding end tokens; more of anything ends none', async () => {
  const seed: Partial<ClientSeed> = { grants: ['client_credentials', 'token_exchange'] };
  const given = { plan: 'team', resources: ['urn:example:a'] };
  const plans = { tenant: 'acme', name: 'Acme', plans: ['team', 'free'] };
  await app.module.bootstrap.ensureTenant(plans);
  const narrowing: readonly object[] = [
    { grants: ['CLIENT_CREDENTIALS'] },
    { resources: [] },
    { plan: 'free' },
    { dpopBound: true },
  ];
  for (const [at, changes] of narrowing.entries()) {
    const client = await app.client(`narrow-${at}`, seed, given);
    const token = await own(client);
    await update(client, { scopes: ['orch:read', 'orch:operate'], name: `other-${at}`, requiresConsent: true });
    assert.equal(await isActive(token), true);
    await update(client, changes);
    assert.equal(await isActive(token), false, JSON.stringify(changes));
  }
});

test('people are asked for nothing: their next refresh brings a token that says what is left', async () => {
  const web = await app.client('web', {
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: [CALLBACK],
    scopes: ['openid', 'offline_access', 'orch:read', 'orch:operate'],
  });
  const service = await app.client('service', { grants: ['token_exchange'] });
  const ada = await app.person('ada', ['admin']);
  const first = await app.redeem(await app.code(web, ada), { as: web });
  const ofWeb = await app.token(
    { grant_type: EXCHANGE_GRANT, subject_token: first.access_token, subject_token_type: ACCESS_TOKEN },
    { as: service },
  );
  await update(web, { scopes: ['openid', 'offline_access', 'orch:read'] });
  assert.equal(await isActive(first.access_token), false);
  assert.equal(await isActive(ofWeb.access_token), true, 'another client holds it');
  const next = await app.refresh(first.refresh_token, { as: web });
  assert.equal(await isActive(next.access_token), true);
  const again = { grant_type: EXCHANGE_GRANT, subject_token: first.access_token, subject_token_type: ACCESS_TOKEN };
  assert.equal(await outcome(app.token(again, { as: service })), 'invalid_request');
});
