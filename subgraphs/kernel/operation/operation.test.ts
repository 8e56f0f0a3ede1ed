import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Fault } from '../core/fault.ts';
import { count } from '../db/columns.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { event } from '../events/write.ts';
import { revoke } from '../identity/denylist.ts';
import type { Deps } from '../module.ts';
import { testDeps } from '../testing/app.ts';
import { caller, people } from '../testing/callers.ts';
import { freeText } from './input.ts';

const events = table('kernel.events', { events: count });

const createNotes = ({ operation, ids }: Deps) => {
  let runs = 0;
  return {
    runs: () => runs,
    write: operation({
      name: 'note.write',
      kind: 'write',
      scope: ['orch:operate'],
      input: Type.Object({ text: freeText(10, 2), lines: Type.Optional(Type.Integer({ minimum: 1 })) }),
      raises: [],
      example: { text: 'hello' },
      async run(caller, { text }, tx) {
        runs += 1;
        const id = ids.uuid();
        await event(tx, caller, 'note.write', { entity: 'Note', id, version: 1, data: { text } });
        return { id, text, at: new Date(0) };
      },
    }),
    silent: operation({
      name: 'note.silent',
      kind: 'write',
      scope: [],
      input: Type.Object({}),
      raises: [],
      example: {},
      run: async () => 'nothing told',
    }),
    counted: operation({
      name: 'note.count',
      kind: 'read',
      scope: ['orch:read'],
      input: Type.Object({}),
      raises: [],
      example: {},
      run: async (caller, _input, query) =>
        (await query.get(events, sql`select count(*) as events from kernel.events where tenant = ${caller.tenant}`))
          .events,
    }),
  };
};

const codeOf = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('an operation refuses a caller without the scope before it looks at the input', async () => {
  await using base = await testDeps();
  const notes = createNotes(base.deps);
  await assert.rejects(notes.write(people.nobody, { text: 7 }), codeOf('PERM_SCOPE_DENIED'));
});

test('an operation names every field that does not fit, the first on top', async () => {
  await using base = await testDeps();
  const notes = createNotes(base.deps);
  await assert.rejects(notes.write(people.operator, { text: '   ', lines: 0 }), (error) => {
    assert(error instanceof Fault);
    assert.equal(error.code, 'VAL_REQUIRED_FIELD');
    assert.deepEqual(
      error.fields.map(({ field, code }) => [field, code]),
      [
        ['text', 'VAL_REQUIRED_FIELD'],
        ['lines', 'VAL_INVALID_VALUE'],
      ],
    );
    return true;
  });
});

test('the same idempotency key and input give the same answer once, another input is refused', async () => {
  await using base = await testDeps();
  const notes = createNotes(base.deps);
  const calls = Array.from({ length: 8 }, () =>
    notes.write(people.operator, { text: 'hello' }, { idempotencyKey: 'k-1' }),
  );
  const answers = await Promise.all(calls);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  assert.equal(answers[7]?.at.getTime(), 0);
  assert.equal(notes.runs(), 1);
  assert.equal(await notes.counted(people.operator, {}), 1);
  await assert.rejects(notes.write(people.operator, { text: 'other', idempotencyKey: 'k-1' }), codeOf('RES_CONFLICT'));
});

test('an idempotency key is good for another write after 24 hours, and belongs to its subject', async () => {
  await using base = await testDeps();
  const notes = createNotes(base.deps);
  await notes.write(people.operator, { text: 'hello', idempotencyKey: 'k' });
  await notes.write(people.approver, { text: 'other', idempotencyKey: 'k' });
  await base.clock.advance(24 * 3_600_000 + 1);
  const { text } = await notes.write(people.operator, { text: 'third', idempotencyKey: 'k' });
  assert.equal(text, 'third');
});

test('a write that tells nobody is a bug and is rolled back', async () => {
  await using base = await testDeps();
  await assert.rejects(createNotes(base.deps).silent(people.operator, {}), /wrote no event/);
});

test('a write with a revoked token is refused, and nothing is written', async () => {
  await using base = await testDeps();
  const notes = createNotes(base.deps);
  const caller = { ...people.operator, tokenId: 'jti-1' };
  await base.deps.database.system.write((tx) => revoke(tx, 'jti-1', new Date(Date.now() + 60_000)));
  await assert.rejects(notes.write(caller, { text: 'hello' }), codeOf('AUTH_TOKEN_REVOKED'));
  assert.equal(await notes.counted(people.operator, {}), 0);
});

test('a tenant reads its own events only, whatever the statement asks for', async () => {
  await using base = await testDeps();
  const notes = createNotes(base.deps);
  await notes.write(people.operator, { text: 'hello' });
  const { database } = base.deps;
  const all = sql`select count(*) as events from kernel.events`;
  const outcome = await database.read(
    caller({ tenant: 'globex', subject: 'x' }).tenant ?? assert.fail(),
    async (query) => (await query.get(events, all)).events,
  );
  assert.equal(outcome, 0);
});

test('detached reads hold no connection while they wait: more of them than connections go on together', async () => {
  await using base = await testDeps();
  const { database, operation } = base.deps;
  const many = 40;
  const arrived = Promise.withResolvers<void>();
  let waiting = 0;
  const detached = operation({
    name: 'note.detached',
    kind: 'read',
    isDetached: true,
    cost: 0,
    scope: [],
    input: Type.Object({}),
    raises: [],
    example: {},
    async run(caller) {
      waiting += 1;
      if (waiting === many) arrived.resolve();
      await arrived.promise;
      return database.read(caller.tenant, (query) => query.get(events, sql`select 1::bigint as events`));
    },
  });
  const answers = await Promise.all(Array.from({ length: many }, () => detached(people.operator, {})));
  assert.equal(answers.length, many);
});

test('tenants whose registries never answer keep only themselves waiting', async () => {
  await using base = await testDeps();
  const blockedRequest = Promise.withResolvers<string>();
  const remote = base.deps.operation({
    name: 'note.fetch',
    kind: 'read',
    isDetached: true,
    isRemote: true,
    cost: 500,
    scope: [],
    input: Type.Object({}),
    raises: [],
    example: {},
    run: (caller) => (caller.tenant === 'patient' ? Promise.resolve('answered') : blockedRequest.promise),
  });
  const waiting = ['tar', 'pitch'].flatMap((tenant) =>
    Array.from({ length: 6 }, () => remote(caller({ tenant, subject: 'someone' }), {})),
  );
  assert.equal(await remote(caller({ tenant: 'patient', subject: 'someone' }), {}), 'answered');
  blockedRequest.resolve('late');
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['late']));
});
