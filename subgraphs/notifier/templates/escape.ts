/** Contexts that a value may be written into; each has its own escaping. */
export type Escaping = 'html' | 'mrkdwn' | 'card' | 'text' | 'header' | 'verbatim';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const LINE_ENDS = /[\r\n\u2028\u2029]+/g;

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const OPENERS: ReadonlyMap<string, string> = new Map([
  ...['\u202a', '\u202b', '\u202d', '\u202e'].map((opener) => [opener, '\u202c'] as const),
  ...['\u2066', '\u2067', '\u2068'].map((opener) => [opener, '\u2069'] as const),
]);
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;

/** Closing characters that a text's open bidirectional controls need (UAX 9), so that they end with the text. */
export const bidiClosers = (text: string): string => {
  const open: string[] = [];
  for (const [control] of text.matchAll(BIDI)) {
    const closer = OPENERS.get(control);
    if (closer !== undefined) open.push(closer);
    else if (open.at(-1) === control) open.pop();
  }
  return open.toReversed().join('');
};

/** Text without control characters but tab and line feed, without unpaired surrogates and open direction changes. */
const cleanText = (text: string): string => {
  const clean = text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROLS, '');
  return clean + bidiClosers(clean);
};

/** Header value: one line without control characters (RFC 5322 2.2). */
export const cleanHeader = (text: string): string =>
  cleanText(text.replace(LINE_ENDS, ' ')).replaceAll('\t', ' ').trim();

/** Escapes `&`, `<` and `>`, the three that Slack reads: no value becomes a link, a mention or a command. */
const escapeMrkdwn = (text: string): string => text.replace(/[&<>]/g, (character) => HTML[character] ?? '');

/** Separates `]` from what follows by a zero-width space: no value becomes a Markdown link in a card. */
const escapeCard = (text: string): string => text.replace(/\](?=\(|$)/g, ']\u200b');

/** Escaping functions by context. */
export const ESCAPES: Readonly<Record<Escaping, (text: string) => string>> = {
  html: (text) => cleanText(text).replace(/[&<>"']/g, (character) => HTML[character] ?? ''),
  mrkdwn: (text) => escapeMrkdwn(cleanText(text)),
  card: (text) => escapeCard(cleanText(text)),
  text: cleanText,
  header: cleanHeader,
  verbatim: (text) => text.toWellFormed(),
};

/** Text of a value in a message: nothing for null, items joined by commas, JSON for an object. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
