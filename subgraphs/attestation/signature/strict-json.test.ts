import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MalformedJson, parseStrictJson } from './strict-json.ts';

const KIB = 1024;

test('whatever JSON.stringify writes is read as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(parseStrictJson(text, KIB * KIB), JSON.parse(text));
    }),
  );
});

test('a member that is named twice is refused wherever it stands and however it is spelled', () => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"b":{"c":[{"d":1,"d":2}]}}',
    '{"a":1,"\\u0061":2}',
    '{"a,\\"":1,"b":["]"],"a,\\"":2}',
  ])
    assert.throws(() => parseStrictJson(text, KIB), MalformedJson, text);
});

test('the same name in different objects is no repetition', () => {
  const text = '{"a":{"a":[{"a":"a"},{"a":"\\\\"}]},"b":"a"}';
  assert.deepEqual(parseStrictJson(text, KIB), JSON.parse(text));
});

test('length is counted in bytes, and depth, broken text and half a surrogate pair are refused', () => {
  assert.throws(() => parseStrictJson(`"${'é'.repeat(KIB / 2)}"`, KIB), /larger/);
  assert.throws(() => parseStrictJson(`${'['.repeat(65)}${']'.repeat(65)}`, KIB), /deeper/);
  assert.throws(() => parseStrictJson('{"a":', KIB), /not JSON/);
  assert.throws(() => parseStrictJson('"\ud800"', KIB), /surrogate/);
});

test('more values than anybody has to say are refused before they are read, and commas in text are none', () => {
  const many = `[${'1,'.repeat(200_000)}1]`;
  assert.throws(() => parseStrictJson(many, KIB * KIB), /more than 200000 values/);
  assert.throws(() => parseStrictJson(many.slice(0, -1), KIB * KIB), /more than 200000 values/);
  const words = JSON.stringify('",{[\\'.repeat(KIB * 64));
  assert.equal(parseStrictJson(words, KIB * KIB), JSON.parse(words));
});
