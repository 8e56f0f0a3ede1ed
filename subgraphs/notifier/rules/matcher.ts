import type { FieldFault } from '@landfall/kernel/core/fault';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { type NotificationEvent, SEVERITIES, STATUSES } from '../events/event.ts';
import { type MatcherValue, matcherValue, OPERATORS } from './operators.ts';
import { MAX_PATH, readerOf } from './path.ts';
import { MAX_TEXT } from './whole-pattern.ts';

/** Condition on one value of an event. */
export const matcher = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: MAX_PATH }),
    op: oneOf('eq', 'ne', 'in', 'nin', 'prefix', 'regex', 'nregex', 'gte', 'lte', 'exists', 'semver', 'cidr'),
    value: matcherValue,
  },
  { additionalProperties: false },
);
export type Matcher = Static<typeof matcher>;

/** Conditions that an event must meet all of. */
export const matchers = Type.Array(matcher, { maxItems: 50 });

/** Matcher that is ready to be applied. */
export interface CompiledMatcher {
  readonly matcher: Matcher;
  readonly matches: (event: NotificationEvent) => boolean;
  /** Work of a match in microseconds, at most; undefined for one that takes next to nothing. */
  readonly work: ((event: NotificationEvent) => number) | undefined;
  /** Value that the matcher sees, as people read it; null where there is none. */
  readonly seen: (event: NotificationEvent) => string | null;
}

/** Words of the fields that have a fixed set: a misspelt one would silently never match. */
const WORDS = new Map<string, readonly MatcherValue[]>([
  ['severity', SEVERITIES],
  ['status', STATUSES],
]);
const COMPARES_WORDS: ReadonlySet<string> = new Set(['eq', 'ne', 'in', 'nin', 'gte', 'lte']);

const wordProblem = ({ path, op, value }: Matcher): string | undefined => {
  const words = WORDS.get(path);
  if (!words || !COMPARES_WORDS.has(op)) return undefined;
  const unknown = [value].flat().find((each) => !words.includes(each));
  return unknown === undefined ? undefined : `${unknown} is no ${path}: use ${words.join(', ')}`;
};

/** Operators that parse a text, which takes a time that grows with it. */
const PARSING: ReadonlySet<string> = new Set(['regex', 'nregex', 'semver', 'cidr']);
/** Microseconds of a match beside those of the text, of which each character takes one at most. */
const BASE_WORK = 5;

const workOf = (seen: unknown): number => BASE_WORK + (typeof seen === 'string' ? Math.min(seen.length, MAX_TEXT) : 0);

const MAX_SEEN = 200;

const readable = (seen: unknown): string | null => {
  if (seen === undefined || seen === null) return null;
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen);
  return text.length > MAX_SEEN ? `${text.slice(0, MAX_SEEN).toWellFormed()}…` : text;
};

const PATHS = 'kind, producer, severity, status, actor, attributes.<name> or payload.<member>';

/** Fault of a path of an event; undefined for one that can be read. */
export const checkPath = (path: string, field: string): FieldFault | undefined =>
  readerOf(path) ? undefined : { field, message: `is no path of an event: use ${PATHS}`, code: 'VAL_INVALID_FORMAT' };

/** Compiles a matcher, or says what is wrong with it: `path` and `values` below `field`. */
const compileMatcher = (matcher: Matcher, field = ''): CompiledMatcher | readonly FieldFault[] => {
  const { path, op, value } = matcher;
  const faults: FieldFault[] = [];
  const read = readerOf(path);
  const pathFault = checkPath(path, `${field}path`);
  if (pathFault) faults.push(pathFault);
  const test = OPERATORS[op](value);
  const problem = typeof test === 'function' ? wordProblem(matcher) : test.problem;
  if (problem !== undefined) faults.push({ field: `${field}values`, message: problem, code: 'VAL_INVALID_VALUE' });
  if (!read || typeof test !== 'function' || faults.length > 0) return faults;
  return {
    matcher,
    matches: (event) => test(read(event)),
    work: PARSING.has(op) ? (event) => workOf(read(event)) : undefined,
    seen: (event) => readable(read(event)),
  };
};

const isCompiled = (result: CompiledMatcher | readonly FieldFault[]): result is CompiledMatcher => 'matches' in result;

/** Compiled matchers, or the faults of those that do not compile. */
export const compileMatchers = (
  matchers: readonly Matcher[],
  field = 'matchers',
): { readonly compiled: readonly CompiledMatcher[]; readonly faults: readonly FieldFault[] } => {
  const results = matchers.map((matcher, index) => compileMatcher(matcher, `${field}.${index}.`));
  return {
    compiled: results.filter(isCompiled),
    faults: results.flatMap((result) => (isCompiled(result) ? [] : result)),
  };
};

/** Faults of matchers beyond their schema: paths, expressions, ranges and values. */
export const checkMatchers = (matchers: readonly Matcher[], field = 'matchers'): readonly FieldFault[] =>
  compileMatchers(matchers, field).faults;

/** Test whether an event meets all matchers. Without matchers, or with one that does not compile, none does. */
export const matchesAll = (matchers: readonly Matcher[]): ((event: NotificationEvent) => boolean) => {
  const { compiled, faults } = compileMatchers(matchers);
  if (compiled.length === 0 || faults.length > 0) return () => false;
  return (event) => compiled.every(({ matches }) => matches(event));
};
