import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { testApp } from '@landfall/kernel/testing/app';
import { makeAuthority } from '../testing/authority.ts';
import { peopleDirectory } from './people-directory.ts';

const app = await testApp({ createModule: makeAuthority });
after(() => app[Symbol.asyncDispose]());

const acme = toTenantId('acme');

const create = async (username: string, roles: readonly string[]): Promise<string> => {
  const input = { username, displayName: username.toUpperCase(), password: 'correct horse battery', roles };
  const { data, errors } = await app.graph('mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }', {
    input,
  });
  assert.equal(errors, undefined);
  return Object(data?.createUser).id;
};

const listActive = (wanted: Omit<Parameters<typeof peopleDirectory.listActive>[2], 'limit'>, limit = 10) =>
  app.deps.database.read(acme, async (query) => {
    const found = await peopleDirectory.listActive(query, acme, { ...wanted, limit });
    return found.map(({ name }) => name).toSorted();
  });

const [ana, ben, cleo] = [
  await create('ana', ['approver']),
  await create('ben', ['operator']),
  await create('cleo', ['admin']),
];

test('people are found by id, by role, and by a scope of their roles', async () => {
  assert.deepEqual(await listActive({ ids: [ben, 'no id'] }), ['BEN']);
  assert.deepEqual(await listActive({ ids: [ben], roles: ['approver'] }), ['ANA', 'BEN']);
  assert.deepEqual(await listActive({ scope: 'orch:approve' }), ['ANA', 'CLEO']);
  assert.equal((await listActive({ scope: 'notify.viewer' }, 2)).length, 2);
});

test('a worker sees the tenants that have people', async () => {
  assert.deepEqual(await app.deps.database.system.read(peopleDirectory.listTenants), [acme]);
});

test('a deactivated person is nobody to tell, which a worker can see too', async () => {
  const mutation = 'mutation ($input: DeactivateUserInput!) { deactivateUser(input: $input) { id } }';
  assert.equal((await app.graph(mutation, { input: { id: ana, expectedVersion: 1 } })).errors, undefined);
  assert.deepEqual(await listActive({ scope: 'orch:approve' }), ['CLEO']);
  const active = await app.deps.database.system.read((query) =>
    peopleDirectory.listActiveByIds(query, acme, [ana, ben, cleo, 'no id']),
  );
  assert.deepEqual(active.map(({ name }) => name).toSorted(), ['BEN', 'CLEO']);
});
