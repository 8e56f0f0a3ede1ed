import { pairSafeBefore } from './snippets.ts';

/** Maximum length of a summary in UTF-16 units, without the ellipsis. */
const MAX_LENGTH = 240;
/** Minimum length of a first sentence that serves as the summary. */
const SHORTEST = 80;
const LOOKED_AT = 1_200;
const BLANK = 32;

const plain = (text: string): string =>
  text
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const isStop = (code: number): boolean => code === 46 || code === 33 || code === 63;

const sentenceEnd = (text: string): number | undefined => {
  for (let end = Math.min(MAX_LENGTH, text.length - 1); end >= SHORTEST; end--)
    if (text.charCodeAt(end) === BLANK && isStop(text.charCodeAt(end - 1))) return end;
  return undefined;
};

/** Usually enough of a text to have more than a summary of it. */
const MOSTLY_ENOUGH = 480;
/** Markdown that may span several words. */
const OPENING = /[`[]/;

/** The beginning of a text without Markdown, longer than a summary where the text is. */
const wordStart = (body: string): string => {
  const some = body.slice(0, MOSTLY_ENOUGH);
  // The characters at the cut may be incomplete: those a few before it are as in the whole text.
  const text = body.length > MOSTLY_ENOUGH && !OPENING.test(some) ? plain(some) : '';
  if (text.length > MAX_LENGTH + 20) return text;
  return plain(body.slice(0, pairSafeBefore(body, Math.min(body.length, LOOKED_AT))));
};

/** Beginning of a text in one line, cut at a sentence or a word. */
export const summaryOf = (body: string): string => {
  const text = wordStart(body);
  if (text.length <= MAX_LENGTH && body.length <= LOOKED_AT) return text;
  const end = sentenceEnd(text);
  if (end !== undefined) return text.slice(0, end);
  const blank = text.lastIndexOf(' ', MAX_LENGTH);
  const at = blank > SHORTEST ? blank : pairSafeBefore(text, Math.min(text.length, MAX_LENGTH));
  return `${text.slice(0, at).trimEnd()}…`;
};
