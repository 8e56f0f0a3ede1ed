import type { StoredChunk } from '../corpus/chunk.ts';
import type { Card, Found } from '../query/card.ts';
import type { Domain } from '../shared/domains.ts';
import { chunksOf, listed, textsOf } from './excerpts.ts';
import { folded, lexiconOf } from './lexicon.ts';
import { matchOf, subjectOf } from './subject.ts';

/** Domains with the platform's own history and state. */
export const OWN_DOMAINS: readonly Domain[] = ['release', 'graph', 'timeline', 'opsmemory', 'scanner'];
const OWN_RECORD: ReadonlySet<string> = new Set(OWN_DOMAINS);

/** Name in a question that can be looked up alone: an entity with a version, or a single word. */
export interface Term {
  readonly text: string;
  readonly words: readonly string[];
  readonly version?: string | undefined;
}

/** Term with the result of its own search. */
export interface TermLookup extends Term {
  /** Some document has it. */
  readonly isNamed: boolean;
  /** Whether the term occurs in the platform's own history. */
  readonly isOwn: boolean;
  readonly found: Found;
  /** Cards of the platform's own record that name a thing with its version side by side. */
  readonly record: readonly Card[];
}

/** Maximum number of terms of a question that are looked up. */
const MAX_TERMS = 6;

export const termsOf = (query: string): Term[] => {
  const { words, versioned } = subjectOf(query);
  const pairs = versioned.map(
    ([name, version]): Term => ({ text: `${name} ${version}`, words: [name, version], version }),
  );
  const parts = new Set(pairs.flatMap((pair) => pair.words));
  const single = words.filter((word) => !parts.has(word) && !parts.has(word.replace(/^v(?=\d)/u, '')));
  return [...pairs, ...single.map((word): Term => ({ text: word, words: [word] }))].slice(0, MAX_TERMS);
};

/** Whether texts name a thing with its version, in any usual form. */
const isWritten = ({ words: [name = ''], version = '' }: Term, chunks: readonly StoredChunk[]): boolean => {
  const { has } = lexiconOf(chunks.flatMap(textsOf));
  return [' ', '@', ':', '-', ' v', '@v', ' version '].some((sign) => has(`${name}${sign}${version}`));
};

const hasAll = ({ words }: Term, chunks: readonly StoredChunk[]): boolean =>
  chunks.length > 0 && matchOf({ words, versioned: [], isStory: false }, chunks, textsOf).share === 1;

const isPackage = ({ words: [name] }: Term, chunks: readonly StoredChunk[]): boolean =>
  chunks.some(({ packages }) => packages.some((each) => folded(each) === name));

/**
 * Evaluates the searches for a term. An entity with a version is known when a document contains both; a document
 * about something else counts only where it names them side by side or is about a package of that name.
 */
export const lookupOf = (term: Term, ...searches: readonly Found[]): TermLookup => {
  const cards = searches.flatMap((search) => search.cards.map((card) => ({ card, chunks: chunksOf(search, [card]) })));
  const own = cards.filter(({ card }) => OWN_RECORD.has(card.domain));
  const isOwn = own.some(
    ({ chunks }) => hasAll(term, chunks) || (term.version !== undefined && isWritten(term, chunks)),
  );
  const isNamed = cards.some(({ chunks }) =>
    term.version === undefined
      ? hasAll(term, chunks)
      : isWritten(term, chunks) || (isPackage(term, chunks) && hasAll(term, chunks)),
  );
  const [first] = searches;
  if (first === undefined) throw new Error(`nothing was searched for ${term.text}`);
  const found = { ...first, chunks: new Map(searches.flatMap(({ chunks }) => [...chunks])) };
  const record = term.version === undefined ? [] : own.filter(({ chunks }) => isWritten(term, chunks));
  return { ...term, isOwn, isNamed: isNamed || isOwn, found, record: record.map(({ card }) => card) };
};

/** Terms as the question writes them. */
const quoted = (query: string, terms: readonly Term[]): string => {
  const written = query.split(/\s+/u).map((each) => each.replace(/^[("'“‘]+|[)"'”’?!.,;:]+$/gu, ''));
  return listed(terms.map(({ text }) => `“${written.find((each) => folded(each) === text) ?? text}”`));
};

export const denialOf = (query: string, looked: readonly TermLookup[]): string | undefined => {
  const unknown = looked.filter(({ isNamed }) => !isNamed);
  const versioned = unknown.filter(({ version }) => version !== undefined);
  if (versioned.length > 0) return `There is no ${quoted(query, versioned)} on record.`;
  return unknown.length > 0 ? `No document names ${quoted(query, unknown)}.` : undefined;
};

/** Sentence that names known terms whose documents do not answer the question. */
export const shortfallOf = (query: string, looked: readonly TermLookup[]): string => {
  const { isStory } = subjectOf(query);
  const others = looked.filter(({ isOwn }) => !isOwn);
  if (others.length > 0 && (isStory || others.length < looked.length))
    return `No release, deployment or environment names ${quoted(query, others)}.`;
  if (looked.length === 0) return 'No document answers this.';
  if (looked.length === 1) return `What is on record of ${quoted(query, looked)} does not answer this.`;
  return `No document speaks of ${quoted(query, looked)} together.`;
};
