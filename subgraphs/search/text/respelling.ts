import { stem } from './stem.ts';

/** Letters from the end in which an edit may change the suffix: the longest suffix and one more. */
const ENDING = 6;
const LEAST = 5;
const MAX = 24;
const A = 97;
const Z = 122;

const isLetters = (word: Uint8Array): boolean => word.every((byte) => byte >= A && byte <= Z);

/** Calls `text` with every form that one edit in the word's last letters gives it; the bytes are the callee's own. */
const eachSpelling = (word: Uint8Array, text: (form: Uint8Array) => void): void => {
  const from = Math.max(1, word.length - ENDING);
  const joined = (index: number, middle: readonly number[], after: number): Uint8Array => {
    const form = new Uint8Array(index + middle.length + word.length - after);
    form.set(word.subarray(0, index));
    form.set(middle, index);
    form.set(word.subarray(after), index + middle.length);
    return form;
  };
  for (let at = from; at <= word.length; at++) {
    const own = word[at];
    const next = word[at + 1];
    for (let letter = A; letter <= Z; letter++) {
      text(joined(at, [letter], at));
      if (own !== undefined && letter !== own) text(joined(at, [letter], at + 1));
    }
    if (own === undefined) continue;
    text(joined(at, [], at + 1));
    if (next !== undefined && next !== own) text(joined(at, [next, own], at + 2));
  }
};

/** Stems of all words within one edit in the suffix of `word`, lower-case ASCII letters; others give nothing. */
export const respellingsOf = (word: Uint8Array): Uint8Array[] => {
  if (word.length < LEAST || word.length > MAX || !isLetters(word)) return [];
  const found = new Map<string, Uint8Array>();
  eachSpelling(word, (form) => {
    const before = form.length;
    const length = stem(form, before);
    if (length === before) return;
    const stemmed = form.subarray(0, length);
    found.set(String.fromCharCode(...stemmed), stemmed);
  });
  return [...found.values()];
};
