import { BlockList, isIP } from 'node:net';
import { parse, Range } from 'semver';
import Type, { type Static } from 'typebox';
import { SEVERITIES } from '../events/event.ts';
import { wholePattern } from './whole-pattern.ts';

const MAX_VALUE = 500;
const MAX_VALUES = 100;

const scalar = Type.Union([Type.String({ maxLength: MAX_VALUE }), Type.Number(), Type.Boolean()]);
/** Value that a matcher compares with: a list for `in` and `nin`. */
export const matcherValue = Type.Union([
  Type.String({ maxLength: MAX_VALUE }),
  Type.Number(),
  Type.Boolean(),
  Type.Array(scalar, { maxItems: MAX_VALUES }),
]);
export type MatcherValue = Static<typeof matcherValue>;

/** Test of a value that a path read. */
type ValueTest = (seen: unknown) => boolean;

/** Reason why a matcher's value does not fit its operator. */
interface ValueProblem {
  readonly problem: string;
}

/** Compiles the value of a matcher. */
type Operator = (value: MatcherValue) => ValueTest | ValueProblem;

/** Text of a value: empty where there is none, undefined for an object or list. */
const textOf = (seen: unknown): string | undefined => {
  if (typeof seen === 'string') return seen;
  if (seen === undefined || seen === null) return '';
  return typeof seen === 'number' || typeof seen === 'boolean' ? String(seen) : undefined;
};

const NUMBER = /^-?\d{1,20}(?:\.\d{1,20})?$/;

const numberOf = (seen: unknown): number | undefined => {
  if (typeof seen === 'number') return seen;
  return typeof seen === 'string' && NUMBER.test(seen) ? Number(seen) : undefined;
};

const ranks: ReadonlyMap<unknown, number> = new Map(SEVERITIES.map((severity, rank) => [severity, rank]));

/** Test of the text of a value. */
const onText =
  (test: (text: string) => boolean): ValueTest =>
  (seen) => {
    const text = textOf(seen);
    return text !== undefined && test(text);
  };

const equal: Operator = (value) => {
  if (Array.isArray(value)) return { problem: 'must be one text, number or boolean; in takes a list' };
  const wanted = String(value);
  return (seen) => seen === wanted || textOf(seen) === wanted;
};

const among: Operator = (value) => {
  if (!Array.isArray(value) || value.length === 0) return { problem: 'must be a list with at least one value' };
  const wanted = new Set(value.map(String));
  return onText((text) => wanted.has(text));
};

const prefix: Operator = (value) => {
  if (typeof value !== 'string' || value === '') return { problem: 'must be a text that is not empty' };
  return onText((text) => text.startsWith(value));
};

const regex: Operator = (value) => {
  if (typeof value !== 'string') return { problem: 'must be a regular expression' };
  const pattern = wholePattern(value);
  return typeof pattern === 'function' ? onText(pattern) : pattern;
};

/** Comparison in the order of numbers, or of severities where the value is one. */
const ordered =
  (compare: (seen: number, bound: number) => boolean): Operator =>
  (value) => {
    const rank = ranks.get(value);
    const orderOf = rank === undefined ? numberOf : (seen: unknown) => ranks.get(seen);
    const bound = rank ?? numberOf(value);
    if (bound === undefined) return { problem: `must be a number or one of ${SEVERITIES.join(', ')}` };
    return (seen) => {
      const order = orderOf(seen);
      return order !== undefined && compare(order, bound);
    };
  };

const exists: Operator = (value) => {
  if (typeof value !== 'boolean') return { problem: 'must be true or false' };
  return (seen) => (seen !== undefined && seen !== null) === value;
};

const rangeOf = (text: string): Range | undefined => {
  try {
    return new Range(text, { includePrerelease: true });
  } catch {
    return undefined;
  }
};

const semver: Operator = (value) => {
  const range = typeof value === 'string' && value.trim() !== '' ? rangeOf(value) : undefined;
  if (!range) return { problem: 'is no range of semantic versions, such as ^1.4 or >=2.0.0 <3' };
  return onText((text) => {
    const version = parse(text);
    return version !== null && range.test(version);
  });
};

/** Block of addresses (RFC 4632, RFC 4291 2.3), which for IPv4 holds the mapped IPv6 addresses too. */
const cidr: Operator = (value) => {
  const [, network = '', digits = ''] = typeof value === 'string' ? (/^([^/%]+)\/(\d{1,3})$/.exec(value) ?? []) : [];
  const version = isIP(network);
  const length = Number(digits);
  if (version === 0 || length > (version === 4 ? 32 : 128))
    return { problem: 'is no block of addresses, such as 10.0.0.0/8 or 2001:db8::/32' };
  const block = new BlockList();
  block.addSubnet(network, length, version === 4 ? 'ipv4' : 'ipv6');
  return onText((text) => isIP(text) !== 0 && block.check(text, isIP(text) === 4 ? 'ipv4' : 'ipv6'));
};

const negated =
  (operator: Operator): Operator =>
  (value) => {
    const test = operator(value);
    return typeof test === 'function' ? (seen) => !test(seen) : test;
  };

/** Operators of matchers. Each negation is the exact complement of its operator, also for what has no text. */
export const OPERATORS = {
  eq: equal,
  ne: negated(equal),
  in: among,
  nin: negated(among),
  prefix,
  regex,
  nregex: negated(regex),
  gte: ordered((seen, bound) => seen >= bound),
  lte: ordered((seen, bound) => seen <= bound),
  exists,
  semver,
  cidr,
} satisfies Record<string, Operator>;
