import { randomInt } from 'node:crypto';

/** No vowels, so that no word comes out; no letters that are taken for digits (RFC 8628 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** A new user code: eight letters, 34 bits, guarded by back-off and ten minutes of life. */
export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** As it is shown: `WDJB-MJHT`. */
export const shownUserCode = (userCode: string): string => `${userCode.slice(0, 4)}-${userCode.slice(4)}`;

/** What a person typed, as it is stored: case, dashes and spaces mean nothing; nothing when it cannot be a code. */
export const userCodeOf = (typed: string): string | undefined => {
  if (typed.length > 100) return undefined;
  const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return /^[BCDFGHJ-NP-TVWXZ]{8}$/.test(code) ? code : undefined;
};
