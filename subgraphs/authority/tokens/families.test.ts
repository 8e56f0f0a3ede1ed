import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Id, toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import { proofKey } from '@landfall/kernel/testing/dpop';
import type { ClientSeed } from '../operator/bootstrap.ts';
import { revokeFamily } from '../revocation/revocation.store.ts';
import { CALLBACK, claimsOf, outcome, type TestClient, type TokenApp, tokenApp } from '../testing/tokens.ts';
import * as families from './families.store.ts';

const LIST = `query ($userId: ID, $clientId: ID, $live: Boolean, $first: Int, $after: Cursor) {
  tokenFamilies(userId: $userId, clientId: $clientId, live: $live, first: $first, after: $after) {
    edges { node { id clientName sender scopes revokedAt user { username } } } pageInfo { hasNextPage endCursor }
  }
}`;
const REVOKE = 'mutation ($input: RevokeFamilyInput!) { revokeFamily(input: $input) { id revokedAt } }';

let app: TokenApp;
let web: TestClient;
let auditor: TestClient;
let ada: Id<'User'>;
let vic: Id<'User'>;

const seed: Partial<ClientSeed> = {
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [CALLBACK],
  scopes: ['openid', 'offline_access', 'orch:read'],
};

before(async () => {
  app = await tokenApp();
  web = await app.client('web', seed);
  auditor = await app.client('auditor', { canIntrospect: true });
  ada = await app.person('ada', ['admin']);
  vic = await app.person('vic', ['viewer']);
});
after(() => app[Symbol.asyncDispose]());

const as = (subject: string, scopes: string[] = ['orch:read'], tenant = 'acme') => ({
  as: caller({ subject, scopes, tenant }),
});

const listed = async (variables: Record<string, unknown>, owner: ReturnType<typeof as>) => {
  const { data, errors } = await app.graph(LIST, variables, owner);
  assert.equal(errors, undefined);
  const { edges, pageInfo } = JSON.parse(JSON.stringify(data?.tokenFamilies));
  return { nodes: edges.map(({ node }: { node: Record<string, unknown> }) => node), pageInfo };
};

const signedIn = async (user: Id<'User'>, requestParts = {}) =>
  app.redeem(await app.code(web, user), { as: web, ...requestParts });

test('people see their own, administrators everybody’s of the tenant, newest first, by pages', async () => {
  await signedIn(vic);
  await signedIn(ada);
  await signedIn(vic, { dpop: app.proof(proofKey()) });
  const own = await listed({}, as(vic));
  assert.deepEqual(
    own.nodes.map(({ sender }: { sender: string }) => sender),
    ['DPOP', 'NONE'],
  );
  assert.deepEqual([own.nodes[0].clientName, own.nodes[0].user.username], ['web', 'vic']);
  const all = await listed({ first: 2 }, as(ada, ['authority:admin']));
  assert.equal(all.pageInfo.hasNextPage, true);
  const rest = await listed({ first: 2, after: all.pageInfo.endCursor }, as(ada, ['authority:admin']));
  assert.deepEqual([all.nodes.length, rest.nodes.length, rest.pageInfo.hasNextPage], [2, 1, false]);
  assert.equal((await listed({ userId: vic }, as(ada, ['authority:admin']))).nodes.length, 2);
  assert.equal((await listed({}, as(ada, ['authority:admin'], 'globex'))).nodes.length, 0);
  const { errors } = await app.graph(LIST, { userId: ada }, as(vic));
  assert.equal(errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
});

test('a revoked family ends with its tokens, and is told in the trail', async () => {
  const tokens = await signedIn(vic);
  const { nodes } = await listed({ live: true }, as(vic));
  const input = { id: nodes[0].id };
  const unrelated = await app.graph(REVOKE, { input }, as(ada));
  assert.equal(unrelated.errors?.[0]?.extensions?.code, 'RES_NOT_FOUND');
  const other = await app.graph(REVOKE, { input }, as(ada, ['authority:admin'], 'globex'));
  assert.equal(other.errors?.[0]?.extensions?.code, 'RES_NOT_FOUND');
  const { errors } = await app.graph(REVOKE, { input }, as(vic));
  assert.equal(errors, undefined);
  assert.deepEqual(await app.introspect(tokens.access_token, auditor), { active: false });
  assert.equal(await outcome(app.refresh(tokens.refresh_token, { as: web })), 'invalid_grant');
  assert.equal((await app.events()).at(-1), 'tokenFamily.revoke');
  assert.equal((await listed({ live: false }, as(vic))).nodes[0].id, input.id);
});

test('who revokes the family of the very token they call with is answered, and then let in no more', async () => {
  const tokens = await signedIn(ada);
  const { nodes } = await listed({ live: true }, as(ada));
  const tokenId = String(claimsOf(tokens.access_token).jti);
  const owner = { ...caller({ subject: ada }), clientId: web.id, tokenId };
  const denied = await app.graph(REVOKE, { input: { id: nodes[0].id } }, { as: owner });
  assert.equal(denied.errors?.[0]?.extensions?.code, 'PERM_ACTION_DENIED', 'an application ends nothing');
  await app.client('web', seed, { servesEveryTenant: true });
  const { errors } = await app.graph(REVOKE, { input: { id: nodes[0].id } }, { as: owner });
  assert.equal(errors, undefined);
  const repeated = await app.graph(REVOKE, { input: { id: nodes[0].id } }, { as: owner });
  assert.equal(repeated.errors?.[0]?.extensions?.code, 'AUTH_TOKEN_REVOKED');
});

const denied = table('denied', { jti: text });

test('a revocation denies tokens that expired minutes ago too, for clocks that are slow', async () => {
  const acme = toTenantId('acme');
  const [recent, old] = [await signedIn(vic), await signedIn(vic)].map(({ access_token: token }) => claimsOf(token));
  const lifetimeMs = (Number(recent?.exp) - Number(recent?.iat)) * 1_000;
  const isDenied = async (jti: unknown): Promise<boolean> => {
    await app.deps.database.write(acme, async (tx) => {
      const found = await families.findByAccessToken(tx, acme, String(jti));
      assert.ok(found && (await revokeFamily(tx, acme, found.id)));
    });
    const statement = sql`select jti from kernel.revoked_tokens where jti = ${String(jti)}`;
    return (await app.rows(denied, statement)).length === 1;
  };
  await app.clock.advance(lifetimeMs + 240_000);
  assert.equal(await isDenied(recent?.jti), true);
  await app.clock.advance(120_000);
  assert.equal(await isDenied(old?.jti), false);
});
