import { randomBytes } from 'node:crypto';
import { hashSecret } from '../protocol/opaque-secrets.ts';

/** Crockford's base 32: no letter that looks like a digit or like another. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LETTERS = 16;
export const RECOVERY_CODES = 10;

/** As it was shown, whatever case, dashes and look-alikes it is typed with. */
const canonical = (code: string): string =>
  code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');

export const hashOfRecoveryCode = (code: string): Buffer => hashSecret(canonical(code));

/** 80 random bits, so that a plain hash gives nothing away. */
const newCode = (): string =>
  Array.from(randomBytes(LETTERS), (byte) => ALPHABET[byte % ALPHABET.length])
    .join('')
    .replace(/.{4}(?=.)/g, '$&-');

/** Codes to be shown once. */
export const newRecoveryCodes = (): readonly string[] => Array.from({ length: RECOVERY_CODES }, newCode);
