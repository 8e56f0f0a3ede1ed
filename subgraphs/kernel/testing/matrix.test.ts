import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Fault } from '../core/fault.ts';
import { exampleId, idOf, toId } from '../core/ids.ts';
import { text } from '../db/columns.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { event } from '../events/write.ts';
import type { Deps } from '../module.ts';
import { testDeps } from './app.ts';
import { caller } from './callers.ts';
import { checkMatrix } from './matrix.ts';

const MARK = 'acme-only';
const events = table('kernel.events', { entityId: text, actor: text });
const all = sql`select entity_id, actor from kernel.events`;
const byId = {
  input: Type.Object({ id: idOf('Note') }),
  example: { id: exampleId('Note') },
  raises: ['RES_NOT_FOUND'],
} as const;
const scope = ['orch:read'];
const none = { input: Type.Object({}), example: {}, raises: [] } as const;

/** Operations over events: three that are right, and each of the others wrong in one way. */
const createNotes = ({ operation, database }: Deps) => {
  const find = async (id: string) =>
    (await database.system.read((query) => query.list(events, all))).find((row) => row.entityId === id);
  const found = <T>(row: T | undefined): T => {
    if (row === undefined) throw new Fault('RES_NOT_FOUND', 'No note.');
    return row;
  };
  return [
    operation({
      ...none,
      name: 'good.list',
      kind: 'read',
      scope,
      run: (_who, _input, query) => query.list(events, all),
    }),
    operation({
      ...byId,
      name: 'good.get',
      kind: 'read',
      scope,
      run: async (_who, { id }, query) => found((await query.list(events, all)).find((row) => row.entityId === id)),
    }),
    operation({
      ...byId,
      name: 'good.touch',
      kind: 'write',
      scope,
      async run(caller, { id }, tx) {
        found((await tx.list(events, all)).find((row) => row.entityId === id));
        await event(tx, caller, 'note.touch', { entity: 'Note', id, version: 2 });
      },
    }),
    operation({
      ...byId,
      name: 'bad.get',
      kind: 'read',
      scope,
      isDetached: true,
      cost: 0,
      run: async (_who, { id }) => found(await find(id)),
    }),
    operation({
      ...none,
      name: 'bad.list',
      kind: 'read',
      scope,
      isDetached: true,
      cost: 0,
      run: () => database.system.read((query) => query.list(events, all)),
    }),
    operation({ ...none, name: 'bad.emptyList', kind: 'read', scope, run: async () => [] }),
    operation({
      ...none,
      name: 'bad.unscoped',
      kind: 'read',
      scope: [],
      run: (_who, _input, query) => query.list(events, all),
    }),
    operation({
      ...byId,
      name: 'bad.write',
      kind: 'write',
      scope,
      async run(caller, { id }, tx) {
        await event(tx, caller, 'note.touch', { entity: 'Note', id, version: 2 });
      },
    }),
    operation({
      ...byId,
      name: 'bad.example',
      example: { id: exampleId('Nothing') },
      kind: 'read',
      scope,
      run: async () => found(undefined),
    }),
    operation({
      ...none,
      name: 'bad.bug',
      kind: 'write',
      scope,
      run: async () => 'no event',
    }),
  ];
};

test('the matrix tells each way in which an operation can fail its tenants, and nothing of those that do not', async () => {
  await using base = await testDeps();
  const note = toId(base.deps.ids.uuid(), 'Note');
  const operations = createNotes(base.deps);
  const owner = caller({ subject: MARK, scopes: scope });
  const tenant = owner.tenant ?? assert.fail();
  await base.deps.database.write(tenant, (tx) =>
    event(tx, { ...owner, tenant }, 'note.create', { entity: 'Note', id: note, version: 1 }),
  );
  const problems = await checkMatrix({
    operations,
    data: { ids: { Note: note } },
    mark: MARK,
    owner: 'acme',
    other: 'globex',
    connection: base.connection,
    unscoped: { 'good.list': 'it was once' },
  });
  assert.deepEqual(problems, [
    'good.list: a reason to ask for no scope is given, and is not needed',
    'bad.get: another tenant is told acme-only',
    'bad.get: another tenant is answered OK and not RES_…NOT_FOUND',
    'bad.list: another tenant is told acme-only',
    `bad.list: another tenant is told ${note}`,
    'bad.unscoped: asks for no scope, and no reason is given',
    'bad.write: another tenant is answered OK and not RES_…NOT_FOUND',
    'bad.write: another tenant’s call wrote rows of globex',
    `bad.example: its example holds ${exampleId('Nothing')}, which is no seeded exampleId(…)`,
    'bad.bug: another tenant is answered BUG bad.bug wrote no event',
    'bad.emptyList: shows its own tenant nothing, so that others see nothing proves nothing',
    'bad.example: its own tenant is answered RES_NOT_FOUND',
    'bad.bug: its own tenant is answered BUG bad.bug wrote no event, which it does not raise',
  ]);
});
