/** Calls `piece` for parts between blanks in which a term may begin. @returns false if the text is not ASCII */
type TermStarts = (text: string, piece: (from: number, to: number) => void) => boolean;

const BLANK = 32;
const LAST = 127;
const SMALL = 97;
/** Index of letters, ignoring case, and digits; 0 for all others. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return code - 96;
  if (code >= 65 && code <= 90) return code - 64;
  return code >= 48 && code <= 57 ? code - 21 : 0;
});
const WIDTH = 37;
const FIRST_DIGIT = 27;

const slotAt = (text: string, index: number): number =>
  index < text.length ? (LETTERS[text.charCodeAt(index)] ?? 0) : 0;

/** Pairs of letters with which the terms begin, or their first letter alone; undefined if one begins otherwise. */
const pairsOf = (terms: readonly Uint8Array[]): Uint8Array | undefined => {
  const pairs = new Uint8Array(WIDTH * WIDTH);
  for (const term of terms) {
    const [first = 0, second = 0] = term;
    // No term begins with this ASCII character.
    if (first >= 128) continue;
    const row = (LETTERS[first] ?? 0) * WIDTH;
    if (row === 0) return undefined;
    const column = term.length > 2 && second < 128 ? (LETTERS[second] ?? 0) : 0;
    if (column > 0) pairs[row + column] = 1;
    else pairs.fill(1, row, row + WIDTH);
  }
  return pairs;
};

/**
 * Finds the starts of terms: letters or digits begin, a capital is inside them, or a digit ('v1.2' is '1.2'). A start
 * depends on nothing beyond the blanks around it, so most of a text need not be read for the terms of a query.
 */
export const termStartsOf = (terms: readonly Uint8Array[]): TermStarts | undefined => {
  const pairs = pairsOf(terms);
  if (!pairs) return undefined;
  return (text, piece) => {
    let from = 0;
    let before = 0;
    let isFound = false;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > LAST) return false;
      if (code <= BLANK) {
        if (isFound) piece(from, index);
        isFound = false;
        from = index + 1;
        before = 0;
        continue;
      }
      const slot = LETTERS[code] ?? 0;
      const isStart = before === 0 || slot >= FIRST_DIGIT || code < SMALL;
      before = slot;
      if (!isFound && slot > 0 && isStart) isFound = pairs[slot * WIDTH + slotAt(text, index + 1)] === 1;
    }
    if (isFound) piece(from, text.length);
    return true;
  };
};
