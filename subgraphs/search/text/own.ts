import { KIND } from './analyser.ts';
import { fold } from './fold.ts';

const LONGEST = 200;
const DIGEST = /^(?:sha(?:1|256|384|512)|md5):([0-9a-f]{12,})$/;
const PURL = /^pkg:[^?#]+/;
const UNUSUAL = /[\s_%]/;

const encoder = new TextEncoder();

const encoded = (name: string): Uint8Array => {
  const term = new Uint8Array(name.length * 3 + 1);
  term[0] = KIND.own;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code > 127) return term.subarray(0, 1 + encoder.encodeInto(name, term.subarray(1)).written);
    term[i + 1] = code;
  }
  return term.subarray(0, name.length + 1);
};

const versionless = (purl: string): string => {
  const at = purl.lastIndexOf('@');
  const slash = purl.indexOf('/');
  return at > slash + 1 ? purl.slice(0, at) : purl;
};

/**
 * How an identifier or a package's name is looked up exactly: in lower case, without accents, blanks around it and a
 * scope's `@`, `_` as `-`; digests by their value, package URLs with and without their version.
 */
export const ownNamesOf = (name: string): string[] => {
  if (name.length > LONGEST * 4) return [];
  const plain = plainOf(name);
  if (plain === '' || plain.length > LONGEST) return [];
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
  const bare = versionless(purl);
  return bare === purl ? [purl] : [bare, purl];
};

/** The terms of `ownNamesOf` as a dictionary has them. */
export const ownTermsOf = (name: string): Uint8Array[] => ownNamesOf(name).map(encoded);
