import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { fromNow } from '@landfall/kernel/db/sql';
import { isRevoked } from '@landfall/kernel/identity/denylist';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';
import * as families from '../tokens/families.store.ts';

const PERSON = 'id username displayName email roles active version';
const CREATE = `mutation ($input: CreateUserInput!) { it: createUser(input: $input) { ${PERSON} } }`;
const UPDATE = `mutation ($input: UpdateUserInput!) { it: updateUser(input: $input) { ${PERSON} } }`;
const DEACTIVATE = `mutation ($input: DeactivateUserInput!) { it: deactivateUser(input: $input) { ${PERSON} } }`;
const REACTIVATE = `mutation ($input: ReactivateUserInput!) { it: reactivateUser(input: $input) { ${PERSON} } }`;
const FIND = `query ($id: ID!) { it: user(id: $id) { ${PERSON} } }`;
const SEARCH = `query ($filter: UserFilter, $first: Int, $after: Cursor) {
  it: users(filter: $filter, first: $first, after: $after) {
    edges { node { username groups { displayName } signIn { password totp passkeys provisioned pendingLink } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const acme = toTenantId('acme');
const someone = { displayName: 'Ada Okafor', password: 'correct horse battery', roles: ['viewer'] };

const seeded = () => testApp({ createModule: makeAuthority });
type App = Awaited<ReturnType<typeof seeded>>;
type As = Parameters<App['graph']>[2];

const ask = async (app: App, source: string, variables: object, as?: As) => {
  const { data, errors } = await app.graph(source, { ...variables }, as);
  return { it: JSON.parse(JSON.stringify(data?.it ?? null)), code: errors?.[0]?.extensions?.code, errors };
};

const create = async (app: App, input: object, as?: As) => {
  const { it, errors } = await ask(app, CREATE, { input: { ...someone, ...input } }, as);
  assert.equal(errors, undefined);
  return it;
};

/** An access token of a sign-in, as the token endpoint records it. */
const signedIn = async (app: App, userId: string): Promise<string> => {
  const clientId = await app.module.bootstrap.ensureClient({
    tenant: 'acme',
    name: 'web',
    secret: 's'.repeat(43),
    grants: ['client_credentials'],
    scopes: ['orch:read'],
  });
  const [family, jti] = [toId(app.deps.ids.uuid(), 'TokenFamily'), app.deps.ids.uuid()];
  await app.deps.database.write(acme, async (tx) => {
    await families.insert(tx, acme, {
      id: family,
      clientId: toId(clientId, 'Client'),
      userId: toId(userId, 'User'),
      scopes: ['orch:read'],
      authTime: app.clock.now(),
      expiresAt: fromNow(900_000),
      sender: null,
      refreshJkt: null,
      resources: [],
      amr: ['pwd'],
    });
    await families.insertAccessToken(tx, acme, { jti, familyId: family, expiresAt: fromNow(900_000) });
  });
  return jti;
};

const isDenied = (app: App, jti: string): Promise<boolean> =>
  app.deps.database.read(acme, (query) => isRevoked(query, { jti }));

test('people are searched by any part of what they are called, in any case, and by whether they are active', async () => {
  await using app = await seeded();
  const { id, version } = await create(app, { username: 'ada', email: 'ada@north.example' });
  await create(app, { username: 'ben_lee', displayName: 'Ben 100% Lee' });
  await create(app, { username: 'gil', displayName: 'Ada elsewhere' }, { as: 'other-tenant' });
  await ask(app, DEACTIVATE, { input: { id, expectedVersion: version } });
  const found = async (filter: object) => {
    const { it } = await ask(app, SEARCH, { filter });
    return it.edges.map(({ node }: { node: { username: string } }) => node.username);
  };
  assert.deepEqual(await found({ text: 'OKA' }), ['ada']);
  assert.deepEqual(await found({ text: 'north.ex' }), ['ada']);
  assert.deepEqual(await found({ text: '100%' }), ['ben_lee']);
  assert.deepEqual(await found({ text: 'n_l' }), ['ben_lee']);
  for (const text of ['a%a', 'a_a', '%', '_a', '\\']) assert.deepEqual(await found({ text, active: false }), [], text);
  assert.deepEqual(await found({ active: true }), ['ben_lee']);
  assert.deepEqual(await found({ active: false }), ['ada']);
  assert.deepEqual(await found({}), ['ada', 'ben_lee']);
});

test('a page goes on where the one before it ended, under the same filter', async () => {
  await using app = await seeded();
  for (const username of ['ada', 'ben', 'cyd', 'dan']) await create(app, { username, displayName: `${username} team` });
  const page = { filter: { text: 'TEAM' }, first: 3 };
  const { it: first } = await ask(app, SEARCH, page);
  const { it: rest } = await ask(app, SEARCH, { ...page, after: first.pageInfo.endCursor });
  assert.deepEqual([first.edges.length, first.pageInfo.hasNextPage], [3, true]);
  assert.deepEqual([rest.edges.length, rest.pageInfo.hasNextPage], [1, false]);
});

test('however many people a page has, what it tells of them takes the same statements', async () => {
  await using app = await seeded();
  const statementsOf = async (): Promise<string> => {
    app.statements.length = 0;
    assert.equal((await ask(app, SEARCH, {})).errors, undefined);
    return app.statements.toSorted().join();
  };
  const members = [(await create(app, { username: 'ada' })).id];
  const makeGroup = 'mutation ($input: CreateGroupInput!) { it: createGroup(input: $input) { id } }';
  await ask(app, makeGroup, { input: { displayName: 'Crew', roles: ['viewer'], members } });
  const one = await statementsOf();
  for (const username of ['ben', 'cyd', 'dan', 'eve']) members.push((await create(app, { username })).id);
  await ask(app, makeGroup, { input: { displayName: 'All hands', roles: [], members } });
  assert.equal(await statementsOf(), one);
  const { it } = await ask(app, SEARCH, {});
  const [{ node }] = it.edges;
  assert.deepEqual(node.groups.map(({ displayName }: { displayName: string }) => displayName).toSorted(), [
    'All hands',
    'Crew',
  ]);
  const facts = { password: true, totp: false, passkeys: 0, provisioned: false, pendingLink: false };
  assert.deepEqual(node.signIn, facts);
});

test('what is left out of a change stays, and an empty e-mail is none', async () => {
  await using app = await seeded();
  const ada = await create(app, { username: 'ada', email: 'ada@example.com' });
  const change = (input: object) => ask(app, UPDATE, { input: { id: ada.id, ...input } });
  const { it: renamed } = await change({ displayName: 'Ada Lovelace', expectedVersion: 1 });
  assert.deepEqual(renamed, { ...ada, displayName: 'Ada Lovelace', version: 2 });
  const { it: changed } = await change({ email: '', roles: ['operator', 'approver'], expectedVersion: 2 });
  assert.deepEqual([changed.email, changed.roles, changed.version], [null, ['operator', 'approver'], 3]);
  assert.equal((await change({ displayName: 'x', expectedVersion: 2 })).code, 'RES_VERSION_CONFLICT');
  assert.equal((await change({ email: 'nowhere', expectedVersion: 3 })).code, 'VAL_INVALID_FORMAT');
  assert.equal((await change({ roles: ['emperor'], expectedVersion: 3 })).code, 'VAL_INVALID_VALUE');
});

test('another tenant’s person is nobody: not found, not changed, not let in again', async () => {
  await using app = await seeded();
  const { id } = await create(app, { username: 'ada' });
  const as = { as: 'other-tenant' } as const;
  assert.deepEqual(await ask(app, FIND, { id }, as), { it: null, code: undefined, errors: undefined });
  for (const run of [UPDATE, DEACTIVATE, REACTIVATE])
    assert.equal((await ask(app, run, { input: { id, expectedVersion: 1 } }, as)).code, 'RES_NOT_FOUND');
  assert.equal((await ask(app, FIND, { id }, { as: 'viewer' })).code, 'PERM_SCOPE_DENIED');
});

test('fewer roles deny the live access token at once; more roles, or another name, do not', async () => {
  await using app = await seeded();
  const { id } = await create(app, { username: 'ada', roles: ['viewer'] });
  const jti = await signedIn(app, id);
  const change = (input: object) => ask(app, UPDATE, { input: { id, ...input } });
  await change({ roles: ['operator', 'viewer'], expectedVersion: 1 });
  await change({ displayName: 'Ada', expectedVersion: 2 });
  assert.equal(await isDenied(app, jti), false);
  await change({ roles: ['viewer'], expectedVersion: 3 });
  assert.equal(await isDenied(app, jti), true);
});

test('a role that a group brings too is not lost with the person’s own', async () => {
  await using app = await seeded();
  const { id } = await create(app, { username: 'ada', roles: ['operator'] });
  const makeGroup = 'mutation ($input: CreateGroupInput!) { it: createGroup(input: $input) { id } }';
  await ask(app, makeGroup, { input: { displayName: 'Ops', roles: ['operator'], members: [id] } });
  const jti = await signedIn(app, id);
  const { it } = await ask(app, FIND, { id });
  await ask(app, UPDATE, { input: { id, roles: [], expectedVersion: it.version } });
  assert.equal(await isDenied(app, jti), false);
  const me = await ask(app, '{ it: me { roles accountUrl } }', {}, { as: { ...app.caller('viewer'), subject: id } });
  assert.deepEqual(me.it, { roles: ['operator'], accountUrl: 'http://127.0.0.1:4001/account' });
});

test('whoever is deactivated has nothing left, and is let in again without it', async () => {
  await using app = await seeded();
  const { id } = await create(app, { username: 'ada' });
  const jti = await signedIn(app, id);
  const stopped = () => app.deps.database.read(acme, (query) => isRevoked(query, { subject: id }));
  const { it: removed } = await ask(app, DEACTIVATE, { input: { id, expectedVersion: 1 } });
  assert.deepEqual([removed.active, await stopped(), await isDenied(app, jti)], [false, true, true]);
  const { it: back } = await ask(app, REACTIVATE, { input: { id, expectedVersion: 2 } });
  assert.deepEqual([back.active, back.version, await stopped(), await isDenied(app, jti)], [true, 3, false, true]);
  assert.equal((await ask(app, REACTIVATE, { input: { id, expectedVersion: 3 } })).code, 'RES_CONFLICT');
});

test('an invitation ends with its person’s deactivation and does not come back with them', async () => {
  await using app = await seeded();
  const invite = 'mutation ($input: InviteUserInput!) { it: inviteUser(input: $input) { user { id } } }';
  const { it } = await ask(app, invite, { input: { username: 'ada', displayName: 'Ada', roles: [] } });
  const { id } = it.user;
  const pending = async () => (await ask(app, SEARCH, { first: 1 })).it.edges[0].node.signIn.pendingLink;
  assert.equal(await pending(), true);
  await ask(app, DEACTIVATE, { input: { id, expectedVersion: 1 } });
  await ask(app, REACTIVATE, { input: { id, expectedVersion: 2 } });
  assert.equal(await pending(), false);
});

test('a password is never the user name, whoever sets it', async () => {
  await using app = await seeded();
  const input = { ...someone, username: 'ada.okafor@example.com', password: 'Ada.Okafor@example.com' };
  assert.equal((await ask(app, CREATE, { input })).code, 'VAL_INVALID_VALUE');
});

test('an id that is none is refused of a client as of a person', async () => {
  await using app = await seeded();
  const codes = await Promise.all(
    ['client', 'user'].map(async (noun) => (await ask(app, `{ it: ${noun}(id: "no-id") { id } }`, {})).code),
  );
  assert.deepEqual(codes, ['VAL_INVALID_UUID', 'VAL_INVALID_UUID']);
});

test('the last active administrator of a tenant stays one', async () => {
  await using app = await seeded();
  const ada = await create(app, { username: 'ada', roles: ['admin'] });
  const ben = await create(app, { username: 'ben', roles: ['admin'] });
  await ask(app, DEACTIVATE, { input: { id: ben.id, expectedVersion: 1 } });
  const demoted = await ask(app, UPDATE, { input: { id: ada.id, roles: ['viewer'], expectedVersion: 1 } });
  const stopped = await ask(app, DEACTIVATE, { input: { id: ada.id, expectedVersion: 1 } });
  assert.deepEqual([demoted.code, stopped.code], ['RES_CONFLICT', 'RES_CONFLICT']);
  assert.match(demoted.errors?.[0]?.message ?? '', /Ada Okafor is the last active administrator/);
  const { it } = await ask(app, FIND, { id: ada.id });
  assert.deepEqual([it.roles, it.active, it.version], [['admin'], true, 1]);
  await create(app, { username: 'cyd', roles: ['admin'] });
  assert.equal((await ask(app, DEACTIVATE, { input: { id: ada.id, expectedVersion: 1 } })).code, undefined);
});

test('of eight administrators who step down at once one stays', async () => {
  await using app = await seeded();
  const people = [];
  for (let n = 0; n < 8; n++) people.push(await create(app, { username: `admin${n}`, roles: ['admin'] }));
  const answers = await Promise.all(
    people.map(({ id }, n) =>
      n % 2 === 0
        ? ask(app, UPDATE, { input: { id, roles: [], expectedVersion: 1 } })
        : ask(app, DEACTIVATE, { input: { id, expectedVersion: 1 } }),
    ),
  );
  const refused = answers.filter(({ code }) => code !== undefined);
  assert.deepEqual([refused.length, refused[0]?.code], [1, 'RES_CONFLICT']);
});
