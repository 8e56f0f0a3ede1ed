import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Caller } from '@landfall/kernel/core/caller';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { fromNow } from '@landfall/kernel/db/sql';
import { testApp } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { type ClientSeed, createAuthority } from '../index.ts';
import { createAuthenticator } from '../testing/authenticator.ts';
import { settings } from '../testing/authority.ts';
import * as families from '../tokens/families.store.ts';
import { update } from '../users/users.store.ts';

const LIST = '{ me { accountUrl passkeys { id name backedUp lastUsedAt } } }';
const BEGIN = 'mutation ($input: BeginPasskeyInput!) { beginPasskey(input: $input) { options ticket } }';
const ADD = 'mutation ($input: AddPasskeyInput!) { addPasskey(input: $input) { id name backedUp } }';
const REMOVE = 'mutation ($input: RemovePasskeyInput!) { removePasskey(input: $input) }';

const acme = toTenantId('acme');
const ceremony = Type.Object({ options: Type.String(), ticket: Type.String() });
const creation = Type.Object({ challenge: Type.String(), user: Type.Object({ id: Type.String() }) });

const authorityAt = (issuer: string) =>
  testApp({
    createModule: async (deps) => {
      const authority = createAuthority(deps, { ...settings, issuer });
      for (const tenant of ['acme', 'globex']) await authority.bootstrap.ensureTenant({ tenant, name: tenant });
      return authority;
    },
  });
type App = Awaited<ReturnType<typeof authorityAt>>;

const personOf = async ({ module }: App, tenant: string, username: string) =>
  toId(
    await module.bootstrap.ensureUser({
      tenant,
      username,
      displayName: username,
      password: 'correct horse battery',
      roles: [],
    }),
    'User',
  );

/** Signs a person in at the console or an application and returns the caller of its token. */
const signedIn = async (app: App, username = 'ada', servesEveryTenant = true): Promise<Caller> => {
  const userId = await personOf(app, 'acme', username);
  const { bootstrap } = app.module;
  const client: ClientSeed = {
    tenant: 'acme',
    name: servesEveryTenant ? 'console' : 'app',
    servesEveryTenant,
    secret: 's'.repeat(43),
    grants: ['client_credentials'],
    scopes: ['orch:read'],
  };
  const clientId = toId(await bootstrap.ensureClient(client), 'Client');
  const [familyId, tokenId] = [toId(randomUUID(), 'TokenFamily'), randomUUID()];
  const authTime = app.clock.now();
  const plain = { sender: null, refreshJkt: null, resources: [], amr: ['pwd'] };
  await app.deps.database.write(acme, async (tx) => {
    const family = { id: familyId, clientId, userId, scopes: [], authTime, expiresAt: fromNow(86_400_000), ...plain };
    await families.insert(tx, acme, family);
    await families.insertAccessToken(tx, acme, { jti: tokenId, familyId, expiresAt: fromNow(900_000) });
  });
  return { ...caller({ subject: userId }), clientId, tokenId };
};

const codesOf = (errors: readonly { extensions?: Record<string, unknown> }[] | undefined) =>
  errors?.map(({ extensions }) => extensions?.code);

const begin = async (app: App, as: Caller, name = 'Laptop') => {
  const { data, errors } = await app.graph(BEGIN, { input: { name } }, { as });
  assert.equal(errors, undefined);
  const { options, ticket } = Parse(ceremony, data?.beginPasskey);
  return { ticket, asked: Parse(creation, JSON.parse(options)) };
};

const deviceAt = (origin: string) => createAuthenticator({ origin, rpId: 'localhost' });

test('a person registers a passkey in the graph, sees it, and removes it', async () => {
  await using app = await authorityAt('http://localhost:4001');
  const ada = await signedIn(app);
  const { ticket, asked } = await begin(app, ada);
  const response = deviceAt('http://localhost:4001').create(asked);
  const added = await app.graph(ADD, { input: { ticket, response } }, { as: ada });
  assert.equal(added.errors, undefined);
  const { id, ...rest } = Object(added.data?.addPasskey);
  assert.deepEqual({ ...rest }, { name: 'Laptop', backedUp: false });

  const me = Object((await app.graph(LIST, {}, { as: ada })).data?.me);
  assert.equal(me.accountUrl, 'http://localhost:4001/account');
  assert.deepEqual({ ...me.passkeys[0] }, { id, name: 'Laptop', backedUp: false, lastUsedAt: null });
  const removed = await app.graph(REMOVE, { input: { id } }, { as: ada });
  assert.equal(removed.data?.removePasskey, id);
  assert.deepEqual(codesOf((await app.graph(REMOVE, { input: { id } }, { as: ada })).errors), ['RES_NOT_FOUND']);
});

