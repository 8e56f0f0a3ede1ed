import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haveCommonController } from '@landfall/kernel/client-controllers';
import { toTenantId } from '@landfall/kernel/ids';
import { testApp } from '@landfall/kernel/testing/app';
import { caller, type Person, people } from '@landfall/kernel/testing/callers';
import { makeAuthority } from '../testing/authority.ts';

const CREATE = `mutation ($input: CreateClientInput!) {
  createClient(input: $input) { client { id version createdBy { id } } }
}`;
const ROTATE =
  'mutation ($input: RotateClientSecretInput!) { rotateClientSecret(input: $input) { client { version } } }';
const UPDATE = 'mutation ($input: UpdateClientInput!) { updateClient(input: $input) { version } }';

const started = async () => {
  const app = await testApp({ make: makeAuthority });
  const ask = async (source: string, input: object, as: Parameters<typeof app.graph>[2] = {}) => {
    const { data, errors } = await app.graph(source, { input }, as);
    assert.equal(errors, undefined);
    return Object(Object.values(data ?? {})[0]);
  };
  let serial = 0;
  return {
    ...app,
    ask,
    create: async (as: Parameters<typeof app.graph>[2] = {}) => {
      serial += 1;
      const input = { name: `robot ${serial}`, grants: ['CLIENT_CREDENTIALS'], scopes: ['orch:approve'] };
      return (await ask(CREATE, input, as)).client;
    },
    isBehind: (person: Person, clientId: string) =>
      app.deps.database.read(toTenantId('acme'), (query) =>
        haveCommonController(query, toTenantId('acme'), people[person].subject, clientId),
      ),
  };
};

test('whoever registers a client, changes it or gets a secret of it is behind it; nobody else is', async () => {
  await using app = await started();
  const { id, version, createdBy } = await app.create();
  assert.equal(createdBy.id, people.operator.subject);
  assert.deepEqual([await app.isBehind('operator', id), await app.isBehind('approver', id)], [true, false]);
  await app.ask(ROTATE, { id, expectedVersion: version }, { as: 'approver' });
  assert.equal(await app.isBehind('approver', id), true);
  await app.ask(UPDATE, { id, expectedVersion: version + 1, name: 'renamed' }, { as: 'second-approver' });
  assert.equal(await app.isBehind('second-approver', id), true);
  assert.equal(await app.isBehind('viewer', id), false);
});

test('a client that a client registers has everybody behind it who is behind the first', async () => {
  await using app = await started();
  const { id: first } = await app.create();
  const scopes = ['authority:admin'];
  const { id: second } = await app.create({ as: caller({ subject: first, kind: 'client', scopes }) });
  assert.equal(await app.isBehind('operator', second), true);
  // A person's token that the first client holds gives its controllers the secret too.
  const held = { ...caller({ subject: people.approver.subject, scopes }), clientId: first };
  const { id: third } = await app.create({ as: held });
  assert.deepEqual([await app.isBehind('operator', third), await app.isBehind('approver', third)], [true, true]);
  assert.equal(await app.isBehind('viewer', third), false);
});
