import { Analyser, KIND, type Kind, ROLE, type Role } from '../text/analyser.ts';
import { READING } from './bm25f.ts';

export interface QueryTerm {
  /** Dictionary form, prefixed by its kind. */
  readonly term: Uint8Array;
  /** Folded form without stemming, prefixed by its kind; may be a prefix of longer terms. */
  readonly written: Uint8Array;
  readonly text: string;
  readonly kind: Kind;
  readonly role: Role;
  readonly start: number;
  readonly end: number;
  readonly isLast: boolean;
  /** The query ends with this term. */
  readonly isOpen: boolean;
}

const analyser = new Analyser();
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Encodes a term with its kind before it, as in dictionaries. */
export const encodeTerm = (kind: Kind, text: string): Uint8Array => {
  const bytes = encoder.encode(text);
  if (kind === KIND.word) return bytes;
  const term = new Uint8Array(bytes.length + 1);
  term[0] = kind;
  term.set(bytes, 1);
  return term;
};

export const decodeTerm = (term: Uint8Array): string => decoder.decode((term[0] ?? 0) < 4 ? term.subarray(1) : term);

/** Reads the distinct terms of a query in order, at most `READING.mostWords`. */
export const readQueryTerms = (query: string): QueryTerm[] => {
  const found: Omit<QueryTerm, 'isLast' | 'isOpen' | 'written'>[] = [];
  const ids = new Set<string>();
  const folded = analyser.analyse(query.slice(0, READING.mostCharacters), {
    term(bytes, length, kind, role, start, end) {
      const term = bytes.slice(0, length);
      const key = `${kind}${decoder.decode(term)}`;
      if (role === ROLE.identifierPart || ids.has(key)) return;
      ids.add(key);
      found.push({ term, text: decodeTerm(term), kind, role, start, end });
    },
  });
  const last = Math.max(0, ...found.map(({ end }) => end));
  const isOpen = last === folded.text.length;
  return found.slice(0, READING.mostWords).map((term) => ({
    ...term,
    written: writtenOf(folded.text.slice(term.start, term.end), term.kind),
    isLast: term.end === last,
    isOpen: isOpen && term.end === last,
  }));
};

const writtenOf = (text: string, kind: Kind): Uint8Array => {
  const lower = text.toLowerCase();
  return encodeTerm(kind, kind === KIND.word ? lower : lower.replaceAll('_', '-'));
};
