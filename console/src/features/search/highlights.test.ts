import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { highlightPieces } from './highlights.ts';

const text = (pieces: ReturnType<typeof highlightPieces>) =>
  pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text));

test('a text is cut at its matches', () => {
  assert.deepEqual(text(highlightPieces('log4j core', [{ start: 0, end: 5 }])), ['[log4j]', ' core']);
  assert.deepEqual(text(highlightPieces('abc', [])), ['abc']);
  assert.deepEqual(text(highlightPieces('', [{ start: 0, end: 3 }])), []);
});

test('matches that overlap or touch are one, in any order, and those past the end are cut', () => {
  assert.deepEqual(
    text(
      highlightPieces('abcdefgh', [
        { start: 6, end: 99 },
        { start: 2, end: 4 },
        { start: 1, end: 3 },
        { start: 4, end: 5 },
        { start: 3, end: 3 },
      ]),
    ),
    ['a', '[bcde]', 'f', '[gh]'],
  );
});

test('whatever the ranges, the pieces are the text', () => {
  const range = fc.record({ start: fc.integer({ min: -5, max: 30 }), end: fc.integer({ min: -5, max: 30 }) });
  fc.assert(
    fc.property(fc.string(), fc.array(range), (words, ranges) => {
      const pieces = highlightPieces(words, ranges);
      assert.equal(pieces.map((piece) => piece.text).join(''), words);
      assert.ok(pieces.every((piece, index) => piece.text !== '' && piece.isMatch !== pieces[index + 1]?.isMatch));
    }),
  );
});
