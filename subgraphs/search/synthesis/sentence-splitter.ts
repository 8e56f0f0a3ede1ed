/** Length from which text without a sentence end is emitted as it is. */
const MAX_LENGTH = 1_200;
/** Characters among which an end is looked for. */
const LOOKED_AT = 2 * MAX_LENGTH;

/** Full stops within a sentence: abbreviations, list numbers. */
const UNENDING = String.raw`(?<!(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx|incl|resp)|^\s*\d{1,2})`;
/** Citations belong to the sentence before them, whichever side of the full stop they are on. */
const CITATIONS = String.raw`(?:\s*\[[^\]\n]*\])*`;
/** Further text; without it the sentence may continue. */
const OTHER = String.raw`[^\s[]`;

const SENTENCE = new RegExp(
  `^[\\s\\S]*?(?:${UNENDING}[.!?…]["'”’)]*${CITATIONS}(?=\\s+${OTHER})|[。！？]${CITATIONS}(?=\\s*${OTHER})|\\n(?=\\s*${OTHER}))`,
  'u',
);

const firstOf = (text: string): string | undefined =>
  SENTENCE.exec(text.slice(0, LOOKED_AT))?.[0] ?? (text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : undefined);

/** Splits streamed text into sentences. */
export const createSplitter = () => {
  let rest = '';
  const nextSentence = (): string | undefined => {
    const first = firstOf(rest);
    if (first !== undefined) rest = rest.slice(first.length).trimStart();
    return first?.trim();
  };
  /** Adds text and returns the sentences that it completes. */
  const push = (piece: string): string[] => {
    rest += piece;
    const sentences: string[] = [];
    for (let each = nextSentence(); each !== undefined; each = nextSentence()) if (each !== '') sentences.push(each);
    return sentences;
  };
  return {
    push,
    end(): string[] {
      const last = rest.trim();
      rest = '';
      return last === '' ? [] : [last];
    },
  };
};
