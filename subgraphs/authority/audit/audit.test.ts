import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';

const TRAIL = `query ($filter: AuditFilter, $first: Int, $after: Cursor) {
  it: auditTrail(filter: $filter, first: $first, after: $after) {
    edges { cursor node { id at type entity entityId version correlationId data actor { displayName } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
const CREATE = 'mutation ($input: CreateUserInput!) { it: createUser(input: $input) { id } }';
const UPDATE = 'mutation ($input: UpdateUserInput!) { it: updateUser(input: $input) { id } }';

const ada = { username: 'ada', displayName: 'Ada Okafor', password: 'correct horse battery', roles: ['viewer'] };

const seeded = () => testApp({ createModule: makeAuthority });
type App = Awaited<ReturnType<typeof seeded>>;
type As = Parameters<App['graph']>[2];

const ask = async (app: App, source: string, variables: object = {}, as?: As) => {
  const { data, errors } = await app.graph(source, { ...variables }, as);
  return { it: JSON.parse(JSON.stringify(data?.it ?? null)), code: errors?.[0]?.extensions?.code, errors };
};

interface Node {
  readonly type: string;
  readonly entityId: string;
}

const typesOf = async (app: App, filter: object, as?: As): Promise<string[]> => {
  const { it, errors } = await ask(app, TRAIL, { filter }, as);
  assert.equal(errors, undefined);
  return it.edges.map(({ node }: { node: Node }) => node.type);
};

/** A person who is made and renamed, and a client that is made: the newest last. */
const lived = async (app: App) => {
  const { it } = await ask(app, CREATE, { input: ada });
  await app.clock.advance(60_000);
  await ask(app, UPDATE, { input: { id: it.id, displayName: 'Ada', expectedVersion: 1 } });
  await app.clock.advance(60_000);
  const client = { name: 'pipeline', grants: ['CLIENT_CREDENTIALS'], scopes: ['release:read'] };
  await ask(app, 'mutation ($input: CreateClientInput!) { it: createClient(input: $input) { secret } }', {
    input: client,
  });
  return it.id;
};

test('the trail tells the newest first, who did it and what it was, and never a secret', async () => {
  await using app = await seeded();
  const id = await lived(app);
  const { it } = await ask(app, TRAIL);
  const nodes = it.edges.map(({ node }: { node: object }) => node);
  assert.deepEqual(
    nodes.map(({ type }: Node) => type),
    ['client.create', 'user.update', 'user.create', 'tenant.create'],
  );
  const { at, data, actor, id: eventId, ...rest } = nodes[2];
  assert.deepEqual(rest, {
    type: 'user.create',
    entity: 'User',
    entityId: id,
    version: 1,
    correlationId: app.caller('operator').correlationId,
  });
  assert.deepEqual(JSON.parse(data), { username: 'ada', roles: ['viewer'] });
  assert.match(eventId, /^\d+-\d+$/);
  assert.equal(new Date(at).getTime(), app.clock.now().getTime() - 120_000);
  assert.equal(actor.displayName, app.caller('operator').subject);
  assert.doesNotMatch(JSON.stringify(it), /correct horse|argon2/);
});

test('each filter narrows it, and a type is whole, ends before a dot or is a last word', async () => {
  await using app = await seeded();
  const id = await lived(app);
  const now = app.clock.now().getTime();
  const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();
  assert.deepEqual(await typesOf(app, { type: 'user' }), ['user.update', 'user.create']);
  assert.deepEqual(await typesOf(app, { type: 'user.create' }), ['user.create']);
  for (const type of ['use', 'user.cre', 'u'] as const) assert.deepEqual(await typesOf(app, { type }), [], type);
  assert.deepEqual(await typesOf(app, { type: 'create' }), ['client.create', 'user.create', 'tenant.create']);
  assert.deepEqual(await typesOf(app, { type: 'reate' }), []);
  assert.deepEqual(await typesOf(app, { entity: 'User', entityId: id }), ['user.update', 'user.create']);
  assert.deepEqual(await typesOf(app, { entity: 'Client' }), ['client.create']);
  const { subject: actor } = app.caller('operator');
  assert.deepEqual(await typesOf(app, { actor }), ['client.create', 'user.update', 'user.create']);
  const manager = { ...app.caller('operator'), subject: id };
  await ask(app, UPDATE, { input: { id, displayName: 'Ada Again', expectedVersion: 2 } }, { as: manager });
  assert.deepEqual(await typesOf(app, { actor: 'Ada' }), ['user.update']);
  assert.deepEqual(await typesOf(app, { actor: 'nobody' }), []);
  assert.deepEqual(await typesOf(app, { from: ago(1), actor }), ['client.create', 'user.update']);
  assert.deepEqual(await typesOf(app, { to: ago(1) }), ['user.create', 'tenant.create']);
  assert.deepEqual(await typesOf(app, { from: ago(1), to: ago(0) }), ['user.update']);
  assert.deepEqual(await typesOf(app, { correlationId: '01900000-0000-7000-8000-0000000000ff' }), []);
});

test('what no type or time could be is refused by name', async () => {
  await using app = await seeded();
  for (const type of ['%', 'user%', 'user_', "user' or '1'='1", 'user.', '.create', '', 'a'.repeat(200)]) {
    const { errors } = await ask(app, TRAIL, { filter: { type } });
    assert.match(String(errors?.[0]?.extensions?.code), /^VAL_/, type);
  }
  assert.equal((await ask(app, TRAIL, { filter: { from: '2026-02-30T00:00:00Z' } })).code, 'VAL_INVALID_FORMAT');
});

test('pages follow one another without a gap or a repetition', async () => {
  await using app = await seeded();
  for (let n = 0; n < 7; n++) await ask(app, CREATE, { input: { ...ada, username: `ada${n}` } });
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const { it } = await ask(app, TRAIL, { first: 3, after });
    ids.push(...it.edges.map(({ node }: { node: { id: string } }) => node.id));
    after = it.pageInfo.hasNextPage ? it.pageInfo.endCursor : undefined;
  } while (after !== undefined);
  assert.equal(ids.length, 8);
  assert.equal(new Set(ids).size, 8);
  for (const cursor of [
    'x',
    '',
    Buffer.from('1-x').toString('base64url'),
    Buffer.from(`${2n ** 64n}-1`).toString('base64url'),
  ])
    assert.equal((await ask(app, TRAIL, { after: cursor })).code, 'VAL_INVALID_FORMAT', cursor);
});

test('a tenant sees its own trail only, and its administrators alone', async () => {
  await using app = await seeded();
  const id = await lived(app);
  const as = { as: 'other-tenant' } as const;
  assert.deepEqual(await typesOf(app, {}, as), ['tenant.create']);
  assert.deepEqual(await typesOf(app, { entityId: id }, as), []);
  assert.equal((await ask(app, TRAIL, {}, { as: 'viewer' })).code, 'PERM_SCOPE_DENIED');
});

test('however long a page is, its actors are looked up together', async () => {
  await using app = await seeded();
  await lived(app);
  app.statements.length = 0;
  await ask(app, TRAIL);
  assert.equal(app.statements.filter((name) => name === 'authority.users.listByIds').length, 1);
  assert.equal(app.statements.filter((name) => name === 'authority.audit.list').length, 1);
  assert.ok(app.statements.length <= 3, app.statements.join());
});
