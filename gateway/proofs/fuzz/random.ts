/** Pseudo-random choices, equal for equal seeds (mulberry32). */
export interface Random {
  /** Number from 0 to below 1. */
  next(): number;
  /** Integer from 0 to below `below`. */
  below(below: number): number;
  /** Picks an item. */
  one<T>(items: readonly [T, ...T[]]): T;
  /** Returns true with the probability of one in `times`. */
  once(times: number): boolean;
}

export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return {
    next,
    below,
    one: (items) => items[below(items.length)] ?? items[0],
    once: (times) => below(times) === 0,
  };
};

const LONG = 'x'.repeat(5_000);

/** Texts that programs, people and attackers send. */
const TEXTS: readonly [string, ...string[]] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202eevil\u202c',
  'ﷺ'.repeat(50),
  '👩‍👩‍👧‍👦',
  "'; drop table orchestrator.releases; --",
  '" or ""="',
  '%',
  '%00',
  '%ff%fe',
  '..%2f..%2fetc%2fpasswd',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '{"toString":1}',
  '[object Object]',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '9'.repeat(400),
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '99999999-9999-9999-9999-999999999999',
  'ABCDEF12-ABCD-4BCD-8BCD-ABCDEF123456',
  'sha256:',
  `sha256:${'g'.repeat(64)}`,
  `sha256:${'0'.repeat(64)}`,
  'http://',
  'http://[::1',
  'https://user:pass@127.0.0.1:1/',
  'javascript:alert(1)',
  'userName eq "x" and (',
  'emails[type eq "work"].value',
  '(((((((((((((((((((((((((((((((',
  '\r\nset-cookie: a=b',
  '$ref',
  '*',
  LONG,
];

const MEGABYTE = 'y'.repeat(1_000_000);

export const hostileText = (random: Random): string => (random.once(2_000) ? MEGABYTE : random.one(TEXTS));

const nested = (depth: number): unknown => {
  let value: unknown = 'end';
  for (let index = 0; index < depth; index += 1) value = index % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Objects as JSON text, since only parsing makes `__proto__` an own member. */
const OBJECTS: readonly [string, ...string[]] = [
  '{}',
  '{"toString":1}',
  '{"toString":1,"valueOf":2}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{}}}',
  '{"length":-1}',
  '{"then":1}',
  '{"toJSON":1}',
  '{"":""}',
  '{"\\u0000":1}',
  '{"$where":"1"}',
];

/** Returns any JSON value, for a place where it does not belong. */
export const hostileValue = (random: Random): unknown => {
  switch (random.below(9)) {
    case 0:
      return null;
    case 1:
      return random.one([true, false]);
    case 2:
      return random.one([0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 1e-308]);
    case 3:
      return random.one<unknown>([[], [[]], [null], ['', ''], Array.from({ length: 300 }, () => 'x')]);
    case 4:
      return JSON.parse(random.one(OBJECTS));
    case 5:
      return random.once(10) ? nested(random.one([10, 100, 2_000])) : [hostileText(random)];
    default:
      return hostileText(random);
  }
};
