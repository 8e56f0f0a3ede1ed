import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { caller } from '@landfall/kernel/testing/callers';
import type { ClientSeed } from '../operator/bootstrap.ts';
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
const DEACTIVATE = 'mutation ($input: DeactivateClientInput!) { deactivateClient(input: $input) { active } }';
const UPDATE = 'mutation ($input: UpdateClientInput!) { updateClient(input: $input) { scopes } }';

let app: TokenApp;
let auditor: TestClient;
before(async () => {
  app = await tokenApp();
  auditor = await app.client('auditor', { canIntrospect: true });
});
after(() => app[Symbol.asyncDispose]());

const versionOf = async ({ id }: TestClient): Promise<number> => {
  const { edges } = JSON.parse(JSON.stringify((await app.graph(CLIENTS)).data?.clients));
  return edges.map(({ node }: { node: object }) => node).find((node: { id: string }) => node.id === id).version;
};

const update = async (client: TestClient, changes: object): Promise<void> => {
  const input = { id: client.id, expectedVersion: await versionOf(client), ...changes };
  assert.equal((await app.graph(UPDATE, { input })).errors, undefined);
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
  const clientInput = { plan: 'team', resources: ['urn:example:a'] };
  const plans = { tenant: 'acme', name: 'Acme', plans: ['team', 'free'] };
  await app.module.bootstrap.ensureTenant(plans);
  const narrowing: readonly object[] = [
    { grants: ['CLIENT_CREDENTIALS'] },
    { resources: [] },
    { plan: 'free' },
    { dpopBound: true },
  ];
  for (const [at, changes] of narrowing.entries()) {
    const client = await app.client(`narrow-${at}`, seed, clientInput);
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
  assert.equal(await isActive(ofWeb.access_token), false, 'another client got it for that one');
  const next = await app.refresh(first.refresh_token, { as: web });
  assert.equal(await isActive(next.access_token), true);
  const repeated = { grant_type: EXCHANGE_GRANT, subject_token: first.access_token, subject_token_type: ACCESS_TOKEN };
  assert.equal(await outcome(app.token(repeated, { as: service })), 'invalid_request');
});

test('an administrator who came by the very client is answered, and then let in no more', async () => {
  const tool = await app.client('tool', {
    grants: ['authorization_code'],
    redirectUris: [CALLBACK],
    scopes: ['openid', 'authority:admin', 'orch:read'],
  });
  const eve = await app.person('eve', ['admin']);
  const signedIn = async () => {
    const { access_token: token } = await app.redeem(await app.code(tool, eve, { scopes: ['authority:admin'] }), {
      as: tool,
    });
    const actor = caller({ subject: eve, scopes: ['authority:admin'] });
    return { ...actor, clientId: tool.id, tokenId: String(claimsOf(token).jti) };
  };
  for (const [mutation, changes] of [
    [UPDATE, { scopes: ['openid', 'authority:admin'] }],
    [DEACTIVATE, {}],
  ] as const) {
    const as = await signedIn();
    const input = { id: tool.id, expectedVersion: await versionOf(tool), ...changes };
    assert.equal((await app.graph(mutation, { input }, { as })).errors, undefined);
    const repeated = await app.graph(UPDATE, { input: { id: tool.id, expectedVersion: 1 } }, { as });
    assert.equal(repeated.errors?.[0]?.extensions?.code, 'AUTH_TOKEN_REVOKED');
  }
});
