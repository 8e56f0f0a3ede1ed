/** `[start, end]` in UTF-16 units. */
export type Range = readonly [number, number];

/** Match of a query word: the word's index and the range in the text. */
export interface Match {
  readonly word: number;
  readonly start: number;
  readonly end: number;
}

/** A part of a text around matches, with its own ranges. */
interface Snippet {
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** Length of a snippet in UTF-16 units, without ellipses. */
const WIDTH = 200;
const LEAD = 40;
/** Tolerance for cutting at a blank. */
const SLACK = 24;
const LEFT_OUT = '…';

const isLowSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

const isHighSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
};

/** Returns `index`, moved back from the middle of a surrogate pair. */
export const pairSafeBefore = (text: string, index: number): number =>
  index > 0 && index < text.length && isLowSurrogate(text, index) && isHighSurrogate(text, index - 1)
    ? index - 1
    : index;

/** `index`, moved forward from the middle of a surrogate pair. */
const pairSafeAfter = (text: string, index: number): number =>
  index > 0 && index < text.length && isLowSurrogate(text, index) && isHighSurrogate(text, index - 1)
    ? index + 1
    : index;

const BLANK = /\s/;

const wordStart = (text: string, index: number, until: number): number => {
  if (index <= 0) return 0;
  for (let offset = index; offset < Math.min(index + SLACK, until); offset++)
    if (BLANK.test(text.charAt(offset))) return offset + 1;
  return Math.min(pairSafeAfter(text, index), until);
};

const ending = (text: string, index: number, from: number): number => {
  if (index >= text.length) return text.length;
  for (let offset = index; offset > Math.max(index - SLACK, from); offset--)
    if (BLANK.test(text.charAt(offset))) return offset;
  return Math.max(pairSafeBefore(text, index), from);
};

/** The first of the matches that begin a window of the greatest density, and the last that is in it. */
interface Span {
  readonly first: number;
  readonly last: number;
  /** Different words, then matches. */
  readonly worth: number;
}

/** The densest run of matches that fits into a window: most different words, then most matches, then the first. */
const densest = (matches: readonly Match[], isWanted: (match: Match) => boolean): Span | undefined => {
  let best: Span | undefined;
  for (const [first, { start }] of matches.entries()) {
    const ids = new Set<number>();
    let last = first;
    for (let at = first; at < matches.length; at++) {
      const match = matches[at];
      if (!match || (at > first && match.end > start + WIDTH - LEAD)) break;
      if (isWanted(match)) ids.add(match.word);
      last = at;
    }
    const worth = ids.size * 1_000 + (last - first);
    if (ids.size > 0 && (!best || worth > best.worth)) best = { first, last, worth };
  }
  return best;
};

const MAX_MATCHES = 400;

const snippetOf = (text: string, matches: readonly Match[], { first, last }: Span): Snippet => {
  const inner = matches.slice(first, last + 1);
  const [start, end] = [inner[0]?.start ?? 0, inner.at(-1)?.end ?? 0];
  const from = wordStart(text, start - LEAD, start);
  const to = ending(text, Math.max(end, Math.min(text.length, from + WIDTH)), end);
  const head = from > 0 ? LEFT_OUT : '';
  const tail = to < text.length ? LEFT_OUT : '';
  // Other matches in the window are marked too.
  const ranges = matches
    .filter((match) => match.start >= from && match.end <= to)
    .map((match): Range => [match.start - from + head.length, match.end - from + head.length]);
  return { text: `${head}${text.slice(from, to)}${tail}`, ranges: merged(ranges) };
};

/** Ranges without overlaps, in their order. */
export const merged = (ranges: readonly Range[]): Range[] => {
  const result: Range[] = [];
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0] || one[1] - other[1])) {
    const last = result.at(-1);
    if (last && start < last[1]) result[result.length - 1] = [last[0], Math.max(last[1], end)];
    else result.push([start, end]);
  }
  return result;
};

/** Windows of about 200 characters around the densest of the sorted `matches`; later ones show further words. */
export const snippetsOf = (text: string, matches: readonly Match[], most = 2): Snippet[] => {
  const known = matches.slice(0, MAX_MATCHES);
  const visible = new Set<number>();
  const windows: Snippet[] = [];
  while (windows.length < most) {
    const span = densest(known, ({ word }) => !visible.has(word));
    if (!span) return windows;
    for (const { word } of known.slice(span.first, span.last + 1)) visible.add(word);
    windows.push(snippetOf(text, known, span));
  }
  return windows;
};
