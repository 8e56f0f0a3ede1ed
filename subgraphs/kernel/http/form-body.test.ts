import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseForm } from './form-body.ts';

/** As the URL standard reads it. */
const standard = (text: string): Record<string, string | string[]> => {
  const form = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const [only = '', ...rest] = form.getAll(name);
      return [name, rest.length === 0 ? only : [only, ...rest]];
    }),
  );
};

const piece = fc.oneof(
  fc.constantFrom(
    '&',
    '=',
    '+',
    '%',
    '%2',
    '%zz',
    '%20',
    '%2B',
    '%00',
    '%C3%A9',
    '%C3',
    '%A9',
    '%ED%A0%80',
    '%EF%BB%BF',
  ),
  fc.constantFrom('?', 'a', 'scope', '__proto__', 'constructor', '\0', '\uFEFF', 'é', '𝄞', '%F0%9D%84%9E', ' '),
  fc.string({ unit: 'binary' }),
);
const texts = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

test('a body is read as the URL standard reads it, whatever it is', () => {
  fc.assert(
    fc.property(texts, (text) => assert.deepEqual(Object.entries(parseForm(text)), Object.entries(standard(text)))),
    { numRuns: 20_000 },
  );
});

test('a parameter that stands twice is a list', () => {
  assert.deepEqual(parseForm('a=1&b=x+y%21&a=&a=3'), { a: ['1', '', '3'], b: 'x y!' });
});
