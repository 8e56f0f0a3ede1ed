import { bidiClosers } from './escape.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Start of the grapheme at an index, so that a cut there separates no base from its marks and no pair. */
const boundary = (text: string, at: number): number => {
  if (at <= 0) return 0;
  const start = segmenter.segment(text).containing(at)?.index ?? at;
  // A grapheme of hundreds of marks would leave nothing; then only a surrogate pair is kept whole.
  if (at - start < 64) return start;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
};

/** Whether a text has entities and angle brackets of its own, which a cut must not open. */
interface CutOptions {
  readonly isMarkup?: boolean;
}

const head = (text: string, room: number, { isMarkup = false }: CutOptions): string => {
  const cut = text.slice(0, boundary(text, room));
  if (!isMarkup) return cut;
  const whole = cut.replace(/&[#\w]{0,9}$/, '');
  const opened = whole.lastIndexOf('<');
  return opened > whole.lastIndexOf('>') ? whole.slice(0, opened) : whole;
};

/** Text of at most `most` UTF-16 units: cut between graphemes and marked if it was longer. */
export const cutText = (text: string, most: number, marker: string, options: CutOptions = {}): string => {
  if (text.length <= most) return text;
  const room = most - marker.length;
  const first = head(text, room, options);
  const closers = bidiClosers(first);
  if (closers === '') return first + marker;
  const second = head(text, room - closers.length, options);
  return second + bidiClosers(second) + marker;
};

/** Text of at most `most` UTF-8 bytes, cut as `cutText` does. */
export const cutBytes = (text: string, most: number, marker: string): string => {
  if (Buffer.byteLength(text) <= most) return text;
  const room = most - Buffer.byteLength(marker);
  let units = Math.min(text.length, room);
  for (;;) {
    const first = head(text, units, {});
    const cut = first + bidiClosers(first);
    const excess = Buffer.byteLength(cut) - room;
    if (excess <= 0) return cut + marker;
    // Each round leaves out at least one unit; no unit has more than four bytes.
    units = Math.min(units, first.length) - Math.max(1, Math.floor(excess / 4));
  }
};
