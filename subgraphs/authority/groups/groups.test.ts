import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { text, textArray } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';
import { insertAccessToken } from '../tokens/families.store.ts';
import { insertMembers, type MemberSource } from './groups.store.ts';
import { createGroups } from './groups.ts';

const person = async (app: Awaited<ReturnType<typeof seeded>>, username: string, tenant = 'acme') =>
  toId(
    await app.module.bootstrap.ensureUser({
      tenant,
      username,
      displayName: username,
      password: 'correct horse battery',
      roles: [],
    }),
    'User',
  );

const seeded = async () => {
  const app = await testApp({ createModule: makeAuthority });
  return Object.assign(app, { groups: createGroups(app.deps), admin: app.caller('operator') });
};

const storedRoles = table('held', { groupRoles: textArray });
const rolesOf = async (app: Awaited<ReturnType<typeof seeded>>, id: string) =>
  (await app.rows(storedRoles, sql`select group_roles from authority.users where id = ${id}`))[0]?.groupRoles;

const fails = (code: string) => (error: unknown) => {
  assert.equal(Object(error).code, code);
  return true;
};

/** A family with one live access token, as a sign-in would have left it. */
const liveToken = async (app: Awaited<ReturnType<typeof seeded>>, userId: ReturnType<typeof toId<'User'>>) => {
  const [family, jti] = [toId(app.deps.ids.uuid(), 'TokenFamily'), app.deps.ids.uuid()];
  const client = await app.module.bootstrap.ensureClient({
    tenant: 'acme',
    name: `client-${jti}`,
    grants: ['client_credentials'],
    scopes: ['orch:read'],
    secret: 'x'.repeat(40),
  });
  await app.deps.database.write(toTenantId('acme'), async (tx) => {
    const now = app.clock.now();
    const expiresAt = new Date(now.getTime() + 900_000);
    await tx.run(sql`insert into authority.token_families (tenant, id, client_id, user_id, scopes, auth_time, expires_at)
      values ('acme', ${family}, ${client}, ${userId}, '{orch:read}', ${now}, ${expiresAt})`);
    await insertAccessToken(tx, toTenantId('acme'), { jti, familyId: family, expiresAt });
  });
  return { family, jti };
};

const denied = async (app: Awaited<ReturnType<typeof seeded>>, jti: string): Promise<boolean> =>
  (await app.rows(table('denied', { jti: text }), sql`select jti from kernel.revoked_tokens where jti = ${jti}`))
    .length === 1;

test('a group brings its roles to its people, and takes them away with itself', async () => {
  await using app = await seeded();
  const ada = await person(app, 'ada');
  const viewers = await app.groups.create(app.admin, { displayName: 'Viewers', roles: ['viewer'], members: [ada] });
  const factories = await app.groups.create(app.admin, {
    displayName: 'Makers',
    roles: ['viewer', 'operator'],
    members: [ada],
  });
  assert.deepEqual([viewers.memberCount, factories.memberCount], [1, 1]);
  assert.deepEqual(await rolesOf(app, ada), ['operator', 'viewer']);
  await app.groups.remove(app.admin, { id: factories.id, expectedVersion: 1 });
  assert.deepEqual(await rolesOf(app, ada), ['viewer']);
  const mapped = await app.groups.mapRoles(app.admin, { id: viewers.id, roles: ['approver'], expectedVersion: 1 });
  assert.deepEqual([mapped.roles, mapped.version], [['approver'], 2]);
  assert.deepEqual(await rolesOf(app, ada), ['approver']);
});

test('fewer roles by a group deny live access tokens in the same transaction and leave the refresh family', async () => {
  await using app = await seeded();
  const ada = await person(app, 'ada');
  const { jti, family } = await liveToken(app, ada);
  const group = await app.groups.create(app.admin, { displayName: 'Team', roles: ['viewer'], members: [ada] });
  const more = await app.groups.mapRoles(app.admin, {
    id: group.id,
    roles: ['viewer', 'operator'],
    expectedVersion: group.version,
  });
  assert.equal(await denied(app, jti), false);
  await app.groups.mapRoles(app.admin, { id: group.id, roles: ['viewer'], expectedVersion: more.version });
  assert.equal(await denied(app, jti), true);
  const [row] = await app.rows(
    table('families', { state: text }),
    sql`select case when revoked_at is null then 'alive' else 'over' end as state from authority.token_families where id = ${family}`,
  );
  assert.equal(row?.state, 'alive');
});

