import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';

const CREATE = `mutation ($input: CreateUserInput!) {
  createUser(input: $input) { id username displayName email roles active version }
}`;
const DEACTIVATE = 'mutation ($input: DeactivateUserInput!) { deactivateUser(input: $input) { active version } }';
const LIST =
  'query ($first: Int, $after: Cursor) { users(first: $first, after: $after) { edges { node { username } } pageInfo { hasNextPage endCursor } } }';
const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on User { id username displayName email roles active version } }
}`;

const ada = {
  username: 'ada',
  displayName: 'Ada Okafor',
  email: 'ada@example.com',
  password: 'correct horse battery',
  roles: ['viewer'],
};

const seeded = () => testApp({ createModule: makeAuthority });

const codesOf = (errors: readonly { extensions?: Record<string, unknown> }[] | undefined) =>
  errors?.map(({ extensions }) => extensions?.code);

test('an administrator creates a person, and the password is in no answer, row or event', async () => {
  await using app = await seeded();
  const { data, errors } = await app.graph(CREATE, { input: ada });
  assert.equal(errors, undefined);
  const { id, ...user } = Object(data?.createUser);
  assert.ok(id);
  const { password, ...rest } = ada;
  assert.deepEqual({ ...user }, { ...rest, active: true, version: 1 });
  const stored = table('kept', { row: text });
  const rows = await app.rows(
    stored,
    sql`select u::text as row from authority.users u union all select e::text from kernel.events e
    union all select i::text from kernel.idempotency i`,
  );
  assert.ok(rows.some(({ row }) => row.includes('argon2id')));
  assert.equal(JSON.stringify([data, rows]).includes(password), false);
});

// spec: 7.1/validation-response
test('what does not fit is refused with every field at once, and nothing is written', async () => {
  await using app = await seeded();
  const input = {
    username: 'Ada!',
    displayName: ' ',
    email: 'nowhere',
    password: 'short',
    roles: ['emperor', 'viewer'],
  };
  const { errors } = await app.graph(CREATE, { input });
  const fields = errors?.[0]?.extensions?.validationErrors;
  assert.deepEqual(Array.isArray(fields) && fields.map(({ field, code }) => [field, code]).toSorted(), [
    ['displayName', 'VAL_REQUIRED_FIELD'],
    ['email', 'VAL_INVALID_FORMAT'],
    ['password', 'VAL_TOO_SHORT'],
    ['roles.0', 'VAL_INVALID_VALUE'],
    ['username', 'VAL_INVALID_FORMAT'],
  ]);
  const { data } = await app.graph(LIST);
  assert.deepEqual(Object(data?.users).edges, []);
});

test('a name is one person’s in all tenants, also of two who take it at once', async () => {
  await using app = await seeded();
  const answers = await Promise.all([
    app.graph(CREATE, { input: ada }),
    app.graph(CREATE, { input: ada }, { as: 'other-tenant' }),
    app.graph(CREATE, { input: ada }),
  ]);
  assert.deepEqual(
    answers.flatMap(({ errors }) => codesOf(errors) ?? []),
    ['RES_ALREADY_EXISTS', 'RES_ALREADY_EXISTS'],
  );
});

test('the same idempotency key gives the same person', async () => {
  await using app = await seeded();
  const input = { ...ada, idempotencyKey: 'once' };
  const [first, second] = [await app.graph(CREATE, { input }), await app.graph(CREATE, { input })];
  assert.deepEqual(second, first);
  assert.equal(first.errors, undefined);
});

test('administration needs its scope', async () => {
  await using app = await seeded();
  for (const [query, variables] of [
    [CREATE, { input: ada }],
    [LIST, {}],
  ] as const)
    assert.deepEqual(codesOf((await app.graph(query, variables, { as: 'viewer' })).errors), ['PERM_SCOPE_DENIED']);
});

test('people are listed in pages, each tenant its own', async () => {
  await using app = await seeded();
  for (const username of ['ada', 'ben', 'cyd']) await app.graph(CREATE, { input: { ...ada, username } });
  await app.graph(CREATE, { input: { ...ada, username: 'gil' } }, { as: 'other-tenant' });
  const names = async (variables: object, as: 'operator' | 'other-tenant' = 'operator') => {
    const { edges, pageInfo } = Object((await app.graph(LIST, { ...variables }, { as })).data?.users);
    return { names: edges.map((edge: { node: { username: string } }) => edge.node.username), pageInfo };
  };
  const first = await names({ first: 2 });
  assert.deepEqual(first.names, ['ada', 'ben']);
  const rest = await names({ first: 2, after: first.pageInfo.endCursor });
  assert.deepEqual([rest.names, rest.pageInfo.hasNextPage], [['cyd'], false]);
  assert.deepEqual((await names({}, 'other-tenant')).names, ['gil']);
});

test('deactivation needs the version one looked at, happens once, and does not reach another tenant', async () => {
  await using app = await seeded();
  const { id } = Object((await app.graph(CREATE, { input: ada })).data?.createUser);
  const deactivate = (input: object, as: 'operator' | 'other-tenant' = 'operator') =>
    app.graph(DEACTIVATE, { input }, { as });
  assert.deepEqual(codesOf((await deactivate({ id, expectedVersion: 1 }, 'other-tenant')).errors), ['RES_NOT_FOUND']);
  assert.deepEqual(codesOf((await deactivate({ id, expectedVersion: 2 })).errors), ['RES_VERSION_CONFLICT']);
  const { data } = await deactivate({ id, expectedVersion: 1 });
  assert.deepEqual({ ...Object(data?.deactivateUser) }, { active: false, version: 2 });
  assert.deepEqual(codesOf((await deactivate({ id, expectedVersion: 2 })).errors), ['RES_CONFLICT']);
});

test('a reference always finds somebody: a person, a client by its name, anybody else by the id', async () => {
  await using app = await seeded();
  const { id: person } = Object((await app.graph(CREATE, { input: ada })).data?.createUser);
  const { id: other } = Object(
    (await app.graph(CREATE, { input: { ...ada, username: 'gil' } }, { as: 'other-tenant' })).data?.createUser,
  );
  const client = await app.module.bootstrap.ensureClient({
    tenant: 'acme',
    name: 'pipeline',
    secret: 's'.repeat(43),
    grants: ['client_credentials'],
    scopes: ['orch:read'],
  });
  const ids = [person, client, other, 'orchestrator.releaseSources'];
  const representations = ids.map((id) => ({ __typename: 'User', id }));
  const { data, errors } = await app.graph(ENTITIES, { representations }, { as: 'operator' });
  assert.equal(errors, undefined);
  const unknownCaller = { email: null, roles: [], active: false, version: 1 };
  assert.deepEqual(JSON.parse(JSON.stringify(data?._entities)), [
    {
      id: person,
      username: 'ada',
      displayName: 'Ada Okafor',
      email: ada.email,
      roles: ['viewer'],
      active: true,
      version: 1,
    },
    { id: client, username: client, displayName: 'pipeline', ...unknownCaller },
    { id: other, username: other, displayName: other, ...unknownCaller },
    {
      id: 'orchestrator.releaseSources',
      username: 'orchestrator.releaseSources',
      displayName: 'Landfall (release sources)',
      ...unknownCaller,
    },
  ]);
});

test('everybody of the tenant is told a name; e-mail and roles only administrators and the person', async () => {
  await using app = await seeded();
  const { id } = Object((await app.graph(CREATE, { input: ada })).data?.createUser);
  const visibleTo = async (as: Parameters<typeof app.graph>[2]) => {
    const { data } = await app.graph(ENTITIES, { representations: [{ __typename: 'User', id }] }, as);
    const [{ username, displayName, active, email, roles }] = JSON.parse(JSON.stringify(data?._entities));
    assert.deepEqual([username, displayName, active], ['ada', 'Ada Okafor', true]);
    return { email, roles };
  };
  const complete = { email: ada.email, roles: ['viewer'] };
  assert.deepEqual(await visibleTo({ as: 'viewer' }), { email: null, roles: null });
  assert.deepEqual(await visibleTo({ as: { ...app.caller('viewer'), subject: id } }), complete);
  assert.deepEqual(await visibleTo({ as: 'operator' }), complete);
});

test('me says who asks; a client is no person', async () => {
  await using app = await seeded();
  const { id } = Object((await app.graph(CREATE, { input: ada })).data?.createUser);
  const query = '{ me { subject tenant scopes roles user { username } } }';
  const as = (subject: string) => ({ as: { ...app.caller('viewer'), subject } });
  const me = async (subject: string) => JSON.parse(JSON.stringify((await app.graph(query, {}, as(subject))).data?.me));
  const common = { tenant: 'acme', scopes: ['release:read', 'orch:read'] };
  assert.deepEqual(await me(id), { subject: id, ...common, roles: ['viewer'], user: { username: 'ada' } });
  assert.deepEqual(await me('pipeline'), { subject: 'pipeline', ...common, roles: [], user: null });
});
