type Piece = { readonly text: string; readonly isMatch: boolean };

type Range = { readonly start: number; readonly end: number };

/** Text cut at its matches, in UTF-16 units; matches that touch or overlap are one, and none reaches past the text. */
export function highlightPieces(text: string, ranges: readonly Range[]): Piece[] {
  const pieces: Piece[] = [];
  let index = 0;
  const push = (until: number, isMatch: boolean) => {
    if (until > index) pieces.push({ text: text.slice(index, until), isMatch });
    index = Math.max(index, until);
  };
  for (const { start, end } of merged(text.length, ranges)) {
    push(start, false);
    push(end, true);
  }
  push(text.length, false);
  return pieces;
}

function merged(length: number, ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  const within = ranges
    .map(({ start, end }) => ({ start: Math.max(0, start), end: Math.min(length, end) }))
    .filter(({ start, end }) => end > start)
    .toSorted((a, b) => a.start - b.start);
  for (const { start, end } of within) {
    const last = out.at(-1);
    if (last !== undefined && start <= last.end) out[out.length - 1] = { ...last, end: Math.max(last.end, end) };
    else out.push({ start, end });
  }
  return out;
}