test('people of a source that a group no longer has leave it, and those whom an administrator put there stay', async () => {
  await using app = await seeded();
  const provider = toId(app.deps.ids.uuid(), 'IdentityProvider');
  const people = { ada: await person(app, 'ada'), bob: await person(app, 'bob'), eve: await person(app, 'eve') };
  const { id } = await app.groups.create(app.admin, {
    displayName: 'Team',
    roles: ['viewer'],
    sources: ['scim', provider],
    members: [people.ada],
  });
  const fill = (source: MemberSource, userId: (typeof people)['ada']) =>
    app.deps.database.write(toTenantId('acme'), (tx) =>
      insertMembers(tx, toTenantId('acme'), { id, source }, [userId]),
    );
  await fill('scim', people.bob);
  await fill(provider, people.eve);
  const roles = ['operator'];
  const retained = await app.groups.mapRoles(app.admin, { id, roles, expectedVersion: 1 });
  assert.equal(retained.memberCount, 3);
  assert.deepEqual(await rolesOf(app, people.eve), ['operator']);
  const { jti } = await liveToken(app, people.eve);
  await app.groups.mapRoles(app.admin, { id, roles, sources: ['scim'], expectedVersion: 2 });
  assert.deepEqual(await rolesOf(app, people.eve), []);
  assert.equal(await denied(app, jti), true);
  assert.deepEqual(await rolesOf(app, people.bob), ['operator']);
  const remaining = await app.groups.mapRoles(app.admin, { id, roles, sources: [], expectedVersion: 3 });
  assert.equal(remaining.memberCount, 1);
  assert.deepEqual([await rolesOf(app, people.ada), await rolesOf(app, people.bob)], [['operator'], []]);
});

test('two groups that change at once lose nothing of what they bring', async () => {
  await using app = await seeded();
  const ada = await person(app, 'ada');
  await Promise.all(
    (['viewer', 'operator', 'approver', 'release-manager'] as const).map((role) =>
      app.groups.create(app.admin, { displayName: role, roles: [role], members: [ada] }),
    ),
  );
  assert.deepEqual(await rolesOf(app, ada), ['approver', 'operator', 'release-manager', 'viewer']);
});

test('a name is one group’s whatever its case; unknown people and those of another tenant do not join', async () => {
  await using app = await seeded();
  const gil = await person(app, 'gil', 'globex');
  const group = await app.groups.create(app.admin, {
    displayName: 'Team',
    roles: ['admin'],
    members: [gil, '00000000-0000-7000-8000-0000000000ff'],
  });
  assert.equal(group.memberCount, 0);
  assert.deepEqual(
    (
      await app.deps.database.read(toTenantId('globex'), (query) =>
        query.list(storedRoles, sql`select group_roles from authority.users where id = ${gil}`),
      )
    )[0]?.groupRoles,
    [],
  );
  await assert.rejects(app.groups.create(app.admin, { displayName: 'TEAM', roles: [] }), fails('RES_ALREADY_EXISTS'));
  await assert.rejects(
    app.groups.mapRoles(app.caller('other-tenant'), { id: group.id, roles: [], expectedVersion: 1 }),
    fails('RES_NOT_FOUND'),
  );
  await assert.rejects(
    app.groups.mapRoles(app.admin, { id: group.id, roles: [], expectedVersion: 9 }),
    fails('RES_VERSION_CONFLICT'),
  );
});

test('who is whose group is told to administrators and to the person alone', async () => {
  await using app = await seeded();
  const [ada, ben] = [await person(app, 'ada'), await person(app, 'ben')];
  await app.groups.create(app.admin, { displayName: 'Team', roles: ['viewer'], members: [ada, ben] });
  const names = async (caller: Parameters<typeof app.groups.ofPeople>[0]) =>
    (await app.groups.ofPeople(caller, { ids: [ada, ben] })).map((groups) => groups?.map((group) => group.displayName));
  assert.deepEqual(await names(app.admin), [['Team'], ['Team']]);
  assert.deepEqual(await names({ ...app.caller('viewer'), subject: ada }), [['Team'], undefined]);
});
