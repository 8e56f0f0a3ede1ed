import type { Card } from '../../lib/search.ts';
import { highlightPieces } from './highlights.ts';

export function Highlighted({ text, ranges }: Pick<Card['highlights'][number], 'text' | 'ranges'>) {
  // Pieces are identified by their index, which never changes.
  return highlightPieces(text, ranges).map(({ text: words, isMatch }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    isMatch ? <mark key={index}>{words}</mark> : <span key={index}>{words}</span>,
  );
}
