/**
 * Order of the versions of an ecosystem. It is the order of sort keys as strings of UTF-16 code units, hence total:
 * a caller that compares a version often computes its key once.
 */
export interface VersionOrder {
  readonly name: string;
  /** Whether the text is a version by the published rules of the ecosystem. */
  isVersion(text: string): boolean;
  /** Key whose order is that of the versions. A text that is no version has one too, so that any list can be sorted. */
  sortKey(text: string): string;
  /** Negative, zero or positive as `a` is below, equal to or above `b`. */
  compare(a: string, b: string): number;
}

/** Characters of the longest version that is read; the longest in use have about a hundred. */
const MAX_LENGTH = 1024;

/** Rules of an order: both functions see texts of at most {@link MAX_LENGTH} characters. */
interface OrderRules {
  readonly name: string;
  readonly isVersion: (text: string) => boolean;
  /** Key of a text, undefined where the rules give it none. */
  readonly keyOf: (text: string) => string | undefined;
}

/** Version order of an ecosystem's rules; a text without a key sorts below all texts that have one. */
export const defineOrder = ({ name, isVersion, keyOf }: OrderRules): VersionOrder => {
  const sortKey = (text: string): string =>
    (text.length > MAX_LENGTH ? undefined : keyOf(text)) ?? `${TEXT_END}${text}`;
  return {
    name,
    isVersion: (text) => text.length <= MAX_LENGTH && isVersion(text),
    sortKey,
    compare(a, b) {
      const [keyA, keyB] = [sortKey(a), sortKey(b)];
      return keyA < keyB ? -1 : Number(keyA > keyB);
    },
  };
};

/** End of a text inside a sort key: below every character of a version. */
export const TEXT_END = '\u0001';

/** End of a list inside a sort key: below every number and letter. */
export const LIST_END = '!';

/** Mark of an absent part that sorts above a present one, such as the pre-release of a release. */
export const ABSENT_HIGH = '~';

/** Digits as a key whose order is that of the numbers, of any size: their count as one character, then the digits. */
export const numberKey = (digits: string): string => {
  let start = 0;
  while (digits[start] === '0') start++;
  return String.fromCharCode(48 + digits.length - start) + digits.slice(start);
};

/** Whether a text has digits only. */
export const isDigits = (text: string): boolean => /^\d+$/.test(text);
