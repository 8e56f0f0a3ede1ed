import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { linearPattern, MAX_PATTERN, PatternError } from './linear-pattern.ts';

const plenty = () => ({ steps: Number.MAX_SAFE_INTEGER });
const find = (pattern: string, text: string) => linearPattern(pattern).findAll(text, plenty()) ?? assert.fail('spent');

const atoms = ['a', 'b', '-', '1', '.', '\\d', '\\w', '\\b', '[ab]', '[^a]', '[a-c1]', '^', '$', '\\s', '😀'] as const;

/** Whether a part always matches something. JavaScript repeats what matched nothing in a way of its own. */
const isSolid = (inner: string): boolean =>
  !/[$^]|\\b/.test(inner.replaceAll(/\[[^\]]*\]/g, '.')) && !new RegExp(`^(?:${inner})$`, 'u').test('');

/** Patterns of the subset, of bounded depth. */
const { pattern } = fc.letrec<{ pattern: string; choice: string; sequence: string; item: string }>((tie) => ({
  pattern: tie('choice'),
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
  sequence: fc.array(tie('item'), { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
  item: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'pattern' },
    fc.constantFrom(...atoms),
    fc
      .tuple(
        fc.oneof(
          fc.constantFrom('a', '\\d', '[ab]', '.'),
          tie('choice').map((inner) => (isSolid(inner) ? `(?:${inner})` : 'b')),
        ),
        fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,1}', '*?', '+?', '??'),
      )
      .map(([item, quantifier]) => item + quantifier),
    tie('choice').map((inner) => `(?:${inner})`),
  ),
}));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '-', ' ', '\n', '😀', 'é'), maxLength: 24 });

test('whatever the pattern, the matches are those of JavaScript’s regular expressions', () => {
  let compared = 0;
  fc.assert(
    fc.property(pattern, text, (source, given) => {
      const expected = [...given.matchAll(new RegExp(source, 'gu'))].map(([all]) => all);
      // JavaScript finds empty matches too.
      fc.pre(source.length <= MAX_PATTERN && !expected.includes(''));
      compared += 1;
      assert.deepEqual(
        find(source, given).map((match) => match.text),
        expected,
      );
    }),
    { numRuns: 1_000, maxSkipsPerRun: 1_000 },
  );
  assert.ok(compared > 500, `${compared}`);
});

test('the first group is the key where it took part', () => {
  assert.deepEqual(find('(?:fixes|closes) #(\\d+)', 'fixes #7, closes #12'), [
    { text: 'fixes #7', group: '7' },
    { text: 'closes #12', group: '12' },
  ]);
  assert.deepEqual(find('\\b[A-Z]{2,10}-\\d+\\b', 'SHOP-1: see OPS-22, not X-1'), [
    { text: 'SHOP-1', group: undefined },
    { text: 'OPS-22', group: undefined },
  ]);
  assert.deepEqual(find('a(b)?', 'ab a'), [
    { text: 'ab', group: 'b' },
    { text: 'a', group: undefined },
  ]);
});

test('groups after the first match and are not reported', () => {
  const source = `${'()'.repeat(60)}(a)(b)`;
  assert.deepEqual(find(source, 'ab'), [{ text: 'ab', group: '' }]);
  assert.deepEqual(find('(?:(a)|(b))c', 'bc ac'), [
    { text: 'bc', group: undefined },
    { text: 'ac', group: 'a' },
  ]);
});

const explosive = ['(a+)+$', '(a|a)*b', '(a|aa)+$', '(?:.*a){12}', 'a*a*a*a*a*b', '(x+x+)+y'];
for (const source of explosive)
  test(`${source} ends on a long text`, () => {
    const text = `${'a'.repeat(20_000)}!`;
    for (const match of find(source, text)) assert.ok(text.includes(match.text));
  });

test('a search for each next match is paid for by the text that is left', () => {
  const stepsOf = (text: string): number => {
    const budget = plenty();
    linearPattern('a').findAll(text, budget);
    return Number.MAX_SAFE_INTEGER - budget.steps;
  };
  assert.ok(stepsOf('ab'.repeat(100)) > 50 * stepsOf('b'.repeat(200)));
});

test('a search ends when its budget is used up', () => {
  const budget = { steps: 1_000 };
  assert.equal(linearPattern('a+b').findAll('a'.repeat(1_000), budget), undefined);
  assert.equal(linearPattern('a').findAll('a', budget), undefined, 'the budget is shared');
});

const refused: readonly string[] = [
  '(a)\\1',
  '(?=a)',
  '(?!a)',
  '(?<=a)',
  'a**',
  '*a',
  '(a',
  'a)',
  '[a',
  '[b-a]',
  'a{2,1}',
  'a{1001}',
  '\\',
  '((((a{100}){100}){100}){100})',
  '(?:(?:(?:(?:(?:(?:){100}){100}){100}){100}){100}){100}',
  '(?:(?:(?:(?:(?:a{0}){100}){100}){100}){100}){100}',
  '(?:(?:(?:(?:|){100}){100}){100}){100}',
  'a'.repeat(201),
];
for (const source of refused)
  test(`${source.slice(0, 60)} is refused with a reason`, () => {
    assert.throws(() => linearPattern(source), PatternError);
  });

test('no text breaks the parser', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (source) => {
      try {
        linearPattern(source);
      } catch (error) {
        assert.ok(error instanceof PatternError, String(error));
      }
    }),
  );
});
