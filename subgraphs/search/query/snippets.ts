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

const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

const isHigh = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdbff;
};

/** `at`, moved back from the middle of a surrogate pair. */
export const pairSafeBefore = (text: string, at: number): number =>
  at > 0 && at < text.length && isLow(text, at) && isHigh(text, at - 1) ? at - 1 : at;

/** `at`, moved forward from the middle of a surrogate pair. */
const pairSafeAfter = (text: string, at: number): number =>
  at > 0 && at < text.length && isLow(text, at) && isHigh(text, at - 1) ? at + 1 : at;

const BLANK = /\s/;

const beginning = (text: string, at: number, until: number): number => {
  if (at <= 0) return 0;
  for (let place = at; place < Math.min(at + SLACK, until); place++)
    if (BLANK.test(text.charAt(place))) return place + 1;
  return Math.min(pairSafeAfter(text, at), until);
};

const ending = (text: string, at: number, from: number): number => {
  if (at >= text.length) return text.length;
  for (let place = at; place > Math.max(at - SLACK, from); place--) if (BLANK.test(text.charAt(place))) return place;
  return Math.max(pairSafeBefore(text, at), from);
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
    const seen = new Set<number>();
    let last = first;
    for (let at = first; at < matches.length; at++) {
      const match = matches[at];
      if (!match || (at > first && match.end > start + WIDTH - LEAD)) break;
      if (isWanted(match)) seen.add(match.word);
      last = at;
    }
    const worth = seen.size * 1_000 + (last - first);
    if (seen.size > 0 && (!best || worth > best.worth)) best = { first, last, worth };
  }
  return best;
};

const MOST_MATCHES = 400;

const snippetOf = (text: string, matches: readonly Match[], { first, last }: Span): Snippet => {
  const inside = matches.slice(first, last + 1);
  const [start, end] = [inside[0]?.start ?? 0, inside.at(-1)?.end ?? 0];
  const from = beginning(text, start - LEAD, start);
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
  const known = matches.slice(0, MOST_MATCHES);
  const shown = new Set<number>();
  const windows: Snippet[] = [];
  while (windows.length < most) {
    const span = densest(known, ({ word }) => !shown.has(word));
    if (!span) return windows;
    for (const { word } of known.slice(span.first, span.last + 1)) shown.add(word);
    windows.push(snippetOf(text, known, span));
  }
  return windows;
};
