import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../core/fault.ts';
import { canonicalJson } from './jcs.ts';

test('the example of RFC 8785 3.2.2 and 3.2.3 comes out byte for byte', () => {
  const input: unknown = JSON.parse(`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`);
  assert.equal(
    canonicalJson(input),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('keys sort by UTF-16 code units (RFC 8785 3.2.3)', () => {
  const keys = ['€', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', 'ö'];
  const sorted = Object.keys(JSON.parse(canonicalJson(Object.fromEntries(keys.map((key) => [`_${key}`, 1])))));
  assert.deepEqual(sorted, ['_\r', '_1', '_\u0080', '_ö', '_€', '_\u{1f600}', '_\ufb33']);
});

test('canonical text reads back as the same value and is its own canonical form', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      const canonical = canonicalJson(plain);
      assert.deepEqual(JSON.parse(canonical), plain);
      assert.equal(canonicalJson(JSON.parse(canonical)), canonical);
    }),
  );
});

test('the order in which keys were written does not matter, nor do absent members', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.integer()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      assert.equal(canonicalJson(reversed), canonicalJson(value));
    }),
  );
  assert.equal(canonicalJson({ b: undefined, a: -0 }), '{"a":0}');
});

test('what a sender can smuggle through JSON.parse is a fault', () => {
  const deep: unknown = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
  for (const bad of [JSON.parse('"\\ud800"'), JSON.parse('{"\\udc00":1}'), JSON.parse('1e999'), deep])
    assert.throws(
      () => canonicalJson(bad),
      (error) => error instanceof Fault && error.code === 'VAL_INVALID_JSON',
    );
});

test('what never was JSON is a bug', () => {
  for (const bad of [undefined, 1n, new Date(0), new Map(), () => 1, [undefined]])
    assert.throws(() => canonicalJson(bad), TypeError);
});
