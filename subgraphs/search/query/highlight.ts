import type { CardChunk } from '../corpus/chunk.ts';
import type { QueryWord } from '../text/tokens.ts';
import type { Highlight } from './card.ts';
import { matcherOf } from './matching.ts';
import { merged, type Range, snippetsOf } from './snippets.ts';

/** Extracts the matching sentences of a chunk. */
export type Highlighter = (chunk: Pick<CardChunk, 'title' | 'body' | 'identifiers'>) => Highlight[];

/** Names that matched, of one card. */
const MOST_NAMES = 3;
const MOST_LOOKED_AT = 50;

/** Highlights in the title, in identifiers, and the densest snippets of the body. */
export const highlighterOf = (words: readonly QueryWord[]): Highlighter => {
  const matches = matcherOf(words);
  const rangesOf = (text: string): Range[] => merged(matches(text).map(({ start, end }) => [start, end]));
  const whole = (field: Highlight['field'], text: string): Highlight[] => {
    const ranges = rangesOf(text);
    return ranges.length > 0 ? [{ field, text, ranges }] : [];
  };
  return ({ title, body, identifiers }) => [
    ...whole('title', title),
    ...identifiers
      .slice(0, MOST_LOOKED_AT)
      .flatMap((name) => whole('identifiers', name))
      .slice(0, MOST_NAMES),
    ...snippetsOf(body, matches(body)).map(({ text, ranges }): Highlight => ({ field: 'body', text, ranges })),
  ];
};
