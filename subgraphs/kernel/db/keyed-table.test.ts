import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import Type from 'typebox';
import { Fault } from '../core/fault.ts';
import { toId, toTenantId } from '../core/ids.ts';
import { testDeps } from '../testing/app.ts';
import { bytes, count, id, instant, integer, json, text, textArray } from './columns.ts';
import { sql } from './sql.ts';
import { table } from './table.ts';

const acme = toTenantId('acme');
const globex = toTenantId('globex');
const toItemId = (digit: number) => toId(`01900000-0000-7000-8000-00000000000${digit}`, 'Thing');

const columns = {
  id: id('Thing'),
  name: text,
  labels: textArray,
  facts: json(Type.Object({ port: Type.Integer() })).nullable(),
  content: bytes.nullable(),
  size: count,
  createdAt: instant,
  version: integer,
} as const;

const items = table('public.things', columns, { noun: 'thing', writes: { createdBy: text } });
const present = table('public.things.present', columns, {
  noun: 'thing',
  code: 'RES_RELEASE_NOT_FOUND',
  live: sql`removed_at is null`,
});
const namedRows = table(
  'public.things.named',
  { name: text, size: count },
  { key: 'name', notFound: (name) => new Fault('RES_CONFLICT', name) },
);

const open = async () => {
  const base = await testDeps();
  const client = new pg.Client(base.connection);
  await client.connect();
  await client.query(`create table things (
    tenant text not null, id uuid not null, name text not null, labels text[] not null default '{}', facts jsonb,
    content bytea, size bigint not null default 7, created_at timestamptz not null default now(), created_by text,
    removed_at timestamptz, version integer not null default 1, primary key (tenant, id), unique (tenant, name))`);
  await client.query('grant select, insert, update, delete on things to landfall_app');
  await client.end();
  return base;
};

let base: Awaited<ReturnType<typeof open>>;
before(async () => {
  base = await open();
});
after(() => base[Symbol.asyncDispose]());

const write = <T>(use: Parameters<typeof base.deps.database.write<T>>[1], tenant = acme) =>
  base.deps.database.write(tenant, use);
const read = <T>(use: Parameters<typeof base.deps.database.read<T>>[1], tenant = acme) =>
  base.deps.database.read(tenant, use);

