import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from './testing/authority.ts';

const PERSON = 'username roles groups { displayName roles memberCount } signIn { password identityProviders }';
const EVERYTHING = `{
  users { edges { node { ${PERSON} } } }
  clients { edges { node { name secretCount tlsSubject { kind } authMethods } } }
  groups { edges { node { displayName memberCount } } }
  sessions { edges { node { id user { ${PERSON} } } } }
  tokenFamilies { edges { node { id clientName client { name secretCount } user { ${PERSON} } } } }
  auditTrail { edges { node { type actor { ${PERSON} } } } }
  savedViews { name owner { ${PERSON} } }
}`;

const acme = toTenantId('acme');

const seeded = () => testApp({ createModule: makeAuthority });
type App = Awaited<ReturnType<typeof seeded>>;

interface Input {
  readonly as?: Caller;
  readonly [field: string]: unknown;
}

type As = Parameters<App['graph']>[2];

const run = async (app: App, mutation: string, fields: string, { as, ...input }: Input) => {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const source = `mutation ($input: ${type}!) { it: ${mutation}(input: $input) { ${fields} } }`;
  const { data, errors } = await app.graph(source, { input }, as && { as });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data?.it));
};

/** A person with a group, a client, a session, a family and a view of their own. */
const settle = async (app: App, name: string): Promise<void> => {
  const person = { username: name, displayName: name, password: 'correct horse battery', roles: ['viewer'] };
  const { id: userId } = await run(app, 'createUser', 'id', person);
  await run(app, 'createGroup', 'id', { displayName: name, roles: ['operator'], members: [userId] });
  const registration = { name, grants: ['CLIENT_CREDENTIALS'], scopes: ['release:read'] };
  const { client } = await run(app, 'createClient', 'client { id }', registration);
  const view = { name, path: `/${name}`, shared: true };
  await run(app, 'saveView', 'id', { ...view, as: { ...app.caller('viewer'), subject: userId } });
  const { ids, database } = app.deps;
  await database.write(acme, async (tx) => {
    await tx.run(sql`/* test.sessions.insert */
      insert into authority.sessions (tenant, id_hash, user_id, auth_time, expires_at)
      values (${acme}, ${Buffer.from(name)}, ${userId}, kernel.now(), kernel.now() + interval '1 day')`);
    await tx.run(sql`/* test.token_families.insert */
      insert into authority.token_families (tenant, id, client_id, user_id, scopes, auth_time, expires_at)
      values (${acme}, ${ids.uuid()}, ${client.id}, ${userId}, '{}', kernel.now(), kernel.now() + interval '1 day')`);
  });
};

const ask = async (app: App, as?: As) => {
  app.statements.length = 0;
  const { data, errors } = await app.graph(EVERYTHING, {}, as);
  return { data: JSON.parse(JSON.stringify(data)), errors, statements: app.statements.toSorted() };
};

test('however many there are of everything, one page of each takes the same statements', async () => {
  await using app = await seeded();
  await settle(app, 'ada');
  const one = await ask(app);
  assert.equal(one.errors, undefined);
  for (const name of ['ben', 'cyd', 'dan', 'eve']) await settle(app, name);
  const five = await ask(app);
  assert.deepEqual(five.statements, one.statements);
  const lists = ['users', 'clients', 'groups', 'sessions', 'tokenFamilies'];
  assert.deepEqual(
    lists.map((name) => five.data[name].edges.length),
    [5, 5, 5, 5, 5],
  );
  const [{ node: family }] = five.data.tokenFamilies.edges;
  assert.deepEqual(
    [family.clientName, family.client, family.user.username],
    ['eve', { name: 'eve', secretCount: 1 }, 'eve'],
  );
  assert.deepEqual(family.user.groups, [{ displayName: 'eve', roles: ['operator'], memberCount: 1 }]);
});

test('who administers nothing sees what is theirs, names of others, and a family’s client by its name alone', async () => {
  await using app = await seeded();
  for (const name of ['ada', 'ben']) await settle(app, name);
  const { data: all } = await ask(app);
  const [own, other] = all.users.edges.map(({ node }: { node: object }) => node);
  assert.deepEqual([own.username, other.username], ['ada', 'ben']);
  const { data } = await app.graph('{ users { edges { node { id } } } }');
  const [{ node }] = JSON.parse(JSON.stringify(data?.users)).edges;
  const ownRow = `{
    sessions { edges { node { user { ${PERSON} } } } }
    tokenFamilies { edges { node { clientName client { name } user { username } } } }
    savedViews { name owner { ${PERSON} } }
  }`;
  const result = await app.graph(ownRow, {}, { as: { ...app.caller('viewer'), subject: node.id } });
  assert.equal(result.errors, undefined);
  const { sessions, tokenFamilies, savedViews } = JSON.parse(JSON.stringify(result.data));
  assert.deepEqual(
    sessions.edges.map((edge: { node: { user: object } }) => edge.node.user),
    [own],
  );
  assert.deepEqual(tokenFamilies.edges, [{ node: { clientName: 'ada', client: null, user: { username: 'ada' } } }]);
  const nothing = { roles: null, groups: null, signIn: null };
  const views = [
    { name: 'ada', owner: own },
    { name: 'ben', owner: { username: 'ben', ...nothing } },
  ];
  assert.deepEqual(savedViews, views);
});
