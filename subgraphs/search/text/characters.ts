/** Bit classes of UTF-16 units. */
export const DIGIT = 1;
export const LOWER = 2;
export const UPPER = 4;
export const JOINER = 8;
/** Word character outside ASCII. */
const WIDE = 16;
/** Scripts without blanks between words. */
export const UNSPACED = 32;
export const HEX = 64;

/** Any of these makes a unit part of a word. */
export const WORD_BITS = DIGIT | LOWER | UPPER | WIDE | UNSPACED;

const ascii = (code: number): number => {
  if (code >= 48 && code <= 57) return DIGIT | HEX;
  if (code >= 97 && code <= 122) return code <= 102 ? LOWER | HEX : LOWER;
  if (code >= 65 && code <= 90) return code <= 70 ? UPPER | HEX : UPPER;
  return '._-/@:+'.includes(String.fromCharCode(code)) ? JOINER : 0;
};

export const CLASSES: Readonly<Uint8Array> = Uint8Array.from({ length: 128 }, (_, code) => ascii(code));

/** Thai, Lao, Burmese, Khmer; kana, Han and its extensions (their surrogates too). */
const UNSPACED_RANGES: readonly (readonly [number, number])[] = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xd840, 0xd88f],
  [0xdc00, 0xdfff],
];

const isUnspaced = (code: number): boolean => UNSPACED_RANGES.some(([from, to]) => code >= from && code <= to);

/** Class of a unit of folded text (fold.ts), where all units above ASCII are word characters. */
export const classOf = (code: number): number => {
  if (code < 128) return CLASSES[code] ?? 0;
  return code >= 0x0e00 && isUnspaced(code) ? UNSPACED : WIDE;
};
