import type { Card } from '../../lib/search.ts';
import { highlightPieces } from './highlights.ts';

export function Highlighted({ text, ranges }: Pick<Card['highlights'][number], 'text' | 'ranges'>) {
  // Pieces have no identity but their place, and never move.
  return highlightPieces(text, ranges).map(({ text: words, isMatch }, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    isMatch ? <mark key={at}>{words}</mark> : <span key={at}>{words}</span>,
  );
}
