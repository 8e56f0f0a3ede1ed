import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boolean, id, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { isRevoked } from '@landfall/kernel/identity/denylist';
import { testApp } from '@landfall/kernel/testing/app';
import { selfSigned } from '@landfall/kernel/testing/certificates';
import { makeAuthority } from '../testing/authority.ts';

const FIELDS = `id name grants scopes redirectUris postLogoutRedirectUris allowedOrigins resources authMethods
  tlsSubject { kind value } certificateThumbprints dpopBound tlsBound requiresPushedRequests requiresConsent
  canIntrospect plan secretCount active version`;
const CREATE = `mutation ($input: CreateClientInput!) { createClient(input: $input) { secret client { ${FIELDS} } } }`;
const UPDATE = `mutation ($input: UpdateClientInput!) { updateClient(input: $input) { ${FIELDS} } }`;
const DEACTIVATE = `mutation ($input: DeactivateClientInput!) { deactivateClient(input: $input) { ${FIELDS} } }`;
const ROTATE = `mutation ($input: RotateClientSecretInput!) { rotateClientSecret(input: $input) { secret client { ${FIELDS} } } }`;
const LIST = `query ($filter: ClientFilter) { clients(filter: $filter) { edges { node { name active } } } }`;

const pipeline = { name: 'pipeline', grants: ['CLIENT_CREDENTIALS'], scopes: ['release:read'] };
const app = { name: 'app', grants: ['AUTHORIZATION_CODE'], scopes: ['openid'], redirectUris: ['https://app.example/'] };

const seeded = async () => {
  const base = await testApp({ createModule: makeAuthority });
  await base.module.bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme', plans: ['basic', 'pro'] });
  /** Runs a mutation and returns its answer, or the refused fields with their codes. */
  const run = async (document: string, input: object, as: 'operator' | 'viewer' | 'other-tenant' = 'operator') => {
    const { data, errors } = await base.graph(document, { input }, { as });
    const [fault] = errors ?? [];
    if (!fault) return Object.values(JSON.parse(JSON.stringify(data)))[0];
    const fields = fault.extensions?.validationErrors;
    return Array.isArray(fields) && fields.length > 0
      ? fields.map(({ field, code }) => `${field} ${code}`).toSorted()
      : fault.extensions?.code;
  };
  return { ...base, act: run, [Symbol.asyncDispose]: () => base[Symbol.asyncDispose]() };
};
type Seeded = Awaited<ReturnType<typeof seeded>>;

const versionOf = (value: unknown): number => Number(Reflect.get(Object(value), 'version'));
const clientOf = (value: unknown): { id: string; secretCount: number; version: number } =>
  JSON.parse(JSON.stringify(Reflect.get(Object(value), 'client') ?? value));

const created = async ({ act: run }: Seeded, input: object = pipeline) => clientOf(await run(CREATE, input));

