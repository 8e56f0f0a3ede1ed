/** Function words, which are neither searched nor need proof. */
const PLAIN = new Set(
  `a about above after again all also an and any are as at be because been before being below between both but by can
  could did do does doing down during each either else ever every few for from further get had has have having he her
  here his how i if in into is it its itself just like may me might more most must my no nor not of off on once only or
  other our out over own per same she should so some still such than that the their them then there these they this
  those through thus to too under until up upon us very was we were what when where whether which while who whom whose
  why will with within without would you your`.split(/\s+/),
);

const NEGATIONS = new Set(['not', 'no', 'never', 'none', 'neither', 'nor', 'without', 'cannot', 'unaffected']);

/** `don't` is `not` in other letters. */
const CONTRACTION = /\p{L}n['’]t\b/iu;

/** A word or a name with joining characters: `CVE-2024-1`, `pkg:npm/a@1.2`. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}_.\-/@:+~%'’]*/gu;

/** Trailing characters that are not part of a word. */
const TAIL = new Set("._-/@:+~%'’");

/** Normalizes case, width and separators: `not_affected` equals `not affected`. */
export const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('_', ' ');

/** Scans from the end, since a pattern would backtrack. */
const withoutTail = (word: string): string => {
  let end = word.length;
  while (end > 0 && TAIL.has(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
};

/** Words of a text in their order, folded. */
export const wordsOf = (text: string): string[] =>
  (folded(text).match(WORD) ?? []).map((word) => withoutTail(word).replace(/['’]s$/u, '')).filter(Boolean);

/** Whether a word is a name or a number: it has a digit or joining characters. */
export const isExact = (word: string): boolean => /\p{N}/u.test(word) || /\p{L}[/@:.]\p{L}/u.test(word);

export const isContent = (word: string): boolean => isExact(word) || (word.length > 1 && !PLAIN.has(word));

export const denies = (text: string): boolean =>
  CONTRACTION.test(text) || wordsOf(text).some((word) => NEGATIONS.has(word));

const SUFFIXES = ['ations', 'ation', 'ings', 'ions', 'ies', 'ing', 'ion', 'ed', 'es', 'ly', 's', 'e', 'y'];

/** Stem of a word, at least three letters long: `allows`, `allowed` and `allowing` have one stem. */
export const stem = (word: string): string => {
  const ending = SUFFIXES.find((each) => word.endsWith(each) && word.length - each.length >= 3);
  const short = ending === undefined ? word : word.slice(0, -ending.length);
  return /(?<double>[bdgklmnprt])\k<double>$/.test(short) && short.length > 4 ? short.slice(0, -1) : short;
};

/** Scripts without spaces between words; their words are searched as substrings. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;

const GOES_ON_BEFORE = /(?:[\p{L}\p{N}]|[\p{L}\p{N}][.-])$/u;
const GOES_ON_AFTER = /^(?:[\p{L}\p{N}]|[.\-+][\p{L}\p{N}])/u;

/** Whether a name or number occurs as a whole: 1.2 is not in 1.2.3. */
const occursAlone = (complete: string, word: string): boolean => {
  for (let at = complete.indexOf(word); at >= 0; at = complete.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (
      !GOES_ON_BEFORE.test(complete.slice(Math.max(0, at - 4), at)) &&
      !GOES_ON_AFTER.test(complete.slice(end, end + 4))
    )
      return true;
  }
  return false;
};

const lazily = <T>(create: () => T): (() => T) => {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
};

const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(wordsOf(text).flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}\p{M}]+/u)].map(stem).filter(Boolean)));

/** Builds a lookup of the words of texts. */
export const lexiconOf = (texts: readonly string[]) => {
  const complete = folded(texts.join('\n'));
  const stems = lazily(() => stemsOf(complete));
  const isDenying = lazily(() => denies(complete));
  /** Matches exact words as they are and others by stem. */
  const has = (word: string): boolean => {
    // `v1.2` and `1.2` are one version.
    if (isExact(word))
      return (
        occursAlone(complete, word) ||
        (/^v\p{N}/u.test(word) ? occursAlone(complete, word.slice(1)) : occursAlone(complete, `v${word}`))
      );
    if (UNSPACED.test(word)) return complete.includes(word);
    return stems().has(stem(word)) || (word.includes('-') && word.split('-').every((part) => stems().has(stem(part))));
  };
  return {
    has,
    get denies() {
      return isDenying();
    },
  };
};
