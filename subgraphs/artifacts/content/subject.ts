import { isJsonObject, type JsonObject } from '@landfall/kernel/core/json';

/** Digest that a document is about. */
export interface Subject {
  /** As in-toto names it: `sha256`. */
  readonly algorithm: string;
  /** Lower-case hexadecimal digits, or `gitCommit`'s. */
  readonly digest: string;
  /** Empty for a document that is no statement. */
  readonly predicateType: string;
}

const ALGORITHM = /^[a-z][a-zA-Z0-9_]{0,31}$/;
const HEX = /^[0-9a-f]{32,128}$/;

/** Spelling of an algorithm as in-toto has it: `SHA-256` is `sha256`. */
const algorithmOf = (name: string): string =>
  /^sha-?\d|^md5$/i.test(name) ? name.toLowerCase().replace('-', '') : name;

/** The digest as a subject, unless it is none. */
export const subjectOf = (algorithm: unknown, digest: unknown, predicateType = ''): Subject[] => {
  if (typeof algorithm !== 'string' || typeof digest !== 'string') return [];
  const subject = { algorithm: algorithmOf(algorithm), digest: digest.toLowerCase(), predicateType };
  return ALGORITHM.test(subject.algorithm) && HEX.test(subject.digest) ? [subject] : [];
};

/** Digest in a package URL of an image, `pkg:oci/app@sha256:…` or `…@sha256%3A…`. */
export const subjectOfPurl = (purl: unknown): Subject[] => {
  if (typeof purl !== 'string') return [];
  const [, digest] = /@sha256(?::|%3[Aa])([0-9a-f]{64})(?:[?#]|$)/.exec(purl) ?? [];
  return subjectOf('sha256', digest);
};

/** Objects in a list; anything else in it is left out. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item: unknown) => isJsonObject(item)) : [];

export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;
