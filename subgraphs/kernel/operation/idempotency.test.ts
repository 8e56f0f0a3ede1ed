import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { Fault } from '../core/fault.ts';
import { toTenantId } from '../core/ids.ts';
import { createSecrets } from '../crypto/secrets.ts';
import { bytes, count, text } from '../db/columns.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { event } from '../events/write.ts';
import type { Deps } from '../module.ts';
import { testDeps } from '../testing/app.ts';
import { caller, people } from '../testing/callers.ts';
import { createIdempotency, prune, RETENTION_HOURS } from './idempotency.ts';

const isFault = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;
const hourMs = 3_600_000;

/** Writes that count how often they really ran. */
const createKeys = ({ operation, ids }: Deps) => {
  const runs = { issue: 0, prepare: 0, committed: 0 };
  const common = { scope: [], raises: [], kind: 'write' } as const;
  return {
    runs,
    issue: operation({
      ...common,
      name: 'key.issue',
      input: Type.Object({ name: Type.String(), fail: Type.Optional(Type.Boolean()) }),
      example: { name: 'a' },
      async run(caller, { name, fail }, tx) {
        runs.issue += 1;
        await event(tx, caller, 'key.issue', { entity: 'Key', id: ids.uuid(), version: 1 });
        if (fail) throw new Fault('RES_CONFLICT', 'asked to fail');
        return {
          name,
          secret: `plain-${runs.issue}`,
          at: new Date(0),
          size: 10n,
          seen: new Set(['a']),
          left: undefined,
        };
      },
    }),
    fetched: operation({
      ...common,
      name: 'key.fetch',
      cost: 0,
      input: Type.Object({ fail: Type.Optional(Type.Boolean()) }),
      example: {},
      prepare: async () => {
        runs.prepare += 1;
        return runs.prepare;
      },
      async run(caller, { fail }, tx, prepared) {
        await event(tx, caller, 'key.fetch', { entity: 'Key', id: ids.uuid(), version: 1 });
        if (fail) throw new Fault('RES_CONFLICT', 'asked to fail');
        return prepared;
      },
      committed(_caller, prepared) {
        assert.equal(prepared, runs.prepare);
        runs.committed += 1;
      },
    }),
  };
};

const idempotency = createIdempotency(createSecrets([Buffer.alloc(32, 7)]));
const storedResponses = table('kernel.idempotency', {
  subject: text,
  operation: text,
  key: text,
  answer: bytes.nullable(),
});
const total = table('kernel.idempotency', { rows: count });

test('a key is 1 to 255 visible ASCII characters', () => {
  for (const key of ['', ' ', 'a b', 'é', 'a\n', '\0', 'x'.repeat(256)])
    assert.throws(() => idempotency.claim('a.b', key, {}), isFault('VAL_INVALID_FORMAT'), JSON.stringify(key));
  for (const key of ['!', '~', 'x'.repeat(255)]) assert.equal(idempotency.claim('a.b', key, {}).key, key);
});

test('the order of fields is no difference of input; a value is', () => {
  const { inputHash } = idempotency.claim('a.b', 'k', { x: 1, y: { p: 1, q: 2 } });
  assert.deepEqual(idempotency.claim('a.b', 'k', { y: { q: 2, p: 1 }, x: 1 }).inputHash, inputHash);
  assert.notDeepEqual(idempotency.claim('a.b', 'k', { x: 1, y: { p: 1, q: 3 } }).inputHash, inputHash);
});

test('a replayed answer is the answer, with its dates, big numbers and sets', async () => {
  await using base = await testDeps();
  const keys = createKeys(base.deps);
  const first = await keys.issue(people.operator, { name: 'a' }, { idempotencyKey: 'k' });
  const second = await keys.issue(people.operator, { name: 'a' }, { idempotencyKey: 'k' });
  assert.deepEqual(second, first);
  assert.equal(keys.runs.issue, 1);
});

