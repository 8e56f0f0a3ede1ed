const READ = 8_000;

const FENCE = /^[ \t]{0,3}(?:```|~~~)/u;
const HEADING = /^[ \t]{0,3}#{1,6}[ \t]/u;
const ROW = /^[ \t]*\|/u;
const INDENTED = /^(?: {4}|\t)/u;
const ITEM = /^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+/u;

/** A line of a story: when, and what happened. */
const DATED = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC: /u;

const MARKUP = /\*\*|`+/gu;
const LINK = /!?\[([^\][\n]{0,500})\]\([^)\s]{0,2000}\)/gu;
/** Signs that are not seen; those that turn the direction of writing could make a quotation read as something else. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Marks at the beginning of a line. */
const MARK = /^(?:#{1,6}|[-*])[ \t]+/u;

/** Converts a text to one line without markup and invisible characters, truncated when long. */
export const line = (text: string): string =>
  text
    .slice(0, READ)
    .split('\n')
    .map((each) => each.trimStart().replace(MARK, ''))
    .join('\n')
    .replace(LINK, '$1')
    .replace(MARKUP, '')
    .replace(UNSEEN, ' ')
    .replace(/\s+/gu, ' ')
    .trim();

const CODE =
  /\$[({A-Z]|[{[]"|[;{}\\]$|=>|&&|\|\||(?:^|\s)--?[a-z][\w-]*(?:[ =]|$)|^(?:[$>#]|sh|curl|npm|npx|docker|kubectl|git)\s/u;
const LETTER = /^["'“‘(]?[\p{L}\p{N}]/u;
/** A name in code is a word of its sentence. */
const SPAN = /`[^`\n]{1,200}`/gu;

const isProse = (source: string): boolean => {
  const text = source.replace(SPAN, 'x');
  return LETTER.test(text) && text.includes(' ') && !CODE.test(text);
};

/** The text's paragraphs and items of lists, a line each, without headings, tables and code. */
const paragraphsOf = (text: string): string[] => {
  const paragraphs: string[] = [];
  let open: string[] = [];
  let isFenced = false;
  const close = (): void => {
    if (open.length > 0) paragraphs.push(open.join(' '));
    open = [];
  };
  for (const each of text.slice(0, READ).split(/\r\n|[\n\r\u2028\u2029]/u)) {
    const isFence = FENCE.test(each);
    if (isFence) isFenced = !isFenced;
    const isItem = ITEM.test(each) || DATED.test(each);
    const isCode = isFence || isFenced || (open.length === 0 && !isItem && INDENTED.test(each));
    if (isCode || isItem || HEADING.test(each) || ROW.test(each) || each.trim() === '') close();
    if (isItem && !isFenced) open = [each.replace(ITEM, '')];
    else if (!isCode && !HEADING.test(each) && !ROW.test(each) && each.trim() !== '') open.push(each);
  }
  close();
  return paragraphs;
};

const END = /(?<=[.!?])\s+(?=\p{Lu}|\p{N}|["'(])/u;

interface Sentence {
  readonly text: string;
  readonly isProse: boolean;
}

/** Splits a text, Markdown or plain, into its sentences, without headings, tables and blocks of code. */
export const splitSentences = (text: string): Sentence[] =>
  paragraphsOf(text)
    .flatMap((paragraph) => paragraph.trim().split(END))
    .map((written) => ({ text: line(written), isProse: isProse(written.trim()) }))
    .filter((sentence) => sentence.text !== '');

/** Text after a label at the beginning of a line: `Cause: …`. */
export const labelled = (text: string, label: string): string | undefined => {
  const found = text
    .slice(0, READ)
    .split('\n')
    .find((each) => each.startsWith(`${label}: `));
  return found === undefined ? undefined : line(found.slice(label.length + 2));
};

/** Lines of a timeline with a reason: `… UTC: held: The vendor asked us to wait.` */
export const reasonsIn = (text: string): string[] =>
  text
    .slice(0, READ)
    .split('\n')
    .filter((each) => DATED.test(each) && /^[^:]{1,80}: \S/u.test(each.replace(DATED, '')))
    .map(line);
