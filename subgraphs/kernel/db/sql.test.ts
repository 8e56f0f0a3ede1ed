import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compile, empty, join, jsonb, type Sql, sql, trusted } from './sql.ts';

test('values become numbered parameters, never text', () => {
  const name = "'; drop table orchestrator.releases; --";
  const { text, values } = compile(sql`select ${1} where name = ${name}`);
  assert.equal(text, 'select $1 where name = $2');
  assert.deepEqual(values, [1, name]);
});

test('fragments nest to any depth, and parameters keep the order of the text', () => {
  const inner = sql`c = ${3}`;
  const middle = sql`b = ${2} and (${inner})`;
  const { text, values } = compile(sql`a = ${1} and ${middle} and d = ${4}`);
  assert.equal(text, 'a = $1 and b = $2 and (c = $3) and d = $4');
  assert.deepEqual(values, [1, 2, 3, 4]);
});

test('a fragment used twice has its parameters twice', () => {
  const duplicated = sql`x = ${7}`;
  assert.deepEqual(compile(sql`${duplicated} or ${duplicated}`), {
    name: undefined,
    text: 'x = $1 or x = $2',
    values: [7, 7],
  });
});

test('join puts its separator between the parts only', () => {
  assert.equal(compile(join([], ', ')).text, '');
  assert.equal(compile(join([sql`a = ${1}`], ' and ')).text, 'a = $1');
  assert.deepEqual(compile(sql`where ${join([sql`a = ${1}`, empty, sql`c = ${3}`], ' and ')}`), {
    name: undefined,
    text: 'where a = $1 and  and c = $2',
    values: [1, 3],
  });
});

test('what only looks like a fragment is a value', () => {
  const forged = { strings: ['; drop table x'], values: [] };
  assert.deepEqual(compile(sql`select ${forged}`), { name: undefined, text: 'select $1', values: [forged] });
});

test('null, undefined, lists and objects stay the values they are', () => {
  const values = [null, undefined, ['a', 'b'], new Date(0), Buffer.from('x'), { a: 1 }];
  const statement = join(
    values.map((value) => sql`${value}`),
    ', ',
  );
  assert.deepEqual(compile(statement).values, values);
  assert.equal(jsonb({ a: "'" }), '{"a":"\'"}');
});

test('the name is the leading comment and a hash of the text, and fits into the 63 bytes of PostgreSQL', () => {
  const byName = (condition: Sql) => compile(sql`/* notify.deliveries.list */ select 1 ${condition}`).name;
  const plain = byName(empty);
  assert.match(plain ?? '', /^notify\.deliveries\.list:[0-9a-f]{8}$/);
  assert.equal(byName(empty), plain);
  assert.notEqual(byName(sql`where a = ${1}`), plain, 'another text is another plan');
  assert.equal(byName(sql`where a = ${1}`), byName(sql`where a = ${2}`), 'another value is not');
  assert.equal(compile(sql`select 1 /* not.leading */`).name, undefined);
  const long = compile(trusted(`/* ${'x'.repeat(80)} */ select 1`)).name ?? '';
  assert.ok(long.length <= 63);
});

/** A statement as a tree: texts without `$`, and values or trees between them. */
const trees = fc.letrec<{ tree: Sql; value: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), tie('tree')),
  tree: fc.array(tie('value'), { maxLength: 4 }).map((values) =>
    join(
      values.map((value) => sql`p ${value}`),
      ' / ',
    ),
  ),
})).tree;

test('whatever is nested, the text has exactly $1 to $n in order and no value', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const { text, values } = compile(tree);
      const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
      assert.deepEqual(
        numbers,
        values.map((_, i) => i + 1),
      );
      assert.match(text, /^[p /$\d]*$/);
    }),
  );
});
