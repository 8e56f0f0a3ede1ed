import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSplitter } from './sentence-splitter.ts';

const split = (...pieces: readonly string[]): string[] => {
  const splitter = createSplitter();
  return [...pieces.flatMap(splitter.push), ...splitter.end()];
};

test('a sentence ends where another begins, and keeps the citations on either side of its full stop', () => {
  assert.deepEqual(split('One [1]. Two. [2] Three [3, 4]!\nFour'), ['One [1].', 'Two. [2]', 'Three [3, 4]!', 'Four']);
  assert.deepEqual(split('First [1].\n[2]\nSecond'), ['First [1].\n[2]', 'Second']);
  assert.deepEqual(split('修复了。[1] 第二。'), ['修复了。[1]', '第二。']);
});

test('versions, abbreviations and numbers of a list end no sentence', () => {
  assert.deepEqual(split('Fixed in 4.3.3 and node.js 2.1. See e.g. the advisory [1].'), [
    'Fixed in 4.3.3 and node.js 2.1.',
    'See e.g. the advisory [1].',
  ]);
  assert.deepEqual(split('1. First [1].\n2. Second [2].'), ['1. First [1].', '2. Second [2].']);
});

test('a sentence is given as soon as it is certain that it has ended', () => {
  const splitter = createSplitter();
  assert.deepEqual(splitter.push('One. '), []);
  assert.deepEqual(splitter.push('['), []);
  assert.deepEqual(splitter.push('1] Tw'), ['One. [1]']);
  assert.deepEqual(splitter.push('o'), []);
  assert.deepEqual(splitter.end(), ['Two']);
});

test('text without an end is not gathered for ever', () => {
  assert.equal(createSplitter().push('x'.repeat(2_000)).length, 1);
});

test('however a text is cut, its sentences are the same', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'ab1. .[2]!\n。'), maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(60)), (text, cuts) => {
      const positions = [...new Set([0, ...cuts.filter((at) => at < text.length), text.length])].sort((a, b) => a - b);
      const pieces = positions.slice(1).map((end, i) => text.slice(positions[i], end));
      assert.deepEqual(split(...pieces), split(text));
      assert.equal(split(text).join('').replace(/\s/gu, ''), text.replace(/\s/gu, ''));
    }),
  );
});