test('an answer with a secret is kept sealed, in its own place only', async () => {
  await using base = await testDeps();
  const { database, secrets } = base.deps;
  const { secret } = await createKeys(base.deps).issue(people.operator, { name: 'a', idempotencyKey: 'k' });
  const row = await database.read(toTenantId('acme'), (query) =>
    query.get(storedResponses, sql`select ${storedResponses.columns} from kernel.idempotency`),
  );
  assert.ok(row.answer);
  const { answer, subject, operation, key } = row;
  assert.ok(!answer.includes(secret));
  const rowPath = `idempotency/${subject}/${operation}/${key}`;
  assert.ok(secrets.open('acme', rowPath, answer).includes(secret));
  assert.throws(() => secrets.open('globex', rowPath, answer));
});

test('a call that failed leaves its key free, with the same input or another', async () => {
  await using base = await testDeps();
  const keys = createKeys(base.deps);
  const failing = keys.issue(people.operator, { name: 'a', fail: true, idempotencyKey: 'k' });
  await assert.rejects(failing, isFault('RES_CONFLICT'));
  const { name } = await keys.issue(people.operator, { name: 'b', idempotencyKey: 'k' });
  assert.equal(name, 'b');
});

test('a key belongs to one tenant, one subject and one operation', async () => {
  await using base = await testDeps();
  const keys = createKeys(base.deps);
  const options = { idempotencyKey: 'k' };
  const { subject } = people.operator;
  await keys.issue(people.operator, { name: 'a' }, options);
  await keys.issue(people.approver, { name: 'b' }, options);
  await keys.issue(caller({ tenant: 'globex', subject }), { name: 'c' }, options);
  await keys.fetched(people.operator, {}, options);
  assert.deepEqual(keys.runs, { issue: 3, prepare: 1, committed: 1 });
});

test('a replay asks nobody over the network again', async () => {
  await using base = await testDeps();
  const keys = createKeys(base.deps);
  const ask = () => keys.fetched(people.operator, {}, { idempotencyKey: 'k' });
  assert.deepEqual([await ask(), await ask()], [1, 1]);
  assert.equal(keys.runs.prepare, 1);
});

test('callers at once, some with another input: one runs, the same input gets its answer, the other is refused', async () => {
  await using base = await testDeps();
  const keys = createKeys(base.deps);
  const options = { idempotencyKey: 'k' };
  const names = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? 'b' : 'a'));
  const settled = await Promise.allSettled(names.map((name) => keys.issue(people.operator, { name }, options)));
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.equal(keys.runs.issue, 1);
  assert.equal(new Set(answers.map(({ secret }) => secret)).size, 1);
  const winner = answers[0]?.name;
  assert.equal(answers.length, names.filter((name) => name === winner).length);
  assert.ok(refusals.length > 0 && refusals.every(isFault('RES_CONFLICT')));
});

test('an answer is kept for a day and no longer, for the caller and for the table', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const keys = createKeys(base.deps);
  const ask = () => keys.issue(people.operator, { name: 'a' }, { idempotencyKey: 'k' });
  const rows = () =>
    database.system.read(
      async (query) => (await query.get(total, sql`select count(*) as rows from kernel.idempotency`)).rows,
    );
  await ask();
  await base.clock.advance(RETENTION_HOURS * hourMs - 1);
  await ask();
  assert.deepEqual([keys.runs.issue, await database.system.write(prune), await rows()], [1, 0, 1]);
  await base.clock.advance(1);
  assert.deepEqual([await database.system.write(prune), await rows()], [1, 0]);
  await ask();
  assert.equal(keys.runs.issue, 2);
});

test('what follows a commit runs once for each write that was committed, and for no stored answer', async () => {
  await using base = await testDeps();
  const { fetched, runs } = createKeys(base.deps);
  await fetched(people.operator, {}, { idempotencyKey: 'k' });
  await fetched(people.operator, {}, { idempotencyKey: 'k' });
  await assert.rejects(fetched(people.operator, { fail: true }), isFault('RES_CONFLICT'));
  await fetched(people.operator, {});
  assert.deepEqual([runs.prepare, runs.committed], [3, 2]);
});
