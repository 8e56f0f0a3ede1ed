import { randomBytes } from 'node:crypto';
import { hashSecret } from '../protocol/opaque-secrets.ts';

/** Crockford's base 32, without look-alike letters. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LETTERS = 16;
const RECOVERY_CODES = 10;

/** Normalizes a typed code: case, dashes and look-alike letters are ignored. */
const canonical = (code: string): string =>
  code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');

export const hashOfRecoveryCode = (code: string): Buffer => hashSecret(canonical(code));

/** Generates a code of 80 random bits: a plain hash suffices. */
const newCode = (): string =>
  Array.from(randomBytes(LETTERS), (byte) => ALPHABET[byte % ALPHABET.length])
    .join('')
    .replace(/.{4}(?=.)/g, '$&-');

/** Generates a set of codes, shown once. */
export const newRecoveryCodes = (): readonly string[] => Array.from({ length: RECOVERY_CODES }, newCode);
