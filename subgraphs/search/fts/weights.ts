/** What a score is made of. Changing anything here makes snapshots of the index be built anew (see `fingerprint`). */
export const WEIGHTS = {
  /** How soon more of the same word stops counting. */
  k1: 1.2,
  /**
   * Fields: what a word in them is worth; how much a long field is worth less (`b`, 0 to 1); the length, in terms, that is
   * neither long nor short. It is given and not counted: so a document's part of a score depends on the document alone, and
   * segments are merged without reading it again.
   */
  identifiers: { weight: 6, b: 0.2, length: 12 },
  title: { weight: 3, b: 0.4, length: 10 },
  body: { weight: 1, b: 0.4, length: 60 },
} as const;

/** How a query is read. Snapshots do not depend on it. */
export const READING = {
  /** A word that is in fewer documents than this is also taken for a typo of others. */
  rare: 3,
  typo: 0.75,
  prefix: 0.6,
  /** A word that begins like the one still being written, which is longer. */
  shortened: 0.5,
  mostTypos: 6,
  mostPrefixes: 40,
  /** The shortest prefix that is completed. */
  leastPrefix: 2,
  /** Distinct words of a query that count; the others are left out. */
  mostWords: 32,
  /** Characters of a query that are read. */
  mostCharacters: 4_096,
  /** Postings a query may touch in a domain; beyond, its commonest words are left out. */
  mostPostings: 3_000_000,
} as const;

/** The version of how texts are taken apart: to be raised whenever `text/` makes other terms of a text. */
const ANALYSIS = 1;

/** Names what postings depend on, in 32 bits. */
export const fingerprint = (): number => {
  let hash = ANALYSIS;
  for (const character of JSON.stringify(WEIGHTS)) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return hash;
};

/** One part of `PARTS` is the least that a term's weight in a document is told by. */
export const PARTS = 65_535;

/** Saturated: 0 to `PARTS`, never 0 for a term that is there. */
export const partOf = (weighted: number): number =>
  Math.max(1, Math.round((weighted / (WEIGHTS.k1 + weighted)) * PARTS));

/** What one occurrence counts in a field of this many terms. */
export const perOccurrence = (field: { weight: number; b: number; length: number }, terms: number): number =>
  field.weight / (1 - field.b + (field.b * terms) / field.length);

/** How much a term tells that `frequency` of `documents` have. Never negative. */
export const idf = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
