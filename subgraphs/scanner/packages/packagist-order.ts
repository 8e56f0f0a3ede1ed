import { defineOrder, isDigits, numberKey, type VersionOrder } from './version-order.ts';

// Marks in the order of PHP's version_compare: words, the end, numbers, patch levels.
const [UNKNOWN, DEV, ALPHA, BETA, RC, END, NUMBER, PATCH] = ['0', '1', '2', '3', '4', '5', '6', '7'] as const;

const WORDS: readonly (readonly [prefix: string, mark: string])[] = [
  ['dev', DEV],
  ['a', ALPHA],
  ['b', BETA],
  ['rc', RC],
  ['p', PATCH],
];

const wordMark = (word: string): string => WORDS.find(([prefix]) => word.startsWith(prefix))?.[1] ?? UNKNOWN;

const SYNTAX =
  /^v?\d+(?:\.\d+)*(?:[._-]?(?:stable|alpha|beta|a|b|rc|patch|pl|p)(?:[.-]?\d+)*)?(?:[.-]?dev)?(?:\+[0-9a-z.-]+)?$/i;

const partKey = (part: string): string => {
  if (isDigits(part)) return NUMBER + numberKey(part);
  // PHP writes # for any number. Composer leaves `stable` out.
  if (part.startsWith('#')) return NUMBER + numberKey('');
  return part === 'stable' ? '' : wordMark(part);
};

/**
 * Order of Composer packages: four numbers, then words and numbers. A branch such as `dev-main` is no version.
 * Source: Composer, `VersionParser::normalize`; PHP, `version_compare`.
 */
export const packagistOrder: VersionOrder = defineOrder({
  name: 'packagist',
  isVersion: (text) => SYNTAX.test(text),
  keyOf(text) {
    const [, numbers = '0', rest = ''] = /^v?(\d+(?:\.\d+)*)?(.*)$/s.exec(text.toLowerCase()) ?? [];
    const main = numbers.split('.');
    while (main.length < 4) main.push('0');
    const parts = [...main, ...(rest.match(/\d+|[^\d._+-]+/g) ?? [])];
    return parts.map(partKey).join('') + END;
  },
});
