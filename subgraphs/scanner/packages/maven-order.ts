import { defineOrder, isDigits, numberKey, TEXT_END, type VersionOrder } from './version-order.ts';

interface Token {
  /** Separator before the token; a change between digits and letters counts as a hyphen. */
  readonly prefix: '.' | '-';
  readonly value: string;
}

// Marks of a token, by what sorts below what; a missing token sorts as the release.
const [PRE_RELEASE, END, RELEASE, QUALIFIER, HYPHEN_NUMBER, DOT_NUMBER] = ['1', '2', '3', '4', '5', '6'] as const;

const PRE_RELEASES = ['alpha', 'beta', 'milestone', 'rc', 'snapshot'];
const ALIASES: Readonly<Record<string, string>> = { cr: 'rc', ga: '', final: '', release: '' };
/** Letters that are short for a pre-release when a digit follows at once. */
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = [];
  for (const [match, separator] of text.toLowerCase().matchAll(/(^|[.-])([^.-]*)/g)) {
    const runs = match.slice(separator?.length ?? 0).match(/\d+|\D+/g) ?? ['0'];
    runs.forEach((run, index) => {
      const word = (index + 1 < runs.length ? own(SHORT, run) : undefined) ?? own(ALIASES, run) ?? run;
      tokens.push({ prefix: index > 0 || separator === '-' ? '-' : '.', value: word });
    });
  }
  return tokens;
};

const isNull = ({ value }: Token): boolean => /^0*$/.test(value);

/** Tokens without the zeros and releases that end a group: those before a qualifier or at the end. */
const trim = (tokens: readonly Token[]): Token[] => {
  const trimmed: Token[] = [];
  for (const [index, token] of [...tokens.entries()].reverse()) {
    const next = trimmed.at(-1);
    const endsGroup = next === undefined || next.prefix === '-' || PRE_RELEASES.includes(next.value);
    if (index === 0 || !isNull(token) || !endsGroup) trimmed.push(token);
  }
  return trimmed.reverse();
};

const tokenKey = ({ prefix, value }: Token): string => {
  if (isDigits(value)) return (prefix === '-' ? HYPHEN_NUMBER : DOT_NUMBER) + numberKey(value);
  if (value === '') return RELEASE;
  const rank = PRE_RELEASES.indexOf(value);
  if (rank >= 0) return `${PRE_RELEASE}${rank}`;
  // `sp` is the lowest of the qualifiers above a release.
  return `${QUALIFIER}${prefix === '-' ? 1 : 0}${value === 'sp' ? 0 : `1${value}${TEXT_END}`}`;
};

/** Order of Maven artifacts. Source: Maven's POM reference, version order; ComparableVersion. */
export const mavenOrder: VersionOrder = defineOrder({
  name: 'maven',
  // Characters that Maven's model validator refuses, unresolved properties, and the two names of no fixed version.
  isVersion: (text) => /^[^\s\p{Cc}\\/:"<>|?*[\](){},$]+$/u.test(text) && /^(?!release$|latest$)/i.test(text),
  keyOf: (text) => trim(tokensOf(text)).map(tokenKey).join('') + END,
});
