import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';

const FIELDS = 'id name grants scopes redirectUris canIntrospect secretCount active version';
const CREATE = `mutation ($input: CreateClientInput!) { createClient(input: $input) { secret client { ${FIELDS} } } }`;
const ROTATE = `mutation ($input: RotateClientSecretInput!) {
  rotateClientSecret(input: $input) { secret client { secretCount version } }
}`;
const LIST = `{ clients { edges { node { ${FIELDS} } } } }`;

const pipeline = { name: 'pipeline', grants: ['CLIENT_CREDENTIALS'], scopes: ['release:read'] };

const seeded = () => testApp({ createModule: makeAuthority });
type App = Awaited<ReturnType<typeof seeded>>;

const codesOf = (errors: readonly { extensions?: Record<string, unknown> }[] | undefined) =>
  errors?.map(({ extensions }) => extensions?.code);

const created = async (app: App, input: object = pipeline): Promise<{ secret: string; client: { id: string } }> => {
  const { data, errors } = await app.graph(CREATE, { input });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data?.createClient));
};

const canGetToken = (app: App, id: string, secret: string): Promise<boolean> =>
  app.module
    .token({
      authorization: undefined,
      body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
      requestId: '01900000-0000-7000-8000-000000000000',
      dpop: undefined,
      certificate: undefined,
      path: '/token',
      address: '127.0.0.1',
    })
    .then(
      () => true,
      () => false,
    );

test('a client is created with a secret that works and is never readable again', async () => {
  await using app = await seeded();
  const { secret, client } = await created(app);
  assert.match(secret, /^[\w-]{43}$/);
  assert.equal(await canGetToken(app, client.id, secret), true);
  const { data } = await app.graph(LIST);
  assert.deepEqual(JSON.parse(JSON.stringify(data?.clients)).edges[0].node, {
    id: client.id,
    ...pipeline,
    redirectUris: [],
    canIntrospect: false,
    secretCount: 1,
    active: true,
    version: 1,
  });
  assert.equal(JSON.stringify(data).includes(secret), false);
});

test('what does not fit is refused with every field at once', async () => {
  await using app = await seeded();
  const input = {
    name: '',
    grants: [],
    scopes: ['release:read', 'everything'],
    redirectUris: ['https://ok.example/', 'http://evil.example/', 'https://ok.example/#x'],
  };
  const fields = (await app.graph(CREATE, { input })).errors?.[0]?.extensions?.validationErrors;
  assert.deepEqual(Array.isArray(fields) && fields.map(({ field, code }) => [field, code]).toSorted(), [
    ['grants', 'VAL_TOO_SHORT'],
    ['name', 'VAL_REQUIRED_FIELD'],
    ['redirectUris.1', 'VAL_INVALID_FORMAT'],
    ['redirectUris.2', 'VAL_INVALID_FORMAT'],
    ['scopes.1', 'VAL_INVALID_VALUE'],
  ]);
  const nowhere = await app.graph(CREATE, { input: { ...pipeline, grants: ['AUTHORIZATION_CODE'] } });
  assert.deepEqual(codesOf(nowhere.errors), ['VAL_REQUIRED_FIELD']);
});

test('a name is one client’s in its tenant, and may be another’s elsewhere', async () => {
  await using app = await seeded();
  await created(app);
  assert.deepEqual(codesOf((await app.graph(CREATE, { input: pipeline })).errors), ['RES_ALREADY_EXISTS']);
  assert.equal((await app.graph(CREATE, { input: pipeline }, { as: 'other-tenant' })).errors, undefined);
});

test('while a secret changes over two work; the next change retires the oldest', async () => {
  await using app = await seeded();
  const { secret: first, client } = await created(app);
  const rotate = async (expectedVersion: number) => {
    const { data } = await app.graph(ROTATE, { input: { id: client.id, expectedVersion } });
    return JSON.parse(JSON.stringify(data?.rotateClientSecret));
  };
  const second = await rotate(1);
  assert.deepEqual(second.client, { secretCount: 2, version: 2 });
  for (const secret of [first, second.secret]) assert.equal(await canGetToken(app, client.id, secret), true);
  const third = await rotate(2);
  assert.deepEqual(third.client, { secretCount: 2, version: 3 });
  const works = [first, second.secret, third.secret].map((secret) => canGetToken(app, client.id, secret));
  assert.deepEqual(await Promise.all(works), [false, true, true]);
});

test('a secret is rotated by its tenant’s administrator only, at the version looked at', async () => {
  await using app = await seeded();
  const { client } = await created(app);
  const rotate = (input: object, as: 'operator' | 'viewer' | 'other-tenant') => app.graph(ROTATE, { input }, { as });
  const input = { id: client.id, expectedVersion: 1 };
  assert.deepEqual(codesOf((await rotate(input, 'viewer')).errors), ['PERM_SCOPE_DENIED']);
  assert.deepEqual(codesOf((await rotate(input, 'other-tenant')).errors), ['RES_NOT_FOUND']);
  assert.deepEqual(codesOf((await rotate({ ...input, expectedVersion: 7 }, 'operator')).errors), [
    'RES_VERSION_CONFLICT',
  ]);
});

test('a client is found by reference in its own tenant only', async () => {
  await using app = await seeded();
  const { client } = await created(app);
  const query = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Client { name secretCount } } }';
  const found = async (as: 'operator' | 'other-tenant') => {
    const { data } = await app.graph(query, { r: [{ __typename: 'Client', id: client.id }] }, { as });
    return JSON.parse(JSON.stringify(data?._entities));
  };
  assert.deepEqual(await found('operator'), [{ name: 'pipeline', secretCount: 1 }]);
  assert.deepEqual(await found('other-tenant'), [null]);
});
