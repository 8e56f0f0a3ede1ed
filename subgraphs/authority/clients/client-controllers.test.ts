import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { findRelations } from '@landfall/kernel/identity/client-controllers';
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
  const app = await testApp({ createModule: makeAuthority });
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
    controls: (person: Person, clientId: string) =>
      app.deps.database.read(toTenantId('acme'), (query) =>
        findRelations(query, toTenantId('acme'), people[person], [clientId]).then((found) => found.has(clientId)),
      ),
  };
};

test('whoever registers a client, changes it or gets a secret of it controls it; nobody else does', async () => {
  await using app = await started();
  const { id, version, createdBy } = await app.create();
  assert.equal(createdBy.id, people.operator.subject);
  assert.deepEqual([await app.controls('operator', id), await app.controls('approver', id)], [true, false]);
  await app.ask(ROTATE, { id, expectedVersion: version }, { as: 'approver' });
  assert.equal(await app.controls('approver', id), true);
  await app.ask(UPDATE, { id, expectedVersion: version + 1, name: 'renamed' }, { as: 'second-approver' });
  assert.equal(await app.controls('second-approver', id), true);
  assert.equal(await app.controls('viewer', id), false);
});

test('whoever controls a client controls the clients that it registers', async () => {
  await using app = await started();
  const { id: first } = await app.create();
  const scopes = ['authority:admin'];
  const { id: second } = await app.create({ as: caller({ subject: first, kind: 'client', scopes }) });
  assert.equal(await app.controls('operator', second), true);
  // A person's token that the first client holds gives its controllers the secret too.
  const operator = { ...caller({ subject: people.approver.subject, scopes }), clientId: first };
  const { id: third } = await app.create({ as: operator });
  assert.deepEqual([await app.controls('operator', third), await app.controls('approver', third)], [true, true]);
  assert.equal(await app.controls('viewer', third), false);
  // The same holds for a client that held the token before it was exchanged.
  const { id: platform } = await app.create({ as: 'approver' });
  const exchanged = { ...operator, clientId: platform, earlierHolders: [first] };
  const { id: fourth } = await app.create({ as: exchanged });
  assert.deepEqual(
    [await app.controls('operator', fourth), await app.controls('second-approver', fourth)],
    [true, false],
  );
});
