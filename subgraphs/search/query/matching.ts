import { Analyser, KIND, type Kind, type TermSink } from '../text/analyser.ts';
import { type Folded, originOf } from '../text/fold.ts';
import type { QueryWord } from '../text/tokens.ts';
import type { Match } from './snippets.ts';
import { termStartsOf } from './term-starts.ts';

type Matcher = (text: string) => Match[];

/** A term that matches, as the analyser writes it. */
interface Wanted {
  readonly bytes: Uint8Array;
  readonly isWord: boolean;
  readonly word: number;
}

const encoder = new TextEncoder();
/** Texts are read one after the other: one analyser is enough. */
const analyser = new Analyser();

const wantedOf = ({ kind, terms }: QueryWord, word: number): Wanted[] =>
  terms.map((term) => ({ bytes: encoder.encode(term), isWord: kind === 'word', word }));

/** Terms other than words begin with their kind. */
const offsetOf = (kind: Kind): number => (kind === KIND.word ? 0 : 1);

const isSame = (requested: Uint8Array, bytes: Uint8Array, offset: number): boolean => {
  for (let i = 0; i < requested.length; i++) if (requested[i] !== bytes[offset + i]) return false;
  return true;
};

const byStart = (one: Match, other: Match): number => one.start - other.start || other.end - one.end;

const inOriginal = (folded: Folded, found: readonly Match[]): Match[] =>
  found.map(({ word, start, end }): Match => {
    const [from, to] = originOf(folded, start, end);
    return { word, start: from, end: to };
  });

/** Finds query words in texts by their terms; in ASCII texts only words in which a term may begin are analysed. */
export const matcherOf = (tokens: readonly QueryWord[]): Matcher => {
  const requested = tokens.flatMap(wantedOf);
  const byLength = Map.groupBy(requested, ({ bytes }) => bytes.length);
  if (byLength.size === 0) return () => [];
  const beginnings = termStartsOf(requested.map(({ bytes }) => bytes));

  let found: Match[] = [];
  const sink: TermSink = {
    term(bytes, length, kind, _role, start, end) {
      const offset = offsetOf(kind);
      const equal = byLength.get(length - offset);
      if (!equal) return;
      for (const one of equal)
        if (one.isWord === (offset === 0) && isSame(one.bytes, bytes, offset)) {
          found.push({ word: one.word, start, end });
          return;
        }
    },
  };

  return (text) => {
    found = [];
    if (beginnings?.(text, (from, to) => analyser.analysePiece(text, from, to, sink))) return found.sort(byStart);
    found = [];
    const folded = analyser.analyse(text, sink);
    return (folded.origins ? inOriginal(folded, found) : found).sort(byStart);
  };
};
