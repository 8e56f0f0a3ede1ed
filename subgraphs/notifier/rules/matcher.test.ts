import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parser } from '@landfall/kernel/operation/input';
import type { NotificationEvent } from '../events/event.ts';
import { checkMatchers, type Matcher, matchers as matchersSchema, matchesAll } from './matcher.ts';
import { checkRule, rule as ruleSchema } from './rule.ts';
import { anAction, anEvent, aRule, when } from './testing/events.ts';

const matches = (matcher: Matcher, changes: Partial<NotificationEvent> = {}): boolean => {
  assert.deepEqual(checkMatchers([matcher]), []);
  return matchesAll([matcher])(anEvent(changes));
};

/** Values of `payload.value` that a matcher matches, and those that it does not. */
const assertMatches = (op: Matcher['op'], value: Matcher['value'], fitting: unknown[], others: unknown[]): void => {
  for (const seen of fitting)
    assert.ok(matches(when('payload.value', op, value), { payload: { value: seen } }), `${op} ${value}: ${seen}`);
  for (const seen of others)
    assert.ok(!matches(when('payload.value', op, value), { payload: { value: seen } }), `${op} ${value}: ${seen}`);
};

const problems = (...matchers: Matcher[]): string[] =>
  checkMatchers(matchers).map(({ field, code }) => `${field} ${code}`);

test('eq and ne, in and nin, regex and nregex are complements, and a missing value is the empty text', () => {
  const cases: [Matcher['op'], Matcher['op'], Matcher['value']][] = [
    ['eq', 'ne', ''],
    ['eq', 'ne', 'a'],
    ['eq', 'ne', 5],
    ['in', 'nin', ['a', '']],
    ['regex', 'nregex', 'a*'],
  ];
  for (const [op, complement, value] of cases)
    for (const seen of ['', 'a', 'aa', 5, true, null, undefined, {}, [], ['a']]) {
      const payload = { value: seen };
      const isMatching = matches(when('payload.value', op, value), { payload });
      assert.notEqual(
        isMatching,
        matches(when('payload.value', complement, value), { payload }),
        `${op} ${String(seen)}`,
      );
      if (seen === undefined)
        assert.equal(isMatching, matches(when('payload.value', op, value), { payload: { value: '' } }));
    }
});

test('numbers and booleans compare by their text, objects and lists by none', () => {
  assertMatches('eq', 5, [5, '5'], [50, null, {}, [5]]);
  assertMatches('eq', 'true', [true, 'true'], [false]);
  assertMatches('in', [1, 'b', false], ['1', 'b', 'false'], ['c', null, ['b']]);
  assertMatches('prefix', 'pro', ['prod', 'pro'], ['preprod', null, {}]);
});

test('a regular expression matches the whole value', () => {
  assertMatches('regex', 'prod', ['prod'], ['preprod', 'prod-eu', ' prod', 'prod\n']);
  assertMatches('regex', 'prod|dev', ['prod', 'dev'], ['prod-', '-dev']);
  assertMatches('regex', '(?i)PROD.*', ['prod-eu', 'Prod'], ['x-prod']);
  assertMatches('regex', '.*', ['', null, 'a', 7], ['a\nb', {}]);
});

test('gte and lte compare numbers, and severities in their order', () => {
  assertMatches('gte', 10, [10, 11, '10.0', '9007199254740993'], [9, '9', 'ten', '', null, '1e9', {}]);
  assertMatches('lte', '2.5', [2.5, -3, '-1.5'], [2.6, 'critical']);
  assertMatches('gte', 'warning', ['warning', 'critical'], ['info', 'error', 3, null, 'constructor']);
  assert.ok(matches(when('severity', 'lte', 'warning')));
  assert.ok(!matches(when('severity', 'gte', 'critical')));
});

test('exists tells a missing value from an empty one', () => {
  assertMatches('exists', true, ['', 0, false, {}], [null, undefined]);
  assertMatches('exists', false, [null, undefined], ['']);
  assert.ok(matches(when('actor', 'exists', false), { actor: null }));
});

test('a range of versions includes pre-releases and no text that is no version', () => {
  assertMatches(
    'semver',
    '^1.4',
    ['1.4.0', 'v1.9.3', '1.5.0-rc.1'],
    ['2.0.0', '2.0.0-rc.1', '1.3.9', '1.4', '', null, 1],
  );
  assertMatches('semver', '>=2.0.0 <3 || 5.x', ['2.0.0', '5.7.1'], ['3.0.0', '2.0.0-rc.1']);
});

test('a block of addresses holds mapped addresses and no text that is no address', () => {
  assertMatches('cidr', '10.0.0.0/8', ['10.2.3.4', '::ffff:10.2.3.4'], ['11.0.0.1', '10.2.3', '', null, '::1']);
  assertMatches('cidr', '2001:db8::/32', ['2001:db8:1::7'], ['2001:db9::1', '10.0.0.1']);
  assertMatches('cidr', '0.0.0.0/0', ['192.0.2.1'], ['nowhere']);
});

