import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import { createSecretSource } from './secret-source.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { secrets } = app.module;
const operator = app.caller('operator');
const source = createSecretSource({ ...app.deps, vaults: { read: () => assert.fail('no vault is asked') } });
const open = async (tenant: string, names: string[]) => {
  const found = await app.deps.database.read(toTenantId(tenant), (query) =>
    source.fromStore(query, toTenantId(tenant), names),
  );
  return Object.fromEntries(found);
};

test('a secret is stored, replaced, and opened for its tenant alone', async () => {
  await secrets.save(operator, { name: 'db/password', value: 'first' });
  const replaced = await secrets.save(operator, { name: 'db/password', value: 'second' });
  assert.equal(replaced.version, 2);
  const absent = { status: 'missing', detail: 'there is no such secret' };
  assert.deepEqual(await open('acme', ['db/password', 'absent', 'env:HOME']), {
    'db/password': { status: 'found', value: 'second' },
    absent,
  });
  assert.deepEqual(await open('globex', ['db/password']), { 'db/password': absent });
  assert.deepEqual(await secrets.list(app.caller('other-tenant'), {}), []);
});

const events = table('kernel.events.text', { whole: text });

test('a value is in no answer, no event and no kept answer', async () => {
  const input = { name: 'api-key', value: 'hunter2hunter2', idempotencyKey: 'once' };
  const { data, errors } = await app.graph(
    'mutation ($input: SaveSecretInput!) { saveSecret(input: $input) { name version } }',
    { input },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)), { saveSecret: { name: 'api-key', version: 1 } });
  const rows = await app.rows(events, sql`select e::text as whole from kernel.events e`);
  assert.ok(rows.some(({ whole: complete }) => complete.includes('api-key')));
  for (const { whole: complete } of rows) assert.ok(!complete.includes('hunter2'));
  await assert.rejects(secrets.save(app.caller('viewer'), input), refusal('PERM_SCOPE_DENIED'));
  await assert.rejects(secrets.save(operator, { name: '-', value: 'x' }), refusal('VAL_INVALID_FORMAT'));
});