test('a client that authenticates by certificate alone has no secret, and is kept by thumbprints only', async () => {
  await using base = await seeded();
  const pair = selfSigned({ subject: '/CN=pipeline' });
  const answer = await base.act(CREATE, {
    ...pipeline,
    authMethods: ['SELF_SIGNED_TLS_CLIENT_AUTH', 'TLS_CLIENT_AUTH'],
    tlsSubject: { kind: 'SAN_DNS', value: 'pipeline.example' },
    certificates: [pair.cert, pair.cert],
    tlsBound: true,
    requiresConsent: true,
    resources: ['https://api.example/v1', 'urn:example:api'],
    plan: 'pro',
  });
  assert.equal(Reflect.get(Object(answer), 'secret'), null);
  const { id: _id, ...client } = clientOf(answer);
  assert.deepEqual(client, {
    ...pipeline,
    redirectUris: [],
    postLogoutRedirectUris: [],
    allowedOrigins: [],
    resources: ['https://api.example/v1', 'urn:example:api'],
    authMethods: ['SELF_SIGNED_TLS_CLIENT_AUTH', 'TLS_CLIENT_AUTH'],
    tlsSubject: { kind: 'SAN_DNS', value: 'pipeline.example' },
    certificateThumbprints: [Buffer.from(pair.x509.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url')],
    dpopBound: false,
    tlsBound: true,
    requiresPushedRequests: false,
    requiresConsent: true,
    canIntrospect: false,
    plan: 'pro',
    secretCount: 0,
    active: true,
    version: 1,
  });
  const { id } = clientOf(answer);
  assert.equal(await base.act(ROTATE, { id, expectedVersion: 1 }), 'RES_CONFLICT');
});

test('a public client has no secret, and nothing that only a client can do which proves who it is', async () => {
  await using base = await seeded();
  const spa = { ...app, authMethods: ['NONE'], allowedOrigins: ['https://app.example', 'http://localhost:5173'] };
  const answer = await base.act(CREATE, spa);
  assert.equal(Reflect.get(Object(answer), 'secret'), null);
  const { id } = clientOf(answer);
  assert.deepEqual(Reflect.get(Object(Reflect.get(Object(answer), 'client')), 'allowedOrigins'), spa.allowedOrigins);
  assert.equal(await base.act(ROTATE, { id, expectedVersion: 1 }), 'RES_CONFLICT');
  const wrong: [object, string[]][] = [
    [{ authMethods: ['NONE', 'CLIENT_SECRET_BASIC'] }, ['authMethods VAL_INVALID_VALUE']],
    [{ grants: ['AUTHORIZATION_CODE', 'CLIENT_CREDENTIALS'] }, ['grants VAL_INVALID_VALUE']],
    [{ grants: ['AUTHORIZATION_CODE', 'TOKEN_EXCHANGE'] }, ['grants VAL_INVALID_VALUE']],
    [{ grants: ['AUTHORIZATION_CODE', 'PASSWORD'] }, ['grants VAL_INVALID_VALUE']],
    [{ canIntrospect: true }, ['canIntrospect VAL_INVALID_VALUE']],
    [
      {
        allowedOrigins: [
          '*',
          'null',
          'https://app.example/',
          'https://*.example',
          'http://app.example',
          'https://APP.example',
        ],
      },
      [0, 1, 2, 3, 4, 5].map((at) => `allowedOrigins.${at} VAL_INVALID_FORMAT`),
    ],
  ];
  for (const [more, refused] of wrong)
    assert.deepEqual(await base.act(CREATE, { ...spa, name: 'x', ...more }), refused);
});

test('what does not go together is refused, each field by its name', async () => {
  await using base = await seeded();
  const wrong: [object, string[]][] = [
    [{ authMethods: ['TLS_CLIENT_AUTH'] }, ['tlsSubject VAL_REQUIRED_FIELD']],
    [{ authMethods: ['SELF_SIGNED_TLS_CLIENT_AUTH'] }, ['certificates VAL_REQUIRED_FIELD']],
    [{ authMethods: [] }, ['authMethods VAL_TOO_SHORT']],
    [{ authMethods: ['SELF_SIGNED_TLS_CLIENT_AUTH'], certificates: ['x'] }, ['certificates.0 VAL_INVALID_FORMAT']],
    [{ certificates: [selfSigned({ subject: '/CN=x' }).cert] }, ['certificates VAL_INVALID_VALUE']],
    [{ tlsSubject: { kind: 'SAN_DNS', value: 'a.example' } }, ['tlsSubject VAL_INVALID_VALUE']],
    [
      { authMethods: ['TLS_CLIENT_AUTH'], tlsSubject: { kind: 'SUBJECT_DN', value: 'pipeline' } },
      ['tlsSubject.value VAL_INVALID_FORMAT'],
    ],
    [{ dpopBound: true, tlsBound: true }, ['tlsBound VAL_INVALID_VALUE']],
    [{ requiresPushedRequests: true }, ['requiresPushedRequests VAL_INVALID_VALUE']],
    [{ plan: 'gold' }, ['plan VAL_INVALID_VALUE']],
    [
      { resources: ['/relative', 'https://a.example/#f', 'a b'] },
      [0, 1, 2].map((at) => `resources.${at} VAL_INVALID_FORMAT`),
    ],
    [{ grants: ['AUTHORIZATION_CODE'], requiresPushedRequests: true }, ['redirectUris VAL_REQUIRED_FIELD']],
  ];
  for (const [more, fields] of wrong)
    assert.deepEqual(await base.act(CREATE, { ...pipeline, ...more }), fields, JSON.stringify(more).slice(0, 100));
  assert.deepEqual(await base.act(CREATE, { ...pipeline, plan: 'basic' }, 'other-tenant'), ['plan VAL_INVALID_VALUE']);
});

test('an update changes what it says and leaves the rest', async () => {
  await using base = await seeded();
  const { id } = await created(base, { ...app, plan: 'pro' });
  const first = await base.act(UPDATE, { id, expectedVersion: 1, name: 'renamed', requiresPushedRequests: true });
  assert.deepEqual(JSON.parse(JSON.stringify(first)), {
    ...{ id, ...app, name: 'renamed', postLogoutRedirectUris: [], allowedOrigins: [], resources: [] },
    tlsSubject: null,
    ...{ authMethods: ['CLIENT_SECRET_BASIC', 'CLIENT_SECRET_POST'], certificateThumbprints: [], dpopBound: false },
    ...{ tlsBound: false, requiresPushedRequests: true, requiresConsent: false, canIntrospect: false, plan: 'pro' },
    ...{ secretCount: 1, active: true, version: 2 },
  });
  assert.deepEqual(await base.act(UPDATE, { id, expectedVersion: 2, grants: ['CLIENT_CREDENTIALS'] }), [
    'requiresPushedRequests VAL_INVALID_VALUE',
  ]);
  assert.equal(Reflect.get(Object(await base.act(UPDATE, { id, expectedVersion: 2, plan: '' })), 'plan'), null);
  assert.equal(await base.act(UPDATE, { id, expectedVersion: 2 }), 'RES_VERSION_CONFLICT');
  await created(base);
  assert.equal(await base.act(UPDATE, { id, expectedVersion: 3, name: 'pipeline' }), 'RES_ALREADY_EXISTS');
});

test('a client that turns to certificates loses its secrets, and back again its certificates', async () => {
  await using base = await seeded();
  const { id } = await created(base);
  const { cert } = selfSigned({ subject: '/CN=pipeline' });
  const changedTo = await base.act(UPDATE, {
    id,
    expectedVersion: 1,
    authMethods: ['SELF_SIGNED_TLS_CLIENT_AUTH'],
    certificates: [cert],
  });
  assert.equal(clientOf(changedTo).secretCount, 0);
  const back = await base.act(UPDATE, { id, expectedVersion: 2, authMethods: ['CLIENT_SECRET_BASIC'] });
  assert.deepEqual(Reflect.get(Object(back), 'certificateThumbprints'), []);
  const rotated = await base.act(ROTATE, { id, expectedVersion: 3 });
  assert.equal(clientOf(rotated).secretCount, 1);
});

test('a plan that the tenant has no more stays where it is until it is changed', async () => {
  await using base = await seeded();
  const { id } = await created(base, { ...pipeline, plan: 'pro' });
  await base.module.bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme', plans: ['basic'] });
  assert.equal(versionOf(await base.act(UPDATE, { id, expectedVersion: 1, name: 'other' })), 2);
  assert.equal(versionOf(await base.act(UPDATE, { id, expectedVersion: 2, plan: 'basic' })), 3);
  assert.deepEqual(await base.act(UPDATE, { id, expectedVersion: 3, plan: 'pro' }), ['plan VAL_INVALID_VALUE']);
});

const stops = table('kernel.stopped', { kind: text, id: text });
const families = table('authority.token_families', { id: id('TokenFamily'), ended: boolean });

test('a client that is stopped is so at once: its families end, its tokens are denied, once', async () => {
  await using base = await seeded();
  const { id: clientId } = await created(base);
  const userId = await base.module.bootstrap.ensureUser({
    ...{ tenant: 'acme', username: 'ada', displayName: 'Ada', password: 'correct horse battery', roles: [] },
  });
  await base.deps.database.write(base.caller('operator').tenant ?? assert.fail(), (tx) =>
    tx.run(sql`insert into authority.token_families (tenant, id, client_id, user_id, scopes, auth_time, expires_at)
      values ('acme', ${base.deps.ids.uuid()}, ${clientId}, ${userId}, '{}', kernel.now(), kernel.now() + interval '1 day')`),
  );
  const denied = () =>
    base.deps.database.system.read((query) =>
      isRevoked(query, { jti: 'j', tenant: 'acme', clientId, subject: userId }),
    );
  assert.equal(await denied(), false);
  const stopped = await base.act(DEACTIVATE, { id: clientId, expectedVersion: 1 });
  assert.equal(Reflect.get(Object(stopped), 'active'), false);
  assert.equal(await denied(), true);
  assert.deepEqual(await base.rows(stops, sql`select kind, id from kernel.stopped`), [
    { kind: 'client', id: clientId },
  ]);
  const [family] = await base.rows(
    families,
    sql`select id, revoked_at is not null as ended from authority.token_families`,
  );
  assert.equal(family?.ended, true);
  assert.equal(await base.act(DEACTIVATE, { id: clientId, expectedVersion: 2 }), 'RES_CONFLICT');
});

test('of eight who stop a client at once one does', async () => {
  await using base = await seeded();
  const { id } = await created(base);
  const all = await Promise.all(Array.from({ length: 8 }, () => base.act(DEACTIVATE, { id, expectedVersion: 1 })));
  assert.equal(all.filter((answer) => typeof answer === 'object').length, 1);
  assert.equal(all.filter((answer) => answer === 'RES_VERSION_CONFLICT').length, 7);
});

test('eight secrets made at once, each at the version that was looked at, are one', async () => {
  await using base = await seeded();
  const { id } = await created(base);
  const all = await Promise.all(Array.from({ length: 8 }, () => base.act(ROTATE, { id, expectedVersion: 1 })));
  assert.equal(all.filter((answer) => typeof answer === 'object').length, 1);
});

test('a client is another tenant’s to nobody, and an administrator’s alone', async () => {
  await using base = await seeded();
  const { id } = await created(base);
  for (const [document, input] of [
    [UPDATE, { id, expectedVersion: 1, name: 'mine' }],
    [DEACTIVATE, { id, expectedVersion: 1 }],
  ] as const) {
    assert.equal(await base.act(document, input, 'other-tenant'), 'RES_NOT_FOUND');
    assert.equal(await base.act(document, input, 'viewer'), 'PERM_SCOPE_DENIED');
  }
});

test('a client that serves every tenant is the operator’s', async () => {
  await using base = await seeded();
  const id = await base.module.bootstrap.ensureClient({
    ...{
      tenant: 'acme',
      name: 'console',
      secret: 's'.repeat(43),
      grants: ['client_credentials'],
      scopes: ['orch:read'],
    },
    servesEveryTenant: true,
  });
  for (const document of [UPDATE, DEACTIVATE, ROTATE])
    assert.equal(await base.act(document, { id, expectedVersion: 1 }), 'PERM_ACTION_DENIED');
});

test('clients are found by a part of their name and by whether they are stopped', async () => {
  await using base = await seeded();
  const { id } = await created(base);
  await created(base, { ...pipeline, name: 'Pipe_2' });
  await created(base, { ...pipeline, name: 'other' });
  await base.act(DEACTIVATE, { id, expectedVersion: 1 });
  const found = async (filter: object) => {
    const { data } = await base.graph(LIST, { filter });
    const edges: { node: { name: string } }[] = JSON.parse(JSON.stringify(data?.clients)).edges;
    return edges.map(({ node }) => node.name).toSorted();
  };
  assert.deepEqual(await found({}), ['Pipe_2', 'other', 'pipeline']);
  assert.deepEqual(await found({ text: 'PIPE' }), ['Pipe_2', 'pipeline']);
  assert.deepEqual(await found({ text: 'e_2' }), ['Pipe_2']);
  assert.deepEqual(await found({ text: '%' }), []);
  assert.deepEqual(await found({ active: false }), ['pipeline']);
  assert.deepEqual(await found({ active: true, text: 'pipe' }), ['Pipe_2']);
});
