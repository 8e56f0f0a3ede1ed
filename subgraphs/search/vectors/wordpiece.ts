export interface Tokenizer {
  /** Token numbers, from `[CLS]` to `[SEP]`, at most `max` of them. */
  encode(text: string, max: number): number[];
  readonly padding: number;
}

const MAX_WORD_LENGTH = 100;
/** Characters that are words by themselves: punctuation and symbols, and scripts that put no blanks between words. */
const ALONE = /([\p{P}\p{S}\p{Script=Han}])/gu;
const UNSEEN = /[\p{Cc}\p{Cf}\ufffd]+/gu;

/** @throws Error where a token that every BERT vocabulary has is missing */
const numberOf = (vocabulary: ReadonlyMap<string, number>, token: string): number => {
  const number = vocabulary.get(token);
  if (number === undefined) throw new Error(`the vocabulary has no ${token}`);
  return number;
};

/** The longest pieces of a word that the vocabulary has, from its beginning; one unknown where there is none. */
const piecesOf = (word: string, vocabulary: ReadonlyMap<string, number>, unknown: number): number[] => {
  const letters = [...word];
  if (letters.length > MAX_WORD_LENGTH) return [unknown];
  const pieces: number[] = [];
  for (let from = 0; from < letters.length; ) {
    let to = letters.length;
    let found: number | undefined;
    for (; to > from && found === undefined; to--)
      found = vocabulary.get(`${from > 0 ? '##' : ''}${letters.slice(from, to).join('')}`);
    if (found === undefined) return [unknown];
    pieces.push(found);
    from = to + 1;
  }
  return pieces;
};

/** WordPiece over a BERT vocabulary, one token a line; lower-cases without accents unless the vocabulary is cased. */
export const createTokenizer = (vocabularyText: string): Tokenizer => {
  const lines = vocabularyText.split(/\r?\n/u);
  const vocabulary = new Map(lines.flatMap((token, index) => (token === '' ? [] : [[token, index] as const])));
  const [start, end, unknown, padding] = ['[CLS]', '[SEP]', '[UNK]', '[PAD]'].map((token) =>
    numberOf(vocabulary, token),
  );
  if (start === undefined || end === undefined || unknown === undefined || padding === undefined)
    throw new Error('the vocabulary is not whole');
  const isCased = vocabulary.has('The');
  const read = (text: string): string => {
    const normalized = text.normalize('NFC').replace(UNSEEN, ' ');
    return isCased
      ? normalized
      : normalized
          .toLowerCase()
          .normalize('NFD')
          .replace(/\p{Mn}+/gu, '');
  };
  return {
    padding,
    encode(text, max) {
      const words = read(text).replace(ALONE, ' $1 ').split(/\s+/u).filter(Boolean);
      const tokens: number[] = [start];
      for (const word of words) {
        if (tokens.length >= max - 1) break;
        tokens.push(...piecesOf(word, vocabulary, unknown));
      }
      return [...tokens.slice(0, max - 1), end];
    },
  };
};
