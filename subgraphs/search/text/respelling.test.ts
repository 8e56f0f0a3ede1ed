import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { respellingsOf } from './respelling.ts';
import { stem } from './stem.ts';

const bytesOf = (word: string): Uint8Array => new TextEncoder().encode(word);

const respeltWords = (word: string): string[] =>
  respellingsOf(bytesOf(word)).map((form) => new TextDecoder().decode(form));

const stemOf = (word: string): string => {
  const bytes = bytesOf(word);
  return new TextDecoder().decode(bytes.subarray(0, stem(bytes, bytes.length)));
};

const SUFFIXES = ['ing', 'ed', 's', 'es', 'tion', 'ment', 'ation', 'al', 'ly'];

const words = fc
  .tuple(fc.stringMatching(/^[a-z]{5,10}$/), fc.constantFrom(...SUFFIXES))
  .map(([wordStart, ending]) => `${wordStart}${ending}`);

it('finds the stem that a typo in the ending hides', () => {
  assert.ok(respeltWords('injecthion').includes(stemOf('injection')));
  assert.ok(respeltWords('decompressinw').includes(stemOf('decompressing')));
  assert.ok(respeltWords('traversla').includes(stemOf('traversal')));
});

it('finds the stem of every word that has one, whatever letter of its ending is another, missing or too many', () => {
  fc.assert(
    fc.property(words, fc.nat({ max: 3 }), fc.constantFrom(...'abcxyz'), (word, back, letter) => {
      const at = word.length - 1 - back;
      fc.pre(stemOf(word) !== word && word.length <= 20);
      for (const misspelt of [
        `${word.slice(0, at)}${letter}${word.slice(at + 1)}`,
        `${word.slice(0, at)}${word.slice(at + 1)}`,
        `${word.slice(0, at)}${letter}${word.slice(at)}`,
      ]) {
        if (misspelt !== word) assert.ok(respeltWords(misspelt).includes(stemOf(word)), `${misspelt} of ${word}`);
      }
    }),
  );
});

it('makes nothing of what is no plain word', () => {
  assert.deepEqual(['abc', 'log4shell', 'größe', 'cve-2021'].map(respeltWords), [[], [], [], []]);
});
