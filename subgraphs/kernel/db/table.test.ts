import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import {
  bigint,
  boolean,
  bytes,
  type Column,
  count,
  double,
  id,
  instant,
  integer,
  integerArray,
  json,
  oneOf,
  tenantId,
  text,
  textArray,
} from './columns.ts';
import { compile, sql } from './sql.ts';
import { table } from './table.ts';

const uuid = '01900000-0000-7000-8000-000000000001';
const now = new Date('2026-01-15T09:00:00Z');

const columns: Readonly<
  Record<string, { column: Column<unknown>; type: string; takes: readonly unknown[]; refuses: readonly unknown[] }>
> = {
  text: { column: text, type: 'text', takes: ['', 'a'], refuses: [1, true, ['a'], undefined] },
  integer: { column: integer, type: 'int4', takes: [0, -1], refuses: ['0', 1n, undefined] },
  double: { column: double, type: 'float8', takes: [0.1, -3, Infinity], refuses: ['0.1', 1n, undefined] },
  boolean: { column: boolean, type: 'bool', takes: [true, false], refuses: ['t', 0, undefined] },
  instant: { column: instant, type: 'timestamptz', takes: [now], refuses: ['2026-01-15', 0, undefined] },
  bytes: { column: bytes, type: 'bytea', takes: [Buffer.of(1)], refuses: ['\\x01', Uint8Array.of(1), undefined] },
  integerArray: {
    column: integerArray,
    type: '_int4',
    takes: [[], [1]],
    refuses: ['{1}', [1, null], ['1'], undefined],
  },
  textArray: { column: textArray, type: '_text', takes: [[], ['a']], refuses: ['{a}', ['a', null], [1], undefined] },
  tenantId: { column: tenantId, type: 'text', takes: ['acme', 'a-1'], refuses: ['', 'Acme', '-a', 'a b', 1] },
  id: { column: id('Release'), type: 'uuid', takes: [uuid], refuses: ['', 'acme', uuid.slice(1), 1, undefined] },
  oneOf: { column: oneOf('a', 'b'), type: 'text', takes: ['a', 'b'], refuses: ['c', 'A', '', 0, undefined] },
  json: {
    column: json(Type.Object({ port: Type.Integer() }, { additionalProperties: false })),
    type: 'jsonb',
    takes: [{ port: 1 }],
    refuses: [{}, { port: '1' }, { port: 1, more: 1 }, '{"port":1}', undefined],
  },
};

for (const [name, { column, type, takes, refuses }] of Object.entries(columns)) {
  test(`${name} takes what is of its type and refuses everything else, null too`, () => {
    assert.equal(column.type, type);
    for (const value of takes) assert.deepEqual(column.decode(value), value);
    for (const value of [...refuses, null]) assert.throws(() => column.decode(value), TypeError, String(value));
  });

  test(`${name} that may be null takes null, and is as strict about the rest`, () => {
    const nullable = column.nullable();
    assert.deepEqual([nullable.type, column.isNullable, nullable.isNullable], [type, false, true]);
    assert.equal(nullable.decode(null), null);
    for (const value of takes) assert.deepEqual(nullable.decode(value), value);
    for (const value of refuses) assert.throws(() => nullable.decode(value), TypeError, String(value));
  });
}

test('64-bit numbers come as text: bigint keeps every digit, count is for those that need none', () => {
  assert.equal(bigint.decode('9223372036854775807'), 9223372036854775807n);
  assert.equal(count.decode('42'), 42);
  for (const value of [1, 1n, null]) {
    assert.throws(() => bigint.decode(value), TypeError);
    assert.throws(() => count.decode(value), TypeError);
  }
});

const items = table('test.things', { id: id('Thing'), heldSince: instant.nullable(), sha256: text });

test('the column list is in snake case, in order, with and without an alias', () => {
  assert.equal(compile(sql`select ${items.columns}`).text, 'select id, held_since, sha256');
  assert.equal(compile(sql`select ${items.of('t')}`).text, 'select t.id, t.held_since, t.sha256');
});

test('a row is decoded by name, and what was not asked for is left out', () => {
  const row = { sha256: 'x', id: uuid, held_since: null, secret: 'y' };
  assert.deepEqual(items.decode(row), { id: uuid, heldSince: null, sha256: 'x' });
});

test('a row without one of the columns is refused', () => {
  assert.throws(() => items.decode({ id: uuid, sha256: 'x' }), TypeError);
  assert.throws(() => items.decode({ id: uuid, heldSince: null, sha256: 'x' }), TypeError, 'our name is not theirs');
});

test('a refusal says what was expected and never what the value was', () => {
  const secret = 'hunter2';
  assert.throws(
    () => id('Thing').decode(42),
    (error) => error instanceof Error && /the id of a Thing/.test(error.message),
  );
  assert.throws(
    () => integer.decode(secret),
    (error) => error instanceof Error && !error.message.includes(secret),
  );
});
