import { KIND } from './analyser.ts';
import { fold } from './fold.ts';

const LONGEST = 200;
const DIGEST = /^(?:sha(?:1|256|384|512)|md5):([0-9a-f]{12,})$/;
const PURL = /^pkg:[^?#]+/;

const encoder = new TextEncoder();

const encoded = (name: string): Uint8Array => {
  const bytes = encoder.encode(name);
  const term = new Uint8Array(bytes.length + 1);
  term[0] = KIND.own;
  term.set(bytes, 1);
  return term;
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
  const plain = fold(name.trim()).text.toLowerCase().replaceAll('_', '-').replaceAll('%40', '@').replace(/\s+/g, ' ');
  if (plain === '' || plain.length > LONGEST) return [];
  const digest = DIGEST.exec(plain)?.[1];
  if (digest !== undefined) return [digest];
  const purl = PURL.exec(plain)?.[0];
  if (purl !== undefined) return [...new Set([versionless(purl), purl])];
  return [plain.startsWith('@') ? plain.slice(1) : plain];
};

/** The terms of `ownNamesOf` as a dictionary has them. */
export const ownTermsOf = (name: string): Uint8Array[] => ownNamesOf(name).map(encoded);
