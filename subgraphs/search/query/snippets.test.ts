import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Match, merged, snippetsOf } from './snippets.ts';

const matchesOf = (text: string, ...query: string[]): Match[] =>
  query
    .flatMap((word, position) =>
      [...text.matchAll(new RegExp(word, 'gu'))].map(({ index }) => ({
        word: position,
        start: index,
        end: index + word.length,
      })),
    )
    .sort((one, other) => one.start - other.start);

const visible = ({ text, ranges }: ReturnType<typeof snippetsOf>[number]): string[] =>
  ranges.map(([start, end]) => text.slice(start, end));

/** Text with characters of one and of two units, and blanks. */
const writing = fc
  .array(fc.constantFrom('a', 'b', 'word', ' ', '  ', '\n', '😀', '𐍈', 'ü', 'שלום', '.'), { maxLength: 200 })
  .map((parts) => parts.join(''));

describe('windows of a text', () => {
  it('show the densest place, not the first, with what matched', () => {
    const text = `${'filler '.repeat(60)}alpha ${'filler '.repeat(60)}alpha beta gamma ${'filler '.repeat(60)}`;
    const [first, ...others] = snippetsOf(text, matchesOf(text, 'alpha', 'beta', 'gamma'));
    assert.ok(first);
    assert.deepEqual(visible(first), ['alpha', 'beta', 'gamma']);
    assert.ok(first.text.startsWith('…') && first.text.endsWith('…'));
    // The first alpha is in no window of its own: the other shows the word already.
    assert.deepEqual(others, []);
  });

  it('have a second one where it shows a word that the first does not', () => {
    const text = `alpha beta ${'filler '.repeat(100)}gamma`;
    const windows = snippetsOf(text, matchesOf(text, 'alpha', 'beta', 'gamma'));
    assert.deepEqual(windows.map(visible), [['alpha', 'beta'], ['gamma']]);
  });

  it('are the whole text where it is short, and none where nothing matched', () => {
    assert.deepEqual(snippetsOf('one two', [{ word: 0, start: 4, end: 7 }]), [{ text: 'one two', ranges: [[4, 7]] }]);
    assert.deepEqual(snippetsOf('one two', []), []);
  });

  it('keep a match that is longer than a window whole', () => {
    const text = `x ${'a'.repeat(500)} y`;
    const [window] = snippetsOf(text, [{ word: 0, start: 2, end: 502 }]);
    assert.deepEqual(
      window?.ranges.map(([start, end]) => end - start),
      [500],
    );
  });

  it('part no surrogate pair, stay short, and name exactly what matched', () => {
    fc.assert(
      fc.property(writing, (text) => {
        const matches = matchesOf(text, 'word', '😀', 'שלום');
        for (const window of snippetsOf(text, matches)) {
          assert.ok(window.text.isWellFormed(), 'no half of a character');
          assert.ok(window.text.length <= 2 + 200 + 40, `${window.text.length} units`);
          assert.ok(window.ranges.length > 0);
          for (const word of visible(window)) assert.match(word, /^(?:word|😀|שלום)+$/u);
        }
      }),
    );
  });
});

describe('merged ranges', () => {
  it('are apart, in order, and cover what was given', () => {
    const range = fc
      .tuple(fc.nat(60), fc.integer({ min: 1, max: 9 }))
      .map(([at, length]) => [at, at + length] as const);
    fc.assert(
      fc.property(fc.array(range, { maxLength: 20 }), (given) => {
        const result = merged(given);
        const units = (ranges: readonly (readonly [number, number])[]) =>
          new Set(ranges.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i)));
        assert.deepEqual([...units(result)].sort(), [...units(given)].sort());
        for (const [at, [start]] of result.entries()) if (at > 0) assert.ok(start >= (result[at - 1]?.[1] ?? 0));
      }),
    );
  });
});
