import { defineOrder, isDigits, numberKey, TEXT_END, type VersionOrder } from './version-order.ts';

// Marks of a segment. A missing segment counts as zero, so the end sorts as zeros do.
const [LETTERS, ZERO_BEFORE_LETTERS, END, DIGITS] = ['1', '2', '3', '4'] as const;

const SYNTAX = /^\d+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const isZero = (segment: string | undefined): boolean => segment !== undefined && /^0+$/.test(segment);

/** Segments without the zeros at the end of the numbers and at the end. Source: Gem::Version, `canonical_segments`. */
const segmentsOf = (text: string): string[] => {
  const segments =
    text
      .trim()
      .replaceAll('-', '.pre.')
      .match(/\d+|[A-Za-z]+/g) ?? [];
  const firstLetters = segments.findIndex((segment) => !isDigits(segment));
  const numbers = firstLetters < 0 ? segments : segments.slice(0, firstLetters);
  const rest = firstLetters < 0 ? [] : segments.slice(firstLetters);
  for (const list of [numbers, rest]) while (isZero(list.at(-1))) list.pop();
  return [...numbers, ...rest];
};

/** Order of Ruby gems. Source: RubyGems, `Gem::Version#<=>`. */
export const rubygemsOrder: VersionOrder = defineOrder({
  name: 'rubygems',
  isVersion: (text) => SYNTAX.test(text.trim()),
  keyOf(text) {
    const segments = segmentsOf(text);
    const keys: string[] = [];
    let areLettersNext = false;
    for (const segment of segments.toReversed()) {
      if (isZero(segment)) keys.push(areLettersNext ? ZERO_BEFORE_LETTERS : DIGITS + numberKey(''));
      else {
        areLettersNext = !isDigits(segment);
        keys.push(areLettersNext ? LETTERS + segment + TEXT_END : DIGITS + numberKey(segment));
      }
    }
    return keys.toReversed().join('') + END;
  },
});
