import { KIND, ROLE } from '../text/analyser.ts';
import { respellingsOf } from '../text/respelling.ts';
import { idf, PARTS, READING } from './bm25f.ts';
import { find, frequencyOf, NONE, rangeOf, termOf } from './dictionary.ts';
import type { LiveSegment } from './live-segment.ts';
import { decodeTerm, encodeTerm, type QueryTerm } from './query-terms.ts';
import { documentsOf } from './segment.ts';
import { eachNeighbour } from './typo-tolerance.ts';

export interface Member {
  readonly term: Uint8Array;
  readonly text: string;
  readonly frequency: number;
  /** Integer weight, so that sums do not depend on order. */
  readonly factor: number;
  /** Term number in each segment, or `NONE`. */
  readonly ids: Int32Array;
}

/** Query word with its alternative terms; in each document the best alternative counts. */
export interface TermGroup {
  readonly asked: QueryTerm;
  readonly members: readonly Member[];
  readonly cost: number;
}

/** Statistics of a query term over all searched segments. */
export interface TermStatistics {
  readonly asked: QueryTerm;
  /** Document frequency over all domains. */
  readonly frequency: number;
  readonly isOnly: boolean;
  /** Candidate spellings (text/respelling.ts) of a rare term. */
  readonly respellings: readonly Uint8Array[];
}

/** Fixed-point scale of factors. Sums stay far below 2 ** 53. */
const STEPS = 1 << 16;

export const publicScore = (sum: number): number => sum / (PARTS * STEPS);

interface Candidate {
  readonly term: Uint8Array;
  readonly weight: number;
  frequency: number;
}

export const frequencyIn = (segments: readonly LiveSegment[], term: Uint8Array): number =>
  segments.reduce((sum, { segment: { columns } }) => {
    const id = find(columns, term);
    return id === NONE ? sum : sum + frequencyOf(columns, id);
  }, 0);

export const documentsIn = (segments: readonly LiveSegment[]): number =>
  segments.reduce((sum, { segment }) => sum + documentsOf(segment), 0);

class Candidates {
  readonly #found = new Map<string, Candidate>();

  add(term: Uint8Array, weight: number, frequency: number): void {
    const key = Buffer.from(term.buffer, term.byteOffset, term.length).toString('latin1');
    const known = this.#found.get(key);
    if (known) known.frequency += frequency;
    else if (frequency > 0) this.#found.set(key, { term, weight, frequency });
  }

