/** Evaluation case: a question and the entity keys found, best first. */
export interface EvaluationCase {
  readonly expected: string;
  readonly words: readonly string[];
  readonly both: readonly string[];
}

export interface Verdict {
  /** Vectors may take part: they put the right answer no lower than words alone do. */
  readonly isOpen: boolean;
  readonly cases: number;
  /** Mean reciprocal rank among the first ten. */
  readonly mrrWords: number;
  readonly mrrBoth: number;
}

const SLOTS = 10;
/** Fewer questions decide nothing. */
const MIN_CASES = 10;

const reciprocal = (expected: string, found: readonly string[]): number => {
  const at = found.slice(0, SLOTS).indexOf(expected);
  return at < 0 ? 0 : 1 / (at + 1);
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Judges by a set of questions whose answers are known. Too few of them keep the gate closed. */
export const evaluate = (cases: readonly EvaluationCase[]): Verdict => {
  const mrrWords = mean(cases.map(({ expected, words: message }) => reciprocal(expected, message)));
  const mrrBoth = mean(cases.map(({ expected, both }) => reciprocal(expected, both)));
  return { isOpen: cases.length >= MIN_CASES && mrrBoth >= mrrWords, cases: cases.length, mrrWords, mrrBoth };
};

/** A document that questions are made of. */
export interface Sample {
  readonly entityKey: string;
  readonly title: string;
  readonly body: string;
}

const LONG = /\p{L}{5,}/gu;

const longWords = (text: string): string[] => [...new Set(text.toLowerCase().match(LONG) ?? [])];

/** Misspells a word by two transpositions, beyond what typo correction repairs. */
const garbled = (word: string): string =>
  word.replace(/^(.)(.)(.)(.*)(.)(.)$/u, (_, a: string, b: string, c: string, rest: string, y: string, z: string) =>
    [a, c, b, rest, z, y].join(''),
  );

/** Words that a title and a text have, at most so many of each. */
const MAX_WORDS = 4;

/** Questions about a document: its words, and variants half or all misspelt, joined, or from the body only. */
export const questionsOf = ({ title, body }: Sample): string[] => {
  const results = longWords(title).slice(0, MAX_WORDS);
  const others = longWords(body)
    .filter((word) => !results.includes(word))
    .slice(0, MAX_WORDS);
  if (results.length < 2) return [];
  const questions = [
    results.join(' '),
    results.map((word, index) => (index % 2 === 0 ? word : garbled(word))).join(' '),
    results.map(garbled).join(' '),
    results.join(''),
    others.map(garbled).join(' '),
  ];
  return [...new Set(questions)].filter((question) => question !== '');
};
