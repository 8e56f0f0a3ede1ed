/** Text without accents and compatibility forms, non-ASCII letters in lower case. */
export interface Folded {
  readonly text: string;
  /** Original offset of each unit, and the end; absent where nothing moved. */
  readonly origins?: Uint32Array | undefined;
}

/** Latin letters that no decomposition takes apart. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
};

const NOT_ASCII = /[\u0080-\uffff]/;
const ACCENTS = /[\u0300-\u036f]/g;
const NOT_OF_A_WORD = /[^\p{L}\p{N}\p{M}\p{ASCII}]/gu;

/** Few characters make up most texts. */
const known = new Map<number, string>();
const MAX_KNOWN = 20_000;

const foldCharacter = (code: number): string => {
  const cached = known.get(code);
  if (cached !== undefined) return cached;
  const decomposed = String.fromCodePoint(code).normalize('NFKD').replace(ACCENTS, '');
  // Hangul is composed again; a character that is neither letter, digit nor mark separates words.
  const plain = decomposed.normalize('NFC').toLowerCase().replace(ACCENTS, '').replace(NOT_OF_A_WORD, ' ');
  const folded = PLAIN_LETTERS[plain] ?? plain;
  if (known.size < MAX_KNOWN) known.set(code, folded);
  return folded;
};

/** Folds non-ASCII characters and keeps ASCII; every unit above ASCII in the result is a word character. */
export const fold = (text: string): Folded => {
  if (!NOT_ASCII.test(text)) return { text };
  const origins = new Uint32Array(text.length * 4 + 1);
  const pieces: string[] = [];
  let length = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) ?? 0;
    const folded = code < 128 ? String.fromCharCode(code) : foldCharacter(code);
    // One character may stand for up to eighteen (U+FDFA); more than four a unit are cut.
    const foldedText = length + folded.length > (index + 1) * 4 ? '' : folded;
    for (let i = 0; i < foldedText.length; i++) origins[length++] = index;
    pieces.push(foldedText);
    index += code > 0xffff ? 2 : 1;
  }
  origins[length] = text.length;
  return { text: pieces.join(''), origins: origins.subarray(0, length + 1) };
};

/** Range in the original of `[start, end)` of the folded text. */
export const originOf = ({ origins }: Folded, start: number, end: number): readonly [number, number] => {
  if (!origins) return [start, end];
  const first = origins[start] ?? 0;
  const last = origins[end - 1] ?? first;
  let next = end;
  // A word may end within the expansion of one character: the whole character belongs to it.
  while (next < origins.length - 1 && origins[next] === last) next++;
  return [first, origins[next] ?? last + 1];
};