  /** The commonest, at most so many; equally common ones in the order of their bytes. */
  best(most: number): Candidate[] {
    return [...this.#found.entries()]
      .sort(([a, { frequency: inA }], [b, { frequency: inB }]) => inB - inA || (a < b ? -1 : 1))
      .slice(0, most)
      .map(([, candidate]) => candidate);
  }
}

/** Upper bound of terms of a prefix that are all considered; of more, only the most frequent. */
const MAX_GATHERED = 2_048;

const addRange = (
  candidates: Candidates,
  { segment: { columns } }: LiveSegment,
  prefix: Uint8Array,
  weight: number,
): void => {
  const [from, to] = rangeOf(columns, prefix);
  const add = (id: number): void => candidates.add(termOf(columns, id), weight, frequencyOf(columns, id));
  if (to - from <= MAX_GATHERED) {
    for (let id = from; id < to; id++) add(id);
    return;
  }
  for (const id of mostFrequent(from, to, (term) => frequencyOf(columns, term))) add(id);
};

/** About the `READING.mostPrefixes` most frequent terms of a range. */
const mostFrequent = (from: number, to: number, frequency: (id: number) => number): number[] => {
  const best: number[] = [];
  let least = 0;
  for (let id = from; id < to; id++) {
    if (frequency(id) <= least) continue;
    best.push(id);
    if (best.length < READING.mostPrefixes * 4) continue;
    best.sort((a, b) => frequency(b) - frequency(a) || a - b).length = READING.mostPrefixes * 2;
    least = frequency(best.at(-1) ?? 0);
  }
  return best;
};

/** A prefix's longer words; and words that it is one of the forms of: 'traversin' is of 'travers'. */
const completions = (segments: readonly LiveSegment[], { asked: queryTerm }: TermStatistics): Candidate[] => {
  const { written, kind } = queryTerm;
  if (written.length - (kind === KIND.word ? 0 : 1) < READING.leastPrefix) return [];
  const longer = new Candidates();
  const shorter = new Candidates();
  const kinds = kind === KIND.word ? [] : [KIND.identifier, KIND.name, KIND.exact];
  for (const live of segments) {
    if (kind === KIND.word) addRange(longer, live, written, READING.prefix);
    for (const first of kinds) {
      const prefix = Uint8Array.from(written);
      prefix[0] = first;
      addRange(longer, live, prefix, READING.prefix);
    }
  }
  for (let length = written.length - 1; kind === KIND.word && length >= Math.max(4, written.length - 3); length--) {
    const term = written.slice(0, length);
    shorter.add(term, READING.shortened, frequencyIn(segments, term));
  }
  return [...longer.best(READING.mostPrefixes), ...shorter.best(1)];
};

/** Rare words are also treated as typos. */
const isMaybeTypo = (queryTerm: QueryTerm, frequency: number): boolean =>
  queryTerm.kind === KIND.word && frequency < READING.rare;

export const termStatisticsOf = (queryTerm: QueryTerm, frequency: number, isOnly: boolean): TermStatistics => ({
  asked: queryTerm,
  frequency,
  isOnly,
  respellings: isMaybeTypo(queryTerm, frequency) ? respellingsOf(queryTerm.written) : [],
});

const typos = (segments: readonly LiveSegment[], { asked: queryTerm, respellings }: TermStatistics): Candidate[] => {
  const candidates = new Candidates();
  for (const { segment } of segments) {
    const ids = new Set<number>();
    eachNeighbour(segment.columns, queryTerm.term, (id) => ids.add(id));
    eachNeighbour(segment.columns, queryTerm.written, (id) => ids.add(id));
    for (const form of respellings) ids.add(find(segment.columns, form));
    ids.delete(NONE);
    for (const id of ids) candidates.add(termOf(segment.columns, id), READING.typo, frequencyOf(segment.columns, id));
  }
  return candidates.best(READING.mostTypos);
};

/** Hexadecimal digits of which more may follow: a digest is named by its first twelve. */
const DIGEST_PREFIX = /^[0-9a-f]{12,}$/;

const digests = (segments: readonly LiveSegment[], { asked: queryTerm }: TermStatistics): Candidate[] => {
  const candidates = new Candidates();
  for (const live of segments) {
    addRange(candidates, live, queryTerm.term, 1);
    addRange(candidates, live, encodeTerm(KIND.exact, queryTerm.text), 1);
  }
  return candidates.best(READING.mostPrefixes);
};

/** Terms that are the word itself, in any field. */
const exactForms = (segments: readonly LiveSegment[], { asked: queryTerm, isOnly }: TermStatistics): Candidate[] => {
  const candidates = new Candidates();
  candidates.add(queryTerm.term, 1, frequencyIn(segments, queryTerm.term));
  if (queryTerm.kind === KIND.word ? isOnly : queryTerm.kind !== KIND.exact) {
    const own = encodeTerm(KIND.exact, queryTerm.kind === KIND.word ? decodeTerm(queryTerm.written) : queryTerm.text);
    candidates.add(own, 1, frequencyIn(segments, own));
  }
  return candidates.best(2);
};

const alternatives = (segments: readonly LiveSegment[], known: TermStatistics, isTyping: boolean): Candidate[] => {
  const { asked: queryTerm, frequency } = known;
  if (queryTerm.kind === KIND.identifier && DIGEST_PREFIX.test(queryTerm.text)) return digests(segments, known);
  const isPrefix = isTyping ? queryTerm.isOpen : queryTerm.isLast && frequency === 0;
  return [
    ...(isMaybeTypo(queryTerm, frequency) ? typos(segments, known) : []),
    ...(isPrefix ? completions(segments, known) : []),
  ];
};

/** Resolves a query word to the terms of one domain. */
export const groupOf = (segments: readonly LiveSegment[], known: TermStatistics, isTyping: boolean): TermGroup => {
  const documents = documentsIn(segments);
  const own = exactForms(segments, known);
  const ids = new Set(own.map(({ term }) => Buffer.from(term).toString('latin1')));
  const other = alternatives(segments, known, isTyping).filter(({ term }) => {
    const key = Buffer.from(term).toString('latin1');
    return !ids.has(key) && Boolean(ids.add(key));
  });
  // A correction counts no more than the most frequent one: a rare misspelling was probably not meant.
  const highestFrequency = Math.max(0, ...other.map(({ frequency }) => frequency));
  const member = ({ term, weight, frequency }: Candidate, common: number): Member => ({
    term,
    text: decodeTerm(term),
    frequency,
    factor: Math.max(1, Math.round(idf(documents, Math.max(frequency, common)) * weight * STEPS)),
    ids: Int32Array.from(segments, ({ segment }) => find(segment.columns, term)),
  });
  const members = [...own.map((one) => member(one, 0)), ...other.map((one) => member(one, highestFrequency))];
  return { asked: known.asked, members, cost: members.reduce((sum, { frequency }) => sum + frequency, 0) };
};

/** Drops the parts of camel-case words whose whole is a known term, and unknown wholes. */
export const withoutCamelParts = (terms: readonly QueryTerm[], isKnown: (term: QueryTerm) => boolean): QueryTerm[] => {
  const fullRows = terms.filter(({ kind, role }) => kind === KIND.word && role === ROLE.whole);
  return terms.filter((term) => {
    if (fullRows.includes(term)) return isKnown(term);
    const complete = fullRows.find(
      ({ start, end }) => term.role === ROLE.part && start <= term.start && term.end <= end,
    );
    return !complete || !isKnown(complete);
  });
};

/**
 * Filters the groups that are searched for: leaves out the most frequent ones if all together would be too much to
 * read.
 */
export const withinBudget = (groups: readonly TermGroup[]): TermGroup[] => {
  const requested = groups.filter(({ members }) => members.length > 0);
  let cost = requested.reduce((sum, group) => sum + group.cost, 0);
  const costly = requested.toSorted((a, b) => b.cost - a.cost);
  const dropped = new Set<TermGroup>();
  for (const group of costly) {
    if (cost <= READING.mostPostings || dropped.size + 1 >= requested.length) break;
    dropped.add(group);
    cost -= group.cost;
  }
  return requested.filter((group) => !dropped.has(group));
};
