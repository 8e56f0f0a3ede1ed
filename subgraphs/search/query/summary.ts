import { wholeBefore } from './text-window.ts';

/** UTF-16 units of a summary, without the mark of what is left out. */
const LONGEST = 240;
/** A sentence that ends earlier is too short to stand for the text. */
const SHORTEST = 80;
/** More of a text is never looked at. */
const LOOKED_AT = 1_200;

/** What Markdown writes around words, for who reads them without it. */
const plain = (text: string): string =>
  text
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const sentenceEnd = (text: string): number | undefined => {
  const ends = [...text.matchAll(/[.!?](?=\s)/g)].map(({ index }) => index + 1);
  return ends.findLast((end) => end >= SHORTEST && end <= LONGEST);
};

/** What a text begins with, in one line: whole sentences where they fit, otherwise whole words. */
export const summaryOf = (body: string): string => {
  const text = plain(body.slice(0, wholeBefore(body, Math.min(body.length, LOOKED_AT))));
  if (text.length <= LONGEST && body.length <= LOOKED_AT) return text;
  const end = sentenceEnd(text);
  if (end !== undefined) return text.slice(0, end);
  const blank = text.lastIndexOf(' ', LONGEST);
  const at = blank > SHORTEST ? blank : wholeBefore(text, Math.min(text.length, LONGEST));
  return `${text.slice(0, at).trimEnd()}…`;
};