test('an application’s token neither adds nor removes a way in of the person it is for, nor one it was exchanged for', async () => {
  await using app = await authorityAt('http://localhost:4001');
  const ada = await signedIn(app);
  const { ticket, asked } = await begin(app, ada);
  const response = deviceAt('http://localhost:4001').create(asked);
  const application = await signedIn(app, 'ada', false);
  const exchanged = { ...ada, clientId: application.clientId };
  for (const as of [application, exchanged]) {
    assert.deepEqual(codesOf((await app.graph(BEGIN, { input: { name: 'x' } }, { as })).errors), [
      'PERM_ACTION_DENIED',
    ]);
    const refused = await app.graph(ADD, { input: { ticket, response } }, { as });
    assert.deepEqual(codesOf(refused.errors), ['PERM_ACTION_DENIED']);
  }
  const added = await app.graph(ADD, { input: { ticket, response } }, { as: ada });
  const input = { id: Object(added.data?.addPasskey).id };
  assert.deepEqual(codesOf((await app.graph(REMOVE, { input }, { as: application })).errors), ['PERM_ACTION_DENIED']);
  await app.clock.advance(900_001);
  assert.deepEqual(codesOf((await app.graph(REMOVE, { input }, { as: ada })).errors), ['PERM_ACTION_DENIED']);
});

test('the last way in stays', async () => {
  await using app = await authorityAt('http://localhost:4001');
  const ada = await signedIn(app);
  const { ticket, asked } = await begin(app, ada);
  const response = deviceAt('http://localhost:4001').create(asked);
  const input = {
    id: Object((await app.graph(ADD, { input: { ticket, response } }, { as: ada })).data?.addPasskey).id,
  };
  await app.deps.database.write(acme, (tx) => update(tx, acme, toId(ada.subject, 'User'), { passwordHash: null }));
  const refused = await app.graph(REMOVE, { input }, { as: ada });
  assert.deepEqual(codesOf(refused.errors), ['RES_CONFLICT']);
  assert.match(refused.errors?.[0]?.message ?? '', /only way to sign in/);
  assert.equal(Object((await app.graph(LIST, {}, { as: ada })).data?.me).passkeys.length, 1);
});

test('adding needs a sign-in of the last 15 minutes: a token alone makes no lasting way in', async () => {
  await using app = await authorityAt('http://localhost:4001');
  const ada = await signedIn(app);
  const { ticket, asked } = await begin(app, ada);
  const add = async (as: Caller) => {
    const response = deviceAt('http://localhost:4001').create(asked);
    return codesOf((await app.graph(ADD, { input: { ticket, response } }, { as })).errors);
  };
  const { tokenId: _none, ...unknown } = ada;
  assert.deepEqual(await add(unknown), ['PERM_ACTION_DENIED']);
  assert.deepEqual(await add({ ...ada, tokenId: randomUUID() }), ['PERM_ACTION_DENIED']);
  assert.deepEqual(await add({ ...ada, tokenId: 'no uuid' }), ['PERM_ACTION_DENIED']);
  await app.clock.advance(900_001);
  assert.deepEqual(await add(ada), ['PERM_ACTION_DENIED']);
});

test('a passkey is its person’s alone, in the tenant and beyond', async () => {
  await using app = await authorityAt('http://localhost:4001');
  const [ada, ben] = [await signedIn(app), await signedIn(app, 'ben')];
  const gil = { ...ada, ...caller({ tenant: 'globex', subject: await personOf(app, 'globex', 'gil') }) };
  const { ticket, asked } = await begin(app, ada);
  const response = deviceAt('http://localhost:4001').create(asked);
  assert.deepEqual(codesOf((await app.graph(ADD, { input: { ticket, response } }, { as: ben })).errors), [
    'VAL_INVALID_VALUE',
  ]);
  const { data } = await app.graph(ADD, { input: { ticket, response } }, { as: ada });
  const { id } = Object(data?.addPasskey);
  for (const as of [ben, gil]) {
    assert.deepEqual(Object((await app.graph(LIST, {}, { as })).data?.me).passkeys, []);
    assert.deepEqual(codesOf((await app.graph(REMOVE, { input: { id } }, { as })).errors), ['RES_NOT_FOUND']);
  }
});

test('clients have no passkeys', async () => {
  await using app = await authorityAt('http://localhost:4001');
  const as = caller({ subject: randomUUID(), kind: 'client' });
  assert.deepEqual(codesOf((await app.graph(BEGIN, { input: { name: 'x' } }, { as })).errors), ['PERM_DENIED']);
  assert.deepEqual(Object((await app.graph(LIST, {}, { as })).data?.me).passkeys, []);
});

test('where no passkey can work, the graph says why', async () => {
  await using app = await authorityAt('http://127.0.0.1:4001');
  const ada = await signedIn(app);
  const { errors } = await app.graph(BEGIN, { input: { name: 'x' } }, { as: ada });
  assert.deepEqual(codesOf(errors), ['RES_CONFLICT']);
  assert.match(errors?.[0]?.message ?? '', /by an IP address .*LANDFALL_AUTH_URL=http:\/\/localhost:4001/);
});
