import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type NotificationEvent, SEVERITIES, STATUSES } from '../events/event.ts';
import type { Matcher } from './matcher.ts';
import type { Rule } from './rule.ts';
import { createRuleSet, type RuleOutcome, type RuleSet } from './rule-set.ts';
import { anEvent, aRule, when } from './testing/events.ts';

/** Value at a path, read without the product's code. */
const valueAt = (event: NotificationEvent, path: string): unknown => {
  const [root = '', ...rest] = path.split('.');
  const record: Record<string, unknown> = { ...event };
  if (root === 'attributes') return event.attributes[rest.join('.')];
  let value: unknown = record[root];
  for (const name of rest) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
};

const rank = (value: unknown): number => ['info', 'warning', 'critical'].indexOf(String(value));

/** Meaning of each operator, as plainly as it can be said, for the values that the generators make. */
const ORACLE: Readonly<Record<string, (seen: unknown, value: Matcher['value']) => boolean>> = {
  eq: (seen, value) => `${seen ?? ''}` === `${value}`,
  ne: (seen, value) => `${seen ?? ''}` !== `${value}`,
  in: (seen, value) => [value].flat().some((each) => `${seen ?? ''}` === `${each}`),
  nin: (seen, value) => ![value].flat().some((each) => `${seen ?? ''}` === `${each}`),
  prefix: (seen, value) => `${seen ?? ''}`.indexOf(`${value}`) === 0,
  regex: (seen, value) => new RegExp(`^(?:${value})$`).test(`${seen ?? ''}`),
  nregex: (seen, value) => !new RegExp(`^(?:${value})$`).test(`${seen ?? ''}`),
  exists: (seen, value) => (seen != null) === value,
  gte: (seen, value) =>
    rank(value) >= 0 ? rank(seen) >= rank(value) : typeof seen === 'number' && seen >= Number(value),
  lte: (seen, value) =>
    rank(value) >= 0 ? rank(seen) >= 0 && rank(seen) <= rank(value) : typeof seen === 'number' && seen <= Number(value),
};

const isMet = (event: NotificationEvent, { path, op, value }: Matcher): boolean =>
  ORACLE[op]?.(valueAt(event, path), value) ?? false;

/** Ids of the rules that match, found by trying one after another. */
const naive = (rules: readonly Rule[], event: NotificationEvent): string[] => {
  const matched: string[] = [];
  for (const rule of [...rules].sort((a, b) => a.priority - b.priority || a.id.localeCompare(b.id))) {
    if (!rule.isEnabled || !rule.matchers.every((matcher) => isMet(event, matcher))) continue;
    matched.push(rule.id);
    if (!rule.continues) return matched;
  }
  return matched;
};

const matchedOf = (outcomes: readonly RuleOutcome[]): readonly Rule[] =>
  outcomes.flatMap(({ rule, kind }) => (kind === 'matched' ? [rule] : []));

const KINDS = ['deployment.failed', 'deployment.started', 'scan.finding', 'a'];
const TEXTS = ['', 'a', 'ab', 'b', 'prod'];
const paths = fc.constantFrom(
  'kind',
  'kind',
  'kind',
  'producer',
  'severity',
  'status',
  'actor',
  'attributes.x',
  'attributes.y.z',
  'payload.n',
  'payload.a.b',
);

const matcherFor = (path: string): fc.Arbitrary<Matcher> => {
  const words = { severity: [...SEVERITIES], status: [...STATUSES], kind: KINDS }[path] ?? TEXTS;
  const word = fc.constantFrom(...words);
  const of = (op: Matcher['op'], value: fc.Arbitrary<Matcher['value']>) => value.map((each) => when(path, op, each));
  const bound = path === 'severity' ? fc.constantFrom(...SEVERITIES) : fc.integer({ min: -2, max: 2 });
  return fc.oneof(
    of('eq', word),
    of('ne', word),
    of('in', fc.array(word, { minLength: 1, maxLength: 3 })),
    of('nin', fc.array(word, { minLength: 1, maxLength: 3 })),
    of('prefix', fc.constantFrom('a', 'deployment.', 'prod')),
    of('regex', fc.constantFrom('a*', 'deploy.*', 'a|b', '.*ing', '(?:ab)+')),
    of('nregex', fc.constantFrom('a*', 'deploy.*', 'a|b')),
    of('exists', fc.boolean()),
    ...(path === 'status' ? [] : [of('gte', bound), of('lte', bound)]),
  );
};

const matcher = paths.chain(matcherFor);

