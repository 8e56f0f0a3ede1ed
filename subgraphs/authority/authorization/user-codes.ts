import { randomInt } from 'node:crypto';

/** Consonants that are not mistaken for digits; without vowels no words appear (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** Generates a user code: eight letters, 34 bits, protected by back-off and ten minutes of life. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** Display form of a user code: `WDJB-MJHT`. */
export const formatUserCode = (userCode: string): string => `${userCode.slice(0, 4)}-${userCode.slice(4)}`;

/** Normalizes a typed code: case, dashes and spaces are ignored. Undefined when it cannot be a code. */
export const userCodeOf = (typed: string): string | undefined => {
  if (typed.length > 100) return undefined;
  const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return /^[BCDFGHJ-NP-TVWXZ]{8}$/.test(code) ? code : undefined;
};
