import type { Card } from '../../lib/found.ts';
import { piecesOf } from './marks.ts';

/** A text with what matched in it. */
export function Marked({ text, ranges }: Pick<Card['highlights'][number], 'text' | 'ranges'>) {
  // Pieces have no identity but their place, and never move.
  return piecesOf(text, ranges).map(({ text: words, isMatch }, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    isMatch ? <mark key={at}>{words}</mark> : <span key={at}>{words}</span>,
  );
}
