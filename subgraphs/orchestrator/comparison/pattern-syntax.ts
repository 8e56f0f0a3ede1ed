/**
 * Regular expressions that are searched in linear time: the subset of JavaScript's (with the flag `u`) that needs no
 * backtracking, run as a nondeterministic automaton over all of its states at once (Thompson 1968, Pike's captures).
 * There are literals, `.`, classes, `\d \D \w \W \s \S`, `^ $ \b \B`, groups, alternatives and quantifiers; there are no
 * back references, look-around or named groups.
 */

export type Matches = (codePoint: number) => boolean;

/** Part of a parsed pattern. */
export type Node =
  | { readonly kind: 'one'; readonly matches: Matches }
  | { readonly kind: 'assert'; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly items: readonly Node[] }
  | { readonly kind: 'group'; readonly item: Node }
  | {
      readonly kind: 'repeat';
      readonly item: Node;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    };

/** Error of a pattern, for its author. */
export class PatternError extends Error {}

export const MAX_PATTERN = 200;
const MAX_REPEAT = 100;
/** Code point before the first and after the last character. */
export const NONE = -1;

const isDigit: Matches = (c) => c >= 48 && c <= 57;
const isWord: Matches = (c) => isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95;
const isSpace: Matches = (c) => c >= 0 && /\s/u.test(String.fromCodePoint(c));
const isLineEnd: Matches = (c) => c === 10 || c === 13 || c === 0x2028 || c === 0x2029;
const not =
  (matches: Matches): Matches =>
  (c) =>
    !matches(c);
const is =
  (wanted: number): Matches =>
  (c) =>
    c === wanted;

const CLASSES: Readonly<Record<string, Matches>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 };
const SYNTAX = '^$\\.*+?()[]{}|/';
const isBoundary = (before: number, after: number): boolean => isWord(before) !== isWord(after);

/** Parses a pattern; throws PatternError. */
export const parsePattern = (pattern: string): Node => {
  const text = [...pattern];
  let at = 0;
  let hasGroup = false;
  const fail = (message: string): never => {
    throw new PatternError(`${message} at character ${at + 1}`);
  };
  const peek = (): string | undefined => text[at];
  const take = (): string => text[at++] ?? fail('the pattern ends early');
  const accept = (wanted: string): boolean => {
    if (peek() !== wanted) return false;
    at += 1;
    return true;
  };

  const escaped = (inClass: boolean): { readonly matches: Matches; readonly codePoint?: number } => {
    const letter = take();
    const known = CLASSES[letter];
    if (known) return { matches: known };
    const codePoint =
      CONTROLS[letter] ?? (SYNTAX.includes(letter) || (inClass && letter === '-') ? letter.codePointAt(0) : undefined);
    if (codePoint === undefined) return fail(`\\${letter} is not supported`);
    return { matches: is(codePoint), codePoint };
  };

  const classItem = (): { readonly matches: Matches; readonly codePoint?: number } => {
    const letter = take();
    if (letter === '\\') return escaped(true);
    const codePoint = letter.codePointAt(0) ?? NONE;
    return { matches: is(codePoint), codePoint };
  };

  const characterClass = (): Node => {
    const isNegated = accept('^');
    const items: Matches[] = [];
    while (!accept(']')) {
      const first = classItem();
      if (peek() === '-' && text[at + 1] !== ']' && text[at + 1] !== undefined) {
        at += 1;
        const last = classItem();
        const [low, high] = [first.codePoint, last.codePoint];
        if (low === undefined || high === undefined || low > high) return fail('the range is out of order');
        items.push((c) => c >= low && c <= high);
      } else items.push(first.matches);
    }
    const matches: Matches = (c) => items.some((item) => item(c));
    return { kind: 'one', matches: isNegated ? not(matches) : matches };
  };

  const group = (): Node => {
    const captures = !accept('?');
    if (!captures && !accept(':')) return fail('only groups (…) and (?:…) are supported');
    // Only the first group is reported: another one would cost a copy of its bounds at each character.
    const isReported = captures && !hasGroup;
    hasGroup ||= captures;
    const item = choice();
    if (!accept(')')) return fail('a group does not end');
    return isReported ? { kind: 'group', item } : item;
  };

  const escapedAtom = (): Node => {
    if (accept('b')) return { kind: 'assert', holds: isBoundary };
    if (accept('B')) return { kind: 'assert', holds: (before, after) => !isBoundary(before, after) };
    return { kind: 'one', matches: escaped(false).matches };
  };

  const atom = (): Node => {
    const letter = take();
    switch (letter) {
      case '(':
        return group();
      case '[':
        return characterClass();
      case '\\':
        return escapedAtom();
      case '.':
        return { kind: 'one', matches: not(isLineEnd) };
      case '^':
        return { kind: 'assert', holds: (before) => before === NONE };
      case '$':
        return { kind: 'assert', holds: (_, after) => after === NONE };
      default:
        if ('*+?{}])|'.includes(letter)) return fail(`${letter} is not expected`);
        return { kind: 'one', matches: is(letter.codePointAt(0) ?? NONE) };
    }
  };

  const number = (): number | undefined => {
    let digits = '';
    while (/^\d$/.test(peek() ?? '')) digits += take();
    return digits === '' ? undefined : Number(digits);
  };

  const bounds = (): readonly [min: number, max: number] | undefined => {
    if (accept('*')) return [0, Infinity];
    if (accept('+')) return [1, Infinity];
    if (accept('?')) return [0, 1];
    if (!accept('{')) return undefined;
    const min = number() ?? fail('{ needs a number');
    const max = accept(',') ? (number() ?? Infinity) : min;
    if (!accept('}')) return fail('} is missing');
    if (min > max) return fail('the numbers are out of order');
    if (min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT)) return fail(`more than ${MAX_REPEAT} repetitions`);
    return [min, max];
  };

  const repeated = (): Node => {
    const item = atom();
    const found = bounds();
    if (!found) return item;
    if (item.kind === 'assert') return fail('nothing can be repeated');
    const [min, max] = found;
    return { kind: 'repeat', item, min, max, isLazy: accept('?') };
  };

  const sequence = (): Node => {
    const items: Node[] = [];
    while (peek() !== undefined && peek() !== '|' && peek() !== ')') items.push(repeated());
    return { kind: 'sequence', items };
  };

  const choice = (): Node => {
    const items = [sequence()];
    while (accept('|')) items.push(sequence());
    return items.length === 1 ? (items[0] ?? fail('nothing is there')) : { kind: 'choice', items };
  };

  const node = choice();
  if (at < text.length) fail(`${peek()} is not expected`);
  return node;
};
