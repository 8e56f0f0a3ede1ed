import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Analyser } from '../text/analyser.ts';
import { exactTermsOf } from '../text/exact-names.ts';
import { sortTerms } from './term-order.ts';
import { Vocabulary } from './vocabulary.ts';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const analysed = (text: string): string[] => {
  const terms: string[] = [];
  new Analyser().analyse(text, { term: (bytes, length) => void terms.push(hexOf(bytes.subarray(0, length))) });
  return terms;
};

const listed = (vocabulary: Vocabulary, list: number): string[] => {
  const { lists } = vocabulary;
  const ids = lists.slice(list + 1, list + 1 + (lists[list] ?? 0));
  const { offsets, bytes } = vocabulary.terms.gather(ids);
  return Array.from(ids, (_, i) => hexOf(bytes.subarray(offsets[i], offsets[i + 1])));
};

const piece = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'CVE-2021-44228',
    'pkg:npm/%40scope/foo_bar@1.2.3',
    'pkg:npm',
    'org.apache:log4j-core',
    'std::vector',
  ),
  fc.constantFrom(
    'fromJSON',
    'HTTPServer',
    'sha256:0123456789abcdef',
    'v1.2.3-beta',
    'naïve',
    '“quoted”',
    '日本語',
    'ﷺ',
  ),
  fc.constantFrom(' ', ' ', '. ', ':', '/', '@', '_', '-', '\u0000', 'p', 'pk', 'PKG:deb/a!'),
);
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

test('a vocabulary reads of a text what the analyser reads, the first time and again', () => {
  const vocabulary = new Vocabulary();
  fc.assert(
    fc.property(text, fc.boolean(), (some, isRepeated) => {
      const expected = analysed(some);
      assert.deepEqual(listed(vocabulary, vocabulary.text(some, isRepeated)), expected);
      assert.deepEqual(listed(vocabulary, vocabulary.text(some, isRepeated)), expected);
    }),
    { numRuns: 2_000, examples: [['pkg:npm/_', false]] },
  );
});

test('a name is read as its words and as what it is known by', () => {
  const vocabulary = new Vocabulary();
  fc.assert(
    fc.property(text, (name) => {
      const expected = [...analysed(name), ...exactTermsOf(name).map(hexOf)];
      assert.deepEqual(listed(vocabulary, vocabulary.name(name)), expected);
      assert.deepEqual(listed(vocabulary, vocabulary.name(name)), expected);
    }),
    { numRuns: 1_000 },
  );
});

test('what is remembered of texts is bounded, and forgotten texts are read again', () => {
  const vocabulary = new Vocabulary();
  const bodies = Array.from({ length: 3_000 }, (_, i) => `body ${i} ${'word '.repeat(700)}`);
  for (const body of bodies) vocabulary.text(body, true);
  assert.ok(vocabulary.lists.length <= 1 << 22);
  assert.deepEqual(listed(vocabulary, vocabulary.text(bodies[0] ?? '', true)), analysed(bodies[0] ?? ''));
});

test('too many words are forgotten, but not before there is room for that', () => {
  const vocabulary = new Vocabulary();
  for (let i = 0; i < 270_000; i++) vocabulary.text(`w${i}q`, false);
  assert.equal(vocabulary.terms.count, 270_000);
  assert.equal(vocabulary.makeRoom(), true);
  assert.equal(vocabulary.terms.count, 0);
  assert.equal(vocabulary.makeRoom(), false);
  assert.deepEqual(listed(vocabulary, vocabulary.text('w1q', false)), analysed('w1q'));
});

test('terms are put in the order of their bytes, however much of them is the same', () => {
  const bytes = fc.uint8Array({ maxLength: 14, max: 3 });
  fc.assert(
    fc.property(fc.uniqueArray(bytes, { maxLength: 200, selector: hexOf }), fc.nat(600), (terms, equal) => {
      const prefixed = terms.map((term) => Buffer.concat([Buffer.alloc(equal, 1), term]));
      const offsets = Uint32Array.from([0, ...prefixed].keys(), (i) =>
        prefixed.slice(0, i).reduce((sum, { length }) => sum + length, 0),
      );
      const ids = Uint32Array.from(prefixed.keys());
      sortTerms({ offsets, bytes: Buffer.concat(prefixed) }, ids);
      const expected = [...prefixed.keys()].sort((a, b) =>
        Buffer.compare(prefixed[a] ?? Buffer.alloc(0), prefixed[b] ?? Buffer.alloc(0)),
      );
      assert.deepEqual([...ids], expected);
    }),
  );
});
