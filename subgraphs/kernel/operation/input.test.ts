import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codes } from '@landfall/schema/codes';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { Fault } from '../core/fault.ts';
import { idOf } from '../core/ids.ts';
import { digest, freeText, instant, oneOf, parser, patterned, semver } from './input.ts';

const closed = { additionalProperties: false } as const;

const faultOf = (schema: TSchema, input: unknown): Fault => {
  try {
    parser(schema)(input);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return assert.fail('the input was taken');
};

/** The faults of one optional field called `f`, as `field code`. */
const refusals = (schema: TSchema, value: unknown): string[] =>
  faultOf(Type.Object({ f: Type.Optional(schema) }, closed), { f: value }).fields.map(
    ({ field, code }) => `${field} ${code}`,
  );

const hex = 'a'.repeat(64);

const keywords: readonly (readonly [keyword: string, schema: TSchema, value: unknown, refusal: string])[] = [
  ['type', Type.String(), 7, 'f VAL_SCHEMA_MISMATCH'],
  ['type', Type.Integer(), 1.5, 'f VAL_SCHEMA_MISMATCH'],
  ['type', Type.Integer(), '1', 'f VAL_SCHEMA_MISMATCH'],
  ['type', Type.Boolean(), 'true', 'f VAL_SCHEMA_MISMATCH'],
  ['required', Type.Object({ g: Type.String() }), {}, 'f.g VAL_REQUIRED_FIELD'],
  ['additionalProperties', Type.Object({}, closed), { g: 1 }, 'f.g VAL_SCHEMA_MISMATCH'],
  ['additionalItems', Type.Tuple([Type.String()]), ['a', 'b'], 'f.1 VAL_SCHEMA_MISMATCH'],
  ['minLength', freeText(9, 3), 'ab', 'f VAL_TOO_SHORT'],
  ['minLength of nothing', freeText(9), '', 'f VAL_REQUIRED_FIELD'],
  ['pattern of blanks', freeText(9), ' \t', 'f VAL_REQUIRED_FIELD'],
  ['pattern', Type.String({ pattern: '^[a-z]+$' }), 'A', 'f VAL_INVALID_FORMAT'],
  ['maxLength', freeText(2), 'abc', 'f VAL_TOO_LONG'],
  ['minItems', Type.Array(Type.String(), { minItems: 1 }), [], 'f VAL_TOO_SHORT'],
  [
    'maxProperties',
    Type.Record(Type.String(), Type.String(), { maxProperties: 1 }),
    { g: 'a', h: 'b' },
    'f VAL_TOO_LONG',
  ],
  ['maxItems', Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b'], 'f VAL_TOO_LONG'],
  ['uniqueItems', Type.Array(Type.String(), { uniqueItems: true }), ['a', 'a'], 'f VAL_INVALID_VALUE'],
  ['enum', oneOf('a', 'b'), 'c', 'f VAL_INVALID_VALUE'],
  ['const', Type.Literal('a'), 'b', 'f VAL_INVALID_VALUE'],
  ['minimum', Type.Integer({ minimum: 1 }), 0, 'f VAL_INVALID_VALUE'],
  ['maximum', Type.Integer({ maximum: 1 }), 2, 'f VAL_INVALID_VALUE'],
  ['exclusiveMinimum', Type.Number({ exclusiveMinimum: 1 }), 1, 'f VAL_INVALID_VALUE'],
  ['exclusiveMaximum', Type.Number({ exclusiveMaximum: 1 }), 1, 'f VAL_INVALID_VALUE'],
  ['multipleOf', Type.Integer({ multipleOf: 2 }), 3, 'f VAL_INVALID_VALUE'],
  ['anyOf', Type.Union([Type.String(), Type.Integer()]), true, 'f VAL_INVALID_VALUE'],
  ['format uuid', idOf('Release'), hex, 'f VAL_INVALID_UUID'],
  ['format digest', digest, `sha256:${hex.toUpperCase()}`, 'f VAL_INVALID_DIGEST'],
  ['format semver', semver, '1.0', 'f VAL_INVALID_SEMVER'],
  ['format instant', instant, 'yesterday', 'f VAL_INVALID_FORMAT'],
];

// spec: 7.2/VAL_REQUIRED_FIELD, 7.2/VAL_INVALID_FORMAT, 7.2/VAL_INVALID_VALUE, 7.2/VAL_TOO_LONG, 7.2/VAL_TOO_SHORT
// spec: 7.2/VAL_INVALID_UUID, 7.2/VAL_INVALID_DIGEST, 7.2/VAL_INVALID_SEMVER, 7.2/VAL_SCHEMA_MISMATCH
for (const [keyword, schema, value, refusal] of keywords)
  test(`${keyword}: ${JSON.stringify(value)} is ${refusal}`, () => {
    assert.deepEqual(refusals(schema, value), [refusal]);
  });

test('GUIDs and words of a fixed set come out in one spelling, wherever they stand', () => {
  const id = 'ABCDEF12-ABCD-4BCD-8BCD-ABCDEF123456';
  const inner = Type.Object({ id: Type.Optional(idOf('Release')), word: Type.Optional(oneOf('in_sync', 'drift')) });
  const schema = Type.Object({
    ids: Type.Array(idOf('Release')),
    inner,
    either: Type.Union([inner, idOf('Release')]),
    text: Type.String(),
    maybe: Type.Optional(idOf('Release')),
  });
  const input = { ids: [id], inner: { id, word: 'IN_SYNC' }, either: id, text: id, maybe: null };
  const lower = id.toLowerCase();
  const read = { ids: [lower], inner: { id: lower, word: 'in_sync' }, either: lower, text: id };
  assert.deepEqual(parser(schema)(input), read);
  assert.deepEqual(input.ids, [id], 'the caller’s own is left as it is');
  assert.deepEqual(refusals(idOf('Release'), 'ABCDEF'), ['f VAL_INVALID_UUID']);
});

test('a value that fits is returned, without the fields that were sent as null', () => {
  const schema = Type.Object(
    { f: Type.Optional(Type.Array(Type.Object({ g: Type.Optional(Type.String()) }))) },
    closed,
  );
  assert.deepEqual(parser(schema)({ f: [{ g: null }, { g: 'x' }] }), { f: [{}, { g: 'x' }] });
  assert.deepEqual(parser(schema)({ f: null }), {});
  for (const nothing of [null, undefined]) assert.deepEqual(parser(schema)(nothing), {});
});

test('a text that does not fit a pattern is refused in words, wherever it stands, and never with the pattern', () => {
  const name = patterned('^[a-z]+$', 'may have only lower-case letters', { maxLength: 9 });
  const messageOf = (schema: TSchema, value: unknown) => {
    const [fault] = faultOf(Type.Object({ f: schema }), { f: value }).fields;
    return `${fault?.field} ${fault?.code} ${fault?.message}`;
  };
  const refusal = 'VAL_INVALID_FORMAT may have only lower-case letters';
  assert.equal(messageOf(name, 'A'), `f ${refusal}`);
  assert.equal(messageOf(Type.Array(Type.Object({ n: name })), [{ n: 'a' }, { n: 'A' }]), `f.1.n ${refusal}`);
  assert.equal(messageOf(Type.Union([name, Type.Null()]), 'A'), `f ${refusal}`);
  assert.equal(messageOf(Type.Tuple([name]), ['A']), `f.0 ${refusal}`);
  const bare = Type.String({ pattern: '^[a-z]+$' });
  assert.equal(messageOf(bare, 'A'), 'f VAL_INVALID_FORMAT has another form than it must have');
});

test('a text that does not fit a format is refused in the words of its schema where it has some', () => {
  const [fault] = faultOf(Type.Object({ at: instant }), { at: 'yesterday' }).fields;
  assert.deepEqual(fault, {
    field: 'at',
    message: 'must be a time with its zone, such as 2026-01-31T08:30:00Z',
    code: 'VAL_INVALID_FORMAT',
  });
});

test('null stands for a field that is not sent, and an unknown name is refused with it too', () => {
  const fields = { f: Type.Optional(Type.String()) };
  const [fault] = faultOf(Type.Object(fields, closed), { f: null, g: null }).fields;
  assert.deepEqual(fault, { field: 'g', message: 'is not a field here', code: 'VAL_SCHEMA_MISMATCH' });
  assert.deepEqual(parser(Type.Object(fields))({ f: null, g: null }), {});
});

test('an instant is a moment that exists', () => {
  const fits = (value: string): boolean => {
    try {
      parser(Type.Object({ f: instant }))({ f: value });
      return true;
    } catch {
      return false;
    }
  };
  for (const good of ['2028-02-29T23:59:59Z', '2026-01-31T00:00:00.123456789+05:30']) assert.ok(fits(good), good);
  for (const bad of [
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01T00:00:00+25:00',
  ])
    assert.ok(!fits(bad), bad);
});

test('a union that nothing fits is one fault of one field, however its branches failed', () => {
  const shapes = Type.Union([
    Type.Object({ x: Type.String() }, closed),
    Type.Object({ y: Type.Union([Type.Integer(), Type.Boolean()]) }, closed),
    Type.String({ minLength: 3 }),
  ]);
  for (const value of [{}, { x: 1, z: 2 }, { y: 'no' }, 'a', 7, []])
    assert.deepEqual(refusals(shapes, value), ['f VAL_INVALID_VALUE'], JSON.stringify(value));
  assert.deepEqual(refusals(Type.Array(shapes), [{ x: 'fits' }, {}, { y: 1 }]), ['f.1 VAL_INVALID_VALUE']);
});

test('a value that may be null is refused with its own faults where they stand, not with that of the union', () => {
  const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
  const step = Type.Object({ id: idOf('Release'), count: Type.Optional(Type.Integer({ maximum: 10 })) }, closed);
  const id = '00000000-0000-7000-8000-000000000000';
  assert.deepEqual(refusals(orNull(Type.Array(step)), [{ id }, { id: 'x', count: 11 }]).toSorted(), [
    'f.1.count VAL_INVALID_VALUE',
    'f.1.id VAL_INVALID_UUID',
  ]);
  assert.deepEqual(refusals(orNull(Type.Array(step, { minItems: 1 })), []), ['f VAL_TOO_SHORT']);
  assert.deepEqual(refusals(orNull(step), { id, no: 1 }), ['f.no VAL_SCHEMA_MISMATCH']);
  assert.deepEqual(refusals(Type.Union([Type.Null(), idOf('Release')]), 'x'), ['f VAL_INVALID_UUID']);
  assert.deepEqual(refusals(orNull(Type.String({ maxLength: 1 })), 'ab'), ['f VAL_TOO_LONG']);
  assert.deepEqual(refusals(Type.Array(orNull(step)), [{ id: 'x' }, 7, { id }]).toSorted(), [
    'f.0.id VAL_INVALID_UUID',
    'f.1 VAL_SCHEMA_MISMATCH',
  ]);
  assert.deepEqual(refusals(orNull(Type.Array(orNull(step))), [{ id: 'x' }]), ['f.0.id VAL_INVALID_UUID']);
  const either = Type.Union([Type.Integer(), Type.Boolean()]);
  assert.deepEqual(refusals(orNull(Type.Array(either)), ['x']), ['f.0 VAL_INVALID_VALUE']);
  assert.deepEqual(refusals(Type.Union([Type.Array(step), step, Type.Null()]), 'x'), ['f VAL_INVALID_VALUE']);
});

test('every field is told at once, each once, the first on top', () => {
  const fault = faultOf(
    Type.Object({ a: freeText(5), b: Type.Object({ c: digest, d: Type.Optional(oneOf('x', 'y')) }, closed) }, closed),
    { b: { c: 'no', d: 'z' }, e: 1 },
  );
  assert.equal(fault.code, fault.fields[0]?.code);
  assert.deepEqual(fault.fields.map(({ field }) => field).toSorted(), ['a', 'b.c', 'b.d', 'e']);
  assert.equal(fault.fields.find(({ field }) => field === 'b.d')?.message, 'must be one of x, y');
});

test('names with the characters of a JSON pointer are told as they are', () => {
  assert.deepEqual(refusals(Type.Object({}, closed), { 'a/b~c': 1 }), ['f.a/b~c VAL_SCHEMA_MISMATCH']);
});

test('text that no column can hold is refused where it stands, beside what else is wrong', () => {
  const schema = Type.Object({ f: Type.Unknown(), g: Type.Integer() }, closed);
  for (const text of ['a\0b', '\ud800', 'b\udc00']) {
    const { fields } = faultOf(schema, { f: { in: ['fine', text] }, g: 'x' });
    assert.deepEqual(
      fields.map(({ field, code }) => [field, code]),
      [
        ['f.in.1', 'VAL_INVALID_FORMAT'],
        ['g', 'VAL_SCHEMA_MISMATCH'],
      ],
    );
    assert.equal(faultOf(schema, { f: { [text]: 1 }, g: 1 }).fields[0]?.field, 'f');
  }
  assert.deepEqual(parser(schema)({ f: '😀', g: 1 }), { f: '😀', g: 1 });
});

test('a document that nests absurdly deep is a fault of its sender, not of the stack', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const fault = faultOf(Type.Object({ f: Type.Unknown() }), { f: deep });
  assert.equal(fault.code, 'VAL_SCHEMA_MISMATCH');
});

test('a sender who gets everything wrong is told of 200 fields', () => {
  const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, '\0']));
  assert.equal(faultOf(Type.Object({}, closed), input).fields.length, 200);
});