const rules = fc
  .array(
    fc.record({
      isEnabled: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
      priority: fc.integer({ min: 0, max: 5 }),
      continues: fc.boolean(),
      matchers: fc.array(matcher, { maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((list) => list.map((each, index) => aRule({ ...each, id: `rule-${String(index).padStart(2, '0')}` })));

const optional = fc.option(fc.constantFrom(...TEXTS), { nil: undefined });

const events = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    producer: fc.constantFrom('a', 'platform'),
    actor: fc.option(fc.constantFrom('a', 'ab')),
    severity: fc.constantFrom(...SEVERITIES),
    status: fc.constantFrom(...STATUSES),
    x: optional,
    n: fc.option(fc.integer({ min: -3, max: 3 })),
    b: optional,
  })
  .map(({ x, n, b, ...fields }) =>
    anEvent({
      ...fields,
      attributes: x === undefined ? {} : { x, 'y.z': x },
      payload: { n, a: b === undefined ? b : { b } },
    }),
  );

test('random rules match the events that trying them one by one says', () => {
  fc.assert(
    fc.property(rules, fc.array(events, { minLength: 1, maxLength: 8 }), (list, some) => {
      const ruleSet: RuleSet = createRuleSet(list);
      for (const event of [...some, ...some]) {
        const { matched, explain } = ruleSet.evaluate(event);
        assert.deepEqual(
          matched.map(({ id }) => id),
          naive(list, event),
        );
        assert.deepEqual(matchedOf(explain()), matched);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('every rule is explained, and a failed matcher is one that does not hold', () => {
  fc.assert(
    fc.property(rules, events, (list, event) => {
      const outcomes = createRuleSet(list).evaluate(event).explain();
      assert.deepEqual(outcomes.map(({ rule }) => rule.id).sort(), list.map(({ id }) => id).sort());
      let isEnded = false;
      for (const outcome of outcomes) {
        const { rule } = outcome;
        assert.equal(outcome.kind === 'disabled', !rule.isEnabled);
        if (rule.isEnabled) assert.equal(outcome.kind === 'not_reached', isEnded);
        if (outcome.kind === 'failed') {
          assert.equal(rule.matchers[outcome.index], outcome.matcher);
          assert.equal(
            rule.matchers.findIndex((each) => !isMet(event, each)),
            outcome.index,
          );
        }
        isEnded ||= outcome.kind === 'matched' && !rule.continues;
      }
    }),
  );
});

test('an explanation names the matcher that failed and what it saw', () => {
  const list = [
    aRule({ id: 'a', isEnabled: false }),
    aRule({ id: 'b', matchers: [when('kind', 'prefix', 'deployment.'), when('attributes.environment', 'eq', 'dev')] }),
    aRule({ id: 'c', matchers: [when('payload.region', 'exists', true)] }),
    aRule({ id: 'd', matchers: [when('kind', 'regex', '(')] }),
    aRule({ id: 'e', matchers: [when('severity', 'gte', 'warning')] }),
    aRule({ id: 'f' }),
  ];
  const { matched, explain } = createRuleSet(list).evaluate(anEvent());
  assert.deepEqual(
    matched.map(({ id }) => id),
    ['e'],
  );
  const [a, b, c, d, e, f] = explain();
  assert.equal(a?.kind, 'disabled');
  assert.ok(b?.kind === 'failed' && b.index === 1 && b.seen === 'prod');
  assert.ok(c?.kind === 'failed' && c.seen === null);
  assert.ok(d?.kind === 'invalid' && d.faults[0]?.field === 'matchers.0.values');
  assert.equal(e?.kind, 'matched');
  assert.ok(f?.kind === 'not_reached' && f.endedBy.id === 'e');
});

test('rules of the same priority are tried in the order of their ids', () => {
  const list = ['c', 'a', 'b'].map((id) => aRule({ id, continues: true }));
  const first = aRule({ id: 'z', priority: 1, continues: true });
  assert.deepEqual(
    createRuleSet([...list, first])
      .evaluate(anEvent())
      .matched.map(({ id }) => id),
    ['z', 'a', 'b', 'c'],
  );
});

test('more kinds than are remembered are still told apart', () => {
  const ruleSet = createRuleSet([aRule({ matchers: [when('kind', 'regex', 'k[0-9]*[02468]')] })]);
  for (const round of [1, 2])
    for (let index = 0; index < 1_200; index += 1)
      assert.equal(
        ruleSet.evaluate(anEvent({ kind: `k${index}` })).matched.length,
        (index + 1) % 2,
        `${round} ${index}`,
      );
});
