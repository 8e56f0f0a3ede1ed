import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTokenizer } from './wordpiece.ts';

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'un', '##aff', '##able', 'cafe', ',', '漢', '##s'];
const tokenizer = createTokenizer(VOCABULARY.join('\n'));
const words = (text: string, max = 32) => tokenizer.encode(text, max).map((at) => VOCABULARY[at]);

test('a word is its longest pieces from the left; one that has no pieces is unknown', () => {
  assert.deepEqual(words('unaffable'), ['[CLS]', 'un', '##aff', '##able', '[SEP]']);
  assert.deepEqual(words('Cafés'), ['[CLS]', 'cafe', '##s', '[SEP]']);
  assert.deepEqual(words('cafe,漢un'), ['[CLS]', 'cafe', ',', '漢', 'un', '[SEP]']);
  assert.deepEqual(words('unx'), ['[CLS]', '[UNK]', '[SEP]']);
  assert.deepEqual(words('u'.repeat(101)), ['[CLS]', '[UNK]', '[SEP]']);
  assert.deepEqual(words(''), ['[CLS]', '[SEP]']);
});

test('capitals and accents stay where the vocabulary tells them apart', () => {
  const cased = createTokenizer(['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'The', 'é'].join('\n'));
  assert.deepEqual(cased.encode('The é the', 32), [2, 4, 5, 1, 3]);
});

test('whatever the text, its tokens are known ones, framed, and no more than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, max) => {
      const tokens = tokenizer.encode(text, max);
      assert.ok(tokens.length >= 2 && tokens.length <= max);
      assert.deepEqual([tokens[0], tokens.at(-1)], [2, 3]);
      assert.ok(tokens.every((token) => token >= 0 && token < VOCABULARY.length));
    }),
  );
});
