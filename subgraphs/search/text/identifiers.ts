import { classOf, DIGIT, HEX, LOWER, UPPER, WORD_BITS } from './characters.ts';

const HYPHEN = 45;
const COLON = 58;

const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

const spanOf = (text: string, start: number, end: number, bits: number): number => {
  let at = start;
  while (at < end && (classOf(text.charCodeAt(at)) & bits) !== 0) at++;
  return at;
};

const isEdge = (text: string, index: number): boolean =>
  index >= text.length || (classOf(text.charCodeAt(index)) & WORD_BITS) === 0;

const isWord = (text: string, start: number, end: number, word: string): boolean => {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (lower(text.charCodeAt(start + i)) !== word.charCodeAt(i)) return false;
  return true;
};

/** Series whose numbers follow their name at once. */
const SHORT_SERIES = ['cwe', 'osvdb', 'xsa', 'usn', 'dsa', 'dla'];

const ghsaAt = (text: string, start: number, end: number): number => {
  if (end - start < 19) return 0;
  for (let group = 0; group < 3; group++) {
    const from = start + 4 + group * 5;
    if (text.charCodeAt(from) !== HYPHEN || spanOf(text, from + 1, from + 5, LOWER | UPPER | DIGIT) !== from + 5)
      return 0;
  }
  return isEdge(text, start + 19) ? start + 19 : 0;
};

/** End of the identifier (`CVE-2021-44228`, `GHSA-…`, `RHSA-2021:1234`, `CWE-79`) at `start`; 0 if there is none. */
export const identifierAt = (text: string, start: number, end: number): number => {
  const name = spanOf(text, start, end, LOWER | UPPER);
  if (name - start < 2 || name - start > 10 || text.charCodeAt(name) !== HYPHEN) return 0;
  if (isWord(text, start, name, 'ghsa')) return ghsaAt(text, start, end);
  const year = spanOf(text, name + 1, end, DIGIT);
  if (year === name + 1) return 0;
  const joiner = text.charCodeAt(year);
  if (year - name === 5 && (joiner === HYPHEN || joiner === COLON)) {
    const number = spanOf(text, year + 1, end, DIGIT);
    if (number > year + 1 && isEdge(text, number)) return number;
  }
  const isShort = isEdge(text, year) && SHORT_SERIES.some((series) => isWord(text, start, name, series));
  return isShort ? year : 0;
};

const ALGORITHMS = ['sha256', 'sha512', 'sha1', 'sha384', 'md5'];
const MIN_HEX = 12;

/** End of the digest at `start` (`sha256:` and at least twelve hexadecimal digits); 0 if there is none. */
export const digestAt = (text: string, start: number, end: number): number => {
  const colon = spanOf(text, start, Math.min(end, start + 7), LOWER | UPPER | DIGIT);
  if (text.charCodeAt(colon) !== COLON || !ALGORITHMS.some((name) => isWord(text, start, colon, name))) return 0;
  const to = spanOf(text, colon + 1, end, HEX);
  return to - colon > MIN_HEX && isEdge(text, to) ? to : 0;
};

const UUID_LENGTH = 36;
const UUID_HYPHENS = [8, 13, 18, 23];

export const isUuid = (text: string, start: number, end: number): boolean => {
  if (end - start !== UUID_LENGTH) return false;
  for (let i = 0; i < UUID_LENGTH; i++) {
    const code = text.charCodeAt(start + i);
    if (UUID_HYPHENS.includes(i) ? code !== HYPHEN : (classOf(code) & HEX) === 0) return false;
  }
  return true;
};

const PURL = /pkg:[a-z][a-z0-9.+-]*\/[^\s?#"'<>()[\]{},;|`\\]+/iy;
/** Punctuation that ends a sentence, not the URL. */
const CLOSING = '.:!*_';

/** End of the package URL at `start` without qualifiers and subpath; `start` if there is none. */
export const purlEnd = (text: string, start: number): number => {
  if (text.charCodeAt(start + 3) !== COLON || lower(text.charCodeAt(start + 1)) !== 107) return start;
  PURL.lastIndex = start;
  if (!PURL.test(text)) return start;
  let end = PURL.lastIndex;
  while (CLOSING.includes(text.charAt(end - 1))) end--;
  // Without a name it is no package URL, even if it ends where a sentence may end.
  return end > text.indexOf('/', start) + 1 ? end : start;
};
