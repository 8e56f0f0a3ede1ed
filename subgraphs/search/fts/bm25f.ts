/** Scoring parameters. A change invalidates snapshots (see `fingerprint`). */
export const WEIGHTS = {
  k1: 1.2,
  /** Fields: weight, length normalisation `b` (0 to 1), and fixed reference length in terms, so merges keep scores. */
  identifiers: { weight: 6, b: 0.2, length: 12 },
  title: { weight: 3, b: 0.4, length: 10 },
  body: { weight: 1, b: 0.4, length: 60 },
} as const;

/** Interpretation of queries. Does not affect snapshots. */
export const READING = {
  /** Words with a lower document frequency are also treated as typos. */
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

/** Version of text analysis; raise it whenever `text/` produces other terms. */
const ANALYSIS = 1;

/** Fingerprint of the parameters that postings depend on, in 32 bits. */
export const fingerprint = (): number => {
  let hash = ANALYSIS;
  for (const character of JSON.stringify(WEIGHTS)) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return hash;
};

/** Resolution of a term's score part in a document. */
export const PARTS = 65_535;

/** Quantised score part: 0 to `PARTS`, never 0 for a term that occurs. */
export const partOf = (weighted: number): number =>
  Math.max(1, Math.round((weighted / (WEIGHTS.k1 + weighted)) * PARTS));

/** Weight of one occurrence in a field of this length. */
export const perOccurrence = (field: { weight: number; b: number; length: number }, terms: number): number =>
  field.weight / (1 - field.b + (field.b * terms) / field.length);

/** Inverse document frequency; never negative. */
export const idf = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