const anything = Type.Object(
  {
    name: freeText(10, 2),
    digest: Type.Optional(digest),
    semver: Type.Optional(semver),
    at: Type.Optional(instant),
    id: Type.Optional(idOf('Release')),
    kind: Type.Optional(oneOf('x', 'y')),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, multipleOf: 2 })),
    items: Type.Optional(
      Type.Array(Type.Object({ key: Type.String() }, closed), { minItems: 1, maxItems: 2, uniqueItems: true }),
    ),
    either: Type.Optional(Type.Union([Type.Object({ x: Type.String() }, closed), Type.String({ minLength: 3 })])),
    pair: Type.Optional(Type.Tuple([Type.String(), Type.Number()])),
    labels: Type.Optional(Type.Record(Type.String(), freeText(5))),
  },
  closed,
);

const known = Object.keys(anything.properties);

/** Inputs near the schema: its own names with any value, and unknown names. */
const inputs = fc.oneof(
  fc.anything({ withNullPrototype: true, maxDepth: 4 }),
  fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string()), fc.anything({ maxDepth: 3 })),
);

const head = (field: string): string => field.split('.')[0] ?? '';

test('whatever is sent, it is taken or refused with a Fault that names only fields of the input or of the schema', () => {
  const parse = parser(anything);
  fc.assert(
    fc.property(inputs, (input) => {
      try {
        parse(input);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.equal(codes[error.code].category, 'validation');
        assert.equal(error.fields[0]?.code, error.code);
        const sent = typeof input === 'object' && input !== null ? Object.keys(input) : [];
        for (const { field } of error.fields)
          assert.ok(
            field === '' || known.includes(head(field)) || sent.some((name) => `${field}.`.startsWith(`${name}.`)),
            `${JSON.stringify(field)} is nobody's field`,
          );
        assert.equal(new Set(error.fields.map(({ field }) => field)).size, error.fields.length);
      }
    }),
    { numRuns: 2_000 },
  );
});
