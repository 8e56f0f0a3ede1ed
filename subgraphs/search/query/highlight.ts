import type { CardChunk } from '../corpus/chunk.ts';
import type { QueryWord } from '../text/tokens.ts';
import type { Highlight } from './card.ts';
import { matcherOf } from './matching.ts';
import { merged, type Range, snippetsOf } from './snippets.ts';

/** Extracts the matching sentences of a chunk. */
export type Highlighter = (chunk: Pick<CardChunk, 'title' | 'body' | 'identifiers'>) => Highlight[];

/** Names that matched, of one card. */
const MAX_NAMES = 3;
const MAX_EXAMINED = 50;

/** Highlights in the title, in identifiers, and the densest snippets of the body. */
export const highlighterOf = (tokens: readonly QueryWord[]): Highlighter => {
  const matches = matcherOf(tokens);
  const rangesOf = (text: string): Range[] => merged(matches(text).map(({ start, end }) => [start, end]));
  const complete = (field: Highlight['field'], text: string): Highlight[] => {
    const ranges = rangesOf(text);
    return ranges.length > 0 ? [{ field, text, ranges }] : [];
  };
  return ({ title, body, identifiers }) => [
    ...complete('title', title),
    ...identifiers
      .slice(0, MAX_EXAMINED)
      .flatMap((name) => complete('identifiers', name))
      .slice(0, MAX_NAMES),
    ...snippetsOf(body, matches(body)).map(({ text, ranges }): Highlight => ({ field: 'body', text, ranges })),
  ];
};
