import { Analyser, KIND, type Kind, ROLE, type Role } from './analyser.ts';
import { originOf } from './fold.ts';

interface Token {
  /** The stem of a word, an identifier or a name in its normal form. */
  readonly term: string;
  readonly kind: 'identifier' | 'name' | 'word';
  readonly role: 'alone' | 'whole' | 'part' | 'identifierPart';
  /** `[start, end)` in UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
}

export interface QueryWord {
  readonly word: string;
  readonly kind: 'identifier' | 'name' | 'word';
  /** Terms searched for: the word itself if it is known, corrections, completions. */
  readonly terms: readonly string[];
  readonly weight: number;
  /** No document has the word itself; matches are corrections. */
  readonly isGuessed?: boolean | undefined;
}

const decoder = new TextDecoder();
const KIND_NAMES = {
  [KIND.word]: 'word',
  [KIND.identifier]: 'identifier',
  [KIND.name]: 'name',
  [KIND.exact]: 'name',
} as const;
const ROLE_NAMES = {
  [ROLE.alone]: 'alone',
  [ROLE.whole]: 'whole',
  [ROLE.part]: 'part',
  [ROLE.identifierPart]: 'identifierPart',
} as const;

interface Raw {
  readonly term: string;
  readonly kind: Kind;
  readonly role: Role;
  readonly start: number;
  readonly end: number;
}

const analyser = new Analyser();

/** Terms of a text in reading order with their positions. */
export const tokensWithRanges = (text: string): Token[] => {
  const raw: Raw[] = [];
  const folded = analyser.analyse(text, {
    term: (bytes, length, kind, role, start, end) => {
      const term = decoder.decode(bytes.slice(kind === KIND.word ? 0 : 1, length));
      raw.push({ term, kind, role, start, end });
    },
  });
  return raw.map(({ term, kind, role, start, end }) => {
    const [from, to] = originOf(folded, start, end);
    return { term, kind: KIND_NAMES[kind], role: ROLE_NAMES[role], start: from, end: to };
  });
};

const keyOf = (kind: QueryWord['kind'], term: string): string => `${kind}:${term}`;

/** Words of a query without a dictionary, for answers of the database. */
export const wordsOf = (text: string): QueryWord[] => {
  const ids = new Map<string, QueryWord>();
  for (const { term, kind, role, start, end } of tokensWithRanges(text)) {
    if (role === 'identifierPart' || ids.has(keyOf(kind, term))) continue;
    ids.set(keyOf(kind, term), { word: text.slice(start, end), kind, terms: [term], weight: 1 });
  }
  return [...ids.values()];
};