test('paths read fields, attributes with dots in their name, and members of the payload', () => {
  const changes = { attributes: { 'app.kubernetes.io/name': 'shop' }, payload: { a: { b: { c: 'x' } }, list: ['y'] } };
  assert.ok(matches(when('attributes.app.kubernetes.io/name', 'eq', 'shop'), changes));
  assert.ok(matches(when('payload.a.b.c', 'eq', 'x'), changes));
  assert.ok(matches(when('payload.a.b', 'exists', true), changes));
  for (const path of ['payload.list.0', 'payload.list.length', 'payload.a.b.c.length', 'payload.missing.b'])
    assert.ok(matches(when(path, 'exists', false), changes), path);
});

test('names of prototypes match nothing', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'];
  for (const name of names)
    for (const path of [`attributes.${name}`, `payload.${name}`, `payload.a.${name}.name`]) {
      const changes = { payload: { a: {} }, attributes: {} };
      assert.ok(matches(when(path, 'exists', false), changes), path);
      assert.ok(!matches(when(path, 'regex', '.+'), changes), path);
    }
  const payload: Record<string, unknown> = JSON.parse('{"__proto__": {"isAdmin": "yes"}}');
  assert.ok(matches(when('payload.isAdmin', 'exists', false), { payload }));
  assert.ok(matches(when('payload.__proto__.isAdmin', 'eq', 'yes'), { payload }), 'its own member of that name');
});

test('patterns that take exponential time elsewhere answer', () => {
  const text = `${'a'.repeat(1_990)}!`;
  for (const pattern of [
    '(a+)+',
    '(a|aa)+',
    '(a|a)*b',
    '(.*a){12}b',
    '([a-z]+)*$',
    '(a*)*(a*)*(a*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ])
    assertMatches('regex', pattern, [], [text]);
  assertMatches('regex', 'a*', ['a'.repeat(2_000)], ['a'.repeat(2_001)]);
});

test('what a matcher cannot mean is refused with its field', () => {
  assert.deepEqual(
    problems(
      when('payload.value', 'regex', '(a'),
      when('payload.value', 'regex', '(?=a)b'),
      when('payload.value', 'regex', '(a)\\1'),
      when('payload.value', 'regex', '((a{1,100}){1,10}){1,10}'),
      when('payload.value', 'regex', 'a{600}'),
      when('payload.value', 'semver', 'newest'),
      when('payload.value', 'semver', ' '),
      when('payload.value', 'cidr', '10.0.0.0/33'),
      when('payload.value', 'cidr', '10.0.0.0'),
      when('payload.value', 'gte', 'many'),
      when('payload.value', 'exists', 'yes'),
      when('payload.value', 'in', 'a'),
      when('payload.value', 'in', []),
      when('payload.value', 'eq', ['a']),
      when('payload.value', 'prefix', ''),
      when('severity', 'eq', 'high'),
      when('status', 'in', ['firing', 'open']),
      when('severity', 'gte', 2),
    ),
    Array.from({ length: 18 }, (_, index) => `matchers.${index}.values VAL_INVALID_VALUE`),
  );
  const paths = [
    'kinds',
    'payload',
    'payload.',
    'payload.a..b',
    'attributes.',
    'toString',
    'payload.a.b.c.d.e.f.g.h.i',
  ];
  assert.deepEqual(
    problems(...paths.map((path) => when(path, 'eq', 'a'))),
    paths.map((_, index) => `matchers.${index}.path VAL_INVALID_FORMAT`),
  );
});

test('a list that is empty or has an uncompilable matcher matches no event', () => {
  assert.ok(!matchesAll([])(anEvent()));
  assert.ok(!matchesAll([when('kind', 'prefix', 'deployment'), when('kind', 'regex', '(')])(anEvent()));
});

test('the schemas take what the tests use and refuse unknown operators and fields', () => {
  const rule = aRule({ matchers: [when('kind', 'in', ['a', 1, true])] });
  assert.deepEqual(parser(ruleSchema)(rule), rule);
  const refused = (input: unknown) => assert.throws(() => parser(matchersSchema)(input), { name: 'Fault' });
  refused([{ path: 'kind', op: 'like', value: 'a' }]);
  refused([{ path: 'kind', op: 'eq', value: 'a', isNegated: true }]);
  refused([{ path: 'kind', op: 'eq', value: { a: 1 } }]);
});

test('a rule is refused for the paths and languages of its actions', () => {
  const throttle = { key: ['payload'], max: 1, windowSeconds: 60 };
  const { matchers, actions } = aRule({
    matchers: [when('kind', 'regex', '[')],
    actions: [anAction(), anAction({ groupBy: ['kind', 'attributes', 'team'], throttle, locale: 'not a language' })],
  });
  assert.deepEqual(
    checkRule({ matchers, actions }).map(({ field }) => field),
    ['matchers.0.values', 'actions.1.groupBy.2', 'actions.1.throttle.key.0', 'actions.1.locale'],
  );
});
