import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toTenantId } from '@landfall/kernel/core/ids';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { startUpgrade } from '@landfall/kernel/testing/upgrade';
import Type from 'typebox';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';

const acme = toTenantId('acme');
const events = table('kernel.events product', { type: text, data: json(Type.Record(Type.String(), Type.Unknown())) });

let app: CatalogueApp;
before(async () => {
  app = await catalogueApp();
});
after(() => app[Symbol.asyncDispose]());

const eventsOf = (id: string) =>
  app.deps.database.read(acme, (query) =>
    query.list(
      events,
      sql`/* test */ select type, data from kernel.events where tenant = ${acme} and entity_id = ${id} order by id`,
    ),
  );

test('a product that a migration made is published once, with all that it says', async () => {
  const id = '11111111-1111-4111-8111-111111111111';
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`/* test */ insert into orchestrator.products (tenant, id, name, created_by, updated_by)
      values (${acme}, ${id}, 'upgraded', 'o', 'o')`),
  );
  assert.equal(await app.module.runOnce.productImport(), 1);
  assert.equal(await app.module.runOnce.productImport(), 0);
  const published = {
    type: 'product.import',
    data: { name: 'upgraded', description: null, ownerGroups: [], labels: {}, components: null, steps: null },
  };
  assert.deepEqual(await eventsOf(id), [published]);
  const product = await app.module.products.get(app.caller('operator'), { id });
  assert.equal(product.version, 1);
});

test('a product that somebody creates is published by its creation alone', async () => {
  const { id } = await app.module.products.create(app.caller('operator'), {
    name: 'created',
    description: 'The shop.',
    labels: [{ name: 'tier', value: '1' }],
  });
  await app.seed.draft({ name: 'drafted' });
  assert.equal(await app.module.runOnce.productImport(), 0);
  const [created, ...others] = await eventsOf(id);
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(created?.data, { description: 'The shop.', labels: { tier: '1' } });
});

test('a product of the version before, whose event did not tell of its settings, is published again', async () => {
  const kernel = fileURLToPath(new URL('../../../kernel/migrations', import.meta.url));
  await using upgrade = await startUpgrade([kernel, fileURLToPath(new URL('../../migrations', import.meta.url))]);
  await upgrade.migrateTo({ orchestrator: 28 });
  const created = (n: number, settings: string): string =>
    `insert into orchestrator.products (tenant, id, name, created_by, updated_by, description, owner_groups, labels)
     values ('acme', '00000000-0000-7000-8000-00000000000${n}', 'product-${n}', 'o', 'o', ${settings})`;
  await upgrade.force(
    created(1, "null, '{}', '{}'"),
    created(2, "'The shop.', '{}', '{}'"),
    created(3, "null, '{payments}', '{}'"),
    created(4, `null, '{}', '{"tier": "1"}'`),
  );
  await upgrade.migrateTo();
  assert.deepEqual(
    await upgrade.force('select name from orchestrator.products where not is_published order by name'),
    ['product-2', 'product-3', 'product-4'].map((name) => ({ name })),
  );
});
