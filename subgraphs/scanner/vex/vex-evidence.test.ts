import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { openVex, vexApp } from '../testing/vex.ts';
import { readVexDocument } from './vex-evidence.ts';

const events = table('kernel.events imported', {
  entityId: text,
  data: json(Type.Record(Type.String(), Type.Unknown())),
});

test('a VEX document is evidence as it was imported, by the event of its import', async () => {
  await using app = await vexApp();
  const { id } = await app.source('vendor');
  const document = openVex({});
  await app.import('vendor', document);
  const [event] = await app.rows(
    events,
    sql`select entity_id, data from kernel.events where type = 'vexDocument.import'`,
  );
  assert.ok(event);
  const { tenant } = app.who;
  const read = (data: Readonly<Record<string, unknown>>) =>
    app.deps.database.read(tenant, (query) => readVexDocument(query, tenant, { ...event, data }));
  assert.deepEqual(await read(event.data), {
    bomRef: `landfall:vex-source:${id}`,
    serialNumber: sha256(document),
    content: Buffer.from(document),
    references: [],
  });
  assert.equal(await read({ digest: sha256('other') }), undefined);
});
