/** Light English stemmer over lower-case ASCII bytes; documents and queries share it, so a stem need not be a word. */

const D = 100;
const E = 101;
const G = 103;
const I = 105;
const L = 108;
const N = 110;
const S = 115;
const T = 116;
const Y = 121;

const endsWith = (word: Uint8Array, length: number, ending: string): boolean => {
  const from = length - ending.length;
  if (from < 0) return false;
  for (let i = 0; i < ending.length; i++) if (word[from + i] !== ending.charCodeAt(i)) return false;
  return true;
};

const isVowel = (byte: number | undefined): boolean =>
  byte === 97 || byte === E || byte === I || byte === 111 || byte === 117 || byte === Y;

const hasVowel = (word: Uint8Array, length: number): boolean => {
  for (let i = 0; i < length; i++) if (isVowel(word[i])) return true;
  return false;
};

const singular = (word: Uint8Array, length: number): number => {
  const before = word[length - 2];
  if (length < 4 || word[length - 1] !== S || before === S || before === 117 || (before === I && length < 6))
    return length;
  if (endsWith(word, length, 'ies')) {
    if (length < 5) return length - 1;
    word[length - 3] = Y;
    return length - 2;
  }
  const isLong = ['sses', 'xes', 'shes', 'ches'].some((ending) => endsWith(word, length, ending));
  return isLong ? length - 2 : length - 1;
};

// 'running' has the stem 'run'; 'passing' and 'falling' come from words that end in two letters themselves.
const undoubled = (word: Uint8Array, length: number): number => {
  const last = word[length - 1];
  const isDouble = length > 3 && last === word[length - 2] && !isVowel(last);
  return isDouble && last !== S && last !== L ? length - 1 : length;
};

const withoutTense = (word: Uint8Array, length: number): number => {
  const last = word[length - 1];
  if (last === G && length > 5 && endsWith(word, length, 'ing') && hasVowel(word, length - 3))
    return undoubled(word, length - 3);
  if (last === D && length > 4 && word[length - 2] === E && hasVowel(word, length - 2))
    return undoubled(word, length - 2);
  if (last === Y && length > 5 && word[length - 2] === L) return length - 2;
  return length;
};

/** 'sanitization' and 'sanitize', 'injection' and 'inject', 'traversal' and 'traverse'. */
const verbal = (word: Uint8Array, length: number): number => {
  const last = word[length - 1];
  if (last === N && length > 8 && endsWith(word, length, 'ation')) return length - 5;
  if (last === N && length > 7 && endsWith(word, length, 'tion')) return length - 3;
  if (last === N && length > 7 && endsWith(word, length, 'sion')) return length - 3;
  if (last === T && length > 7 && endsWith(word, length, 'ment')) return length - 4;
  if (last === L && length > 7 && endsWith(word, length, 'al')) return length - 2;
  if (last === E && length > 6 && endsWith(word, length, 'ate')) return length - 3;
  if (last === T && length > 7 && endsWith(word, length, 'at')) return length - 2;
  return length;
};

/** Stems in place. @returns the length of the stem */
export const stem = (word: Uint8Array, length: number): number => {
  if (length < 4) return length;
  let remaining = singular(word, length);
  if (remaining > 4) remaining = withoutTense(word, remaining);
  if (remaining > 5) remaining = verbal(word, remaining);
  return remaining > 4 && word[remaining - 1] === E ? remaining - 1 : remaining;
};
