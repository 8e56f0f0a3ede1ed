import { KIND } from './analyser.ts';
import { fold } from './fold.ts';

const MAX_LENGTH = 200;
const DIGEST = /^(?:sha(?:1|256|384|512)|md5):([0-9a-f]{12,})$/;
const PURL = /^pkg:[^?#]+/;
const UNUSUAL = /[\s_%]/;

const encoder = new TextEncoder();
const scratch = new Uint8Array(MAX_LENGTH * 3 + 1);
scratch[0] = KIND.exact;

/** Writes the term into `scratch`. @returns its length */
const encode = (name: string): number => {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code > 127) return 1 + encoder.encodeInto(name, scratch.subarray(1)).written;
    scratch[i + 1] = code;
  }
  return name.length + 1;
};

const versionless = (purl: string): string => {
  const at = purl.lastIndexOf('@');
  const slash = purl.indexOf('/');
  return at > slash + 1 ? purl.slice(0, at) : purl;
};

/** Exact-match forms of a name: normalised, digests by value, package URLs with and without version. */
export const exactNamesOf = (name: string): string[] => {
  if (name.length > MAX_LENGTH * 4) return [];
  const plain = plainOf(name);
  if (plain === '' || plain.length > MAX_LENGTH) return [];
  const digest = DIGEST.exec(plain)?.[1];
  if (digest !== undefined) return [digest];
  if (plain.startsWith('pkg:')) return withAndWithoutVersion(PURL.exec(plain)?.[0] ?? plain);
  return [plain.startsWith('@') ? plain.slice(1) : plain];
};

const plainOf = (name: string): string => {
  const lower = fold(name).text.toLowerCase();
  const isPlain = !UNUSUAL.test(lower);
  return isPlain ? lower : lower.trim().replaceAll('_', '-').replaceAll('%40', '@').replace(/\s+/g, ' ');
};

const withAndWithoutVersion = (purl: string): string[] => {
  const plain = versionless(purl);
  return plain === purl ? [purl] : [plain, purl];
};

/** Calls `take` with the terms of `ownNamesOf` as in a dictionary: `bytes[0..length)`, valid only during the call. */
export const eachExactTerm = (name: string, visit: (bytes: Uint8Array, length: number) => void): void => {
  for (const own of exactNamesOf(name)) visit(scratch, encode(own));
};

/** Terms of `ownNamesOf` as in a dictionary. */
export const exactTermsOf = (name: string): Uint8Array[] =>
  exactNamesOf(name).map((own) => {
    const length = encode(own);
    return scratch.slice(0, length);
  });