const isNotFound = (code: string, message: RegExp) => (error: unknown) => {
  assert(error instanceof Fault);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

test('insert writes the given columns, leaves the others to the table, and reads the row back', async () => {
  const row = await write((tx) =>
    items.insert(tx, acme, {
      id: toItemId(1),
      name: 'one',
      labels: ['a', 'b'],
      facts: { port: 1 },
      content: Uint8Array.of(1, 2),
      createdAt: sql`timestamptz '2026-01-15T09:00:00Z'`,
      createdBy: 'ada',
    }),
  );
  const createdAt = new Date('2026-01-15T09:00:00Z');
  const content = Buffer.of(1, 2);
  const expected = {
    id: toItemId(1),
    name: 'one',
    labels: ['a', 'b'],
    facts: { port: 1 },
    content,
    size: 7,
    createdAt,
  };
  assert.deepEqual(row, { ...expected, version: 1 });
  assert.deepEqual(await read((query) => items.find(query, acme, toItemId(1))), row);
  assert.equal(await read((query) => items.find(query, globex, toItemId(1)), globex), undefined, 'of its tenant alone');
});

test('insert ignores members of a spread input that are no columns', async () => {
  const overrides: object = { id: toItemId(0), name: 'ten', facts: null, colour: 'red' };
  const row = await write(async (tx) => items.insert(tx, acme, overrides));
  assert.equal(row.name, 'ten');
});

test('insertIfAbsent answers nothing where a unique key is taken', async () => {
  const row = { id: toItemId(2), name: 'two', size: 2 };
  assert.equal((await write((tx) => items.insertIfAbsent(tx, acme, row)))?.name, 'two');
  assert.equal(await write((tx) => items.insertIfAbsent(tx, acme, { ...row, name: 'other' })), undefined);
  assert.equal((await read((query) => items.get(query, acme, toItemId(2)))).name, 'two');
});

test('insertAll writes any number of rows by one statement, and none for no rows', async () => {
  const rows = [3, 4].map((n) => ({
    id: toItemId(n),
    name: `n${n}`,
    size: n,
    facts: n === 3 ? { port: 3 } : null,
    content: Uint8Array.of(n),
  }));
  base.statements.length = 0;
  assert.equal(await write((tx) => items.insertAll(tx, acme, rows)), 2);
  assert.equal(await write((tx) => items.insertAll(tx, acme, [])), 0);
  assert.deepEqual(base.statements, ['public.things.insertAll']);
  const found = await read((query) => items.listByIds(query, acme, [toItemId(4), toItemId(3), toItemId(8)]));
  assert.deepEqual(found.map(({ name, size, facts, content }) => [name, size, facts, content]).toSorted(), [
    ['n3', 3, { port: 3 }, Buffer.of(3)],
    ['n4', 4, null, Buffer.of(4)],
  ]);
});

test('a row that does not exist is the Fault of the table', async () => {
  const refused = isNotFound('RES_NOT_FOUND', /^There is no thing 0190.*9\.$/);
  await assert.rejects(
    read((query) => items.get(query, acme, toItemId(9))),
    refused,
  );
  await assert.rejects(
    write((tx) => items.getLocked(tx, acme, toItemId(9))),
    refused,
  );
  assert.equal(await write((tx) => items.findLocked(tx, acme, toItemId(9))), undefined);
  assert.deepEqual(items.notFound('x').details, { id: 'x' });
  await assert.rejects(
    read((query) => present.get(query, acme, toItemId(9))),
    isNotFound('RES_RELEASE_NOT_FOUND', /./),
  );
  await assert.rejects(
    read((query) => namedRows.get(query, acme, 'nine')),
    isNotFound('RES_CONFLICT', /^nine$/),
  );
});

test('a lock lasts until its transaction ends', async () => {
  await write((tx) => items.insert(tx, acme, { id: toItemId(5), name: 'five' }));
  const [locked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const first = write(async (tx) => {
    await items.getLocked(tx, acme, toItemId(5));
    locked.resolve();
    await gate.promise;
    order.push('first');
  });
  await locked.promise;
  const second = write(async (tx) => order.push((await items.getLocked(tx, acme, toItemId(5))).name));
  assert.equal((await read((query) => items.get(query, acme, toItemId(5)))).name, 'five', 'readers do not wait');
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first', 'five']);
});

test('update changes what it is given, and moves the version', async () => {
  await write((tx) => items.insert(tx, acme, { id: toItemId(6), name: 'six' }));
  const row = await write((tx) =>
    items.update(tx, acme, toItemId(6), { facts: { port: 6 }, size: sql`size + 1`, createdBy: 'bob' }),
  );
  assert.deepEqual([row.name, row.facts, row.size, row.version], ['six', { port: 6 }, 8, 2]);
  await assert.rejects(
    write((tx) => items.update(tx, acme, toItemId(9), { name: 'nine' })),
    /expected one row/,
  );
});

test('live leaves rows out of find, get and the locks, and not out of lists', async () => {
  await write((tx) => items.insert(tx, acme, { id: toItemId(7), name: 'seven' }));
  await write((tx) => tx.run(sql`/* test.drop */ update things set removed_at = now() where name = 'seven'`));
  assert.equal(await read((query) => present.find(query, acme, toItemId(7))), undefined);
  assert.equal(await write((tx) => present.findLocked(tx, acme, toItemId(7))), undefined);
  assert.equal((await read((query) => present.listByIds(query, acme, [toItemId(7)]))).length, 1);
});

test('a key of another name and type serves as well, and remove tells how many rows went', async () => {
  await write((tx) => items.insert(tx, acme, { id: toItemId(8), name: 'eight', size: 8 }));
  assert.deepEqual(await read((query) => namedRows.listByIds(query, acme, ['eight', 'none'])), [
    { name: 'eight', size: 8 },
  ]);
  assert.equal(await write((tx) => namedRows.remove(tx, acme, 'eight')), 1);
  assert.equal(await write((tx) => namedRows.remove(tx, acme, 'eight')), 0);
});

test('each statement carries the name of its shape and method', async () => {
  base.statements.length = 0;
  await read(async (query) => {
    await present.find(query, acme, toItemId(1));
    await present.listByIds(query, acme, [toItemId(1)]);
  });
  await write((tx) => present.getLocked(tx, acme, toItemId(1)));
  assert.deepEqual(base.statements, [
    'public.things.present.find',
    'public.things.present.listByIds',
    'public.things.present.lock',
  ]);
});

test('types keep the brands of ids, and refuse what is no column', () => {
  const _wrong = () =>
    write(async (tx) => {
      // @ts-expect-error: the id of a Release
      await items.find(tx, acme, toId('01900000-0000-7000-8000-000000000001', 'Release'));
      // @ts-expect-error: a tenant is no string
      await items.find(tx, 'acme', toItemId(1));
      const input = { id: toItemId(1), colour: 'red' };
      // @ts-expect-error: colour is no column
      await items.insert(tx, acme, { ...input });
      // @ts-expect-error: size is a number
      await items.insert(tx, acme, { size: 'big' });
      // @ts-expect-error: the version moves by itself
      await items.update(tx, acme, toItemId(1), { version: 3 });
      // @ts-expect-error: a table without options has no key
      await table('public.keyless', { name: text }).find(tx, acme, 'x');
    });
  assert.equal(typeof _wrong, 'function');
});

test('statements of a condition read, count and delete its rows only', async () => {
  const initech = toTenantId('initech');
  const ofSize = (size: number) => sql`tenant = ${initech} and size > ${size}`;
  await write(async (tx) => {
    for (const size of [1, 2, 3])
      await items.insert(tx, initech, {
        id: toItemId(size),
        name: `thing ${size}`,
        labels: [],
        size,
        createdBy: 'ada',
      });
    assert.equal((await items.findWhere(tx, 'findLarge', ofSize(2)))?.name, 'thing 3');
    const listed = await items.listWhere(tx, 'listLarge', sql`${ofSize(1)} order by size desc limit 5`);
    assert.deepEqual(
      listed.map(({ size }) => size),
      [3, 2],
    );
    assert.equal(await items.removeWhere(tx, 'removeLarge', ofSize(2)), 1);
    assert.equal(await items.countWhere(tx, 'countLarge', ofSize(0)), 2);
    assert.equal(await items.existsWhere(tx, 'existsLarge', ofSize(2)), false);
    assert.equal(await items.existsWhere(tx, 'existsLarge', ofSize(1)), true);
  }, initech);
});
