import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { isJsonObject } from '@landfall/kernel/core/json';
import { minimalEnvironment, needs } from '@landfall/kernel/testing/programs';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { createRuleSet } from './rule-set.ts';
import { anEvent } from './testing/events.ts';
import { type LabelMatcher, type Route, rulesOfTree } from './testing/routing-tree.ts';

type Labels = Readonly<Record<string, string>>;

/** Receivers that our rules tell, in order. */
const receiversOf = (root: Route, labels: Labels): string[] =>
  createRuleSet(rulesOfTree(root))
    .evaluate(anEvent({ attributes: labels }))
    .matched.filter(({ actions }) => actions.length > 0)
    .map(({ name }) => name);

const members = (value: unknown): [string, string][] =>
  isJsonObject(value) ? Object.entries(value).map(([name, each]) => [name, String(each)]) : [];

const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isOperator = (text: string | undefined): text is LabelMatcher['op'] =>
  text === '=' || text === '!=' || text === '=~' || text === '!~';

/** Matchers of a text such as `{env=~"a|b", job!="x"}`, for the plain ones of the public cases. */
const parseMatchers = (text: string): LabelMatcher[] =>
  text
    .matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"?([^",}]*)"?/g)
    .toArray()
    .map(([, label = '', op, value = '']) => {
      assert.ok(isOperator(op));
      return { label, op, value };
    });

const routeOf = (node: unknown): Route => {
  assert.ok(isJsonObject(node));
  return {
    receiver: node.receiver === undefined ? undefined : String(node.receiver),
    continues: node.continue === true,
    matchers: [
      ...members(node.match).map(([label, value]) => ({ label, op: '=', value }) as const),
      ...members(node.match_re).map(([label, value]) => ({ label, op: '=~', value }) as const),
      ...items(node.matchers).flatMap((text) => parseMatchers(String(text))),
    ],
    routes: items(node.routes).map(routeOf),
  };
};

const labelsOf = (value: unknown): Labels => Object.fromEntries(members(value));

const publicFile = (t: TestContext, name: string): string | undefined => {
  const text = readPublicData('notifier')?.get(`notifier/prometheus__alertmanager/${name}`);
  if (text === undefined) t.skip('the public test data is not beside the repository');
  return text;
};

test('the public cases of the routing tree reach the same receivers', (t) => {
  const text = publicFile(t, 'route-cases.json');
  if (text === undefined) return;
  const { sets }: { sets: unknown } = JSON.parse(text);
  let count = 0;
  for (const set of items(sets)) {
    assert.ok(isJsonObject(set));
    const root = routeOf(parse(String(set.route)));
    for (const each of items(set.cases)) {
      assert.ok(isJsonObject(each));
      const expected = items(each.expected).map((one) => (isJsonObject(one) ? one.receiver : one));
      assert.deepEqual(receiversOf(root, labelsOf(each.labels)), expected, JSON.stringify(each.labels));
      count += 1;
    }
  }
  assert.ok(count >= 12, `${count} cases`);
});

test('the public configurations of the command line reach the same receivers', (t) => {
  const text = publicFile(t, 'cli/routing-cases.json');
  if (text === undefined) return;
  for (const each of items(JSON.parse(text))) {
    assert.ok(isJsonObject(each));
    const config: unknown = parse(publicFile(t, String(each.config)) ?? '');
    assert.ok(isJsonObject(config));
    assert.deepEqual(receiversOf(routeOf(config.route), labelsOf(each.labels)), each.receivers);
  }
});

const labelMatcher: fc.Arbitrary<LabelMatcher> = fc.record({
  label: fc.constantFrom('a', 'b', 'c'),
  op: fc.constantFrom('=', '=', '=~', '!=', '!~'),
  value: fc.constantFrom('x', 'y', 'x|y', 'x.*', '.*', '.+', ''),
});

/** Routes with at most `depth` levels below them. */
const routes = (depth: number): fc.Arbitrary<Route[]> =>
  fc.array(
    fc.record({
      receiver: fc.option(fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5'), { nil: undefined }),
      matchers: fc.array(labelMatcher, { minLength: 1, maxLength: 2 }),
      continues: fc.boolean(),
      routes: depth === 0 ? fc.constant([]) : routes(depth - 1),
    }),
    { maxLength: 3 },
  );

const tree: fc.Arbitrary<Route> = routes(2).map((below) => ({
  receiver: 'root',
  matchers: [],
  continues: false,
  routes: below,
}));

const labels: fc.Arbitrary<Labels> = fc
  .dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y', 'xy', 'z'), { minKeys: 1 })
  .map((each) => ({ ...each }));

/** Meaning of a tree as Alertmanager documents it: the deepest matching routes, siblings up to one that ends the search. */
const walk = (node: Route, given: Labels, inherited: string): string[] | undefined => {
  const isMet = ({ label, op, value }: LabelMatcher): boolean => {
    const seen = given[label] ?? '';
    const isEqual = op.endsWith('~') ? new RegExp(`^(?:${value})$`).test(seen) : seen === value;
    return op.startsWith('!') ? !isEqual : isEqual;
  };
  if (!node.matchers.every(isMet)) return undefined;
  const receiver = node.receiver ?? inherited;
  const found: string[] = [];
  for (const child of node.routes) {
    const below = walk(child, given, receiver);
    found.push(...(below ?? []));
    if (below && !child.continues) break;
  }
  return found.length > 0 ? found : [receiver];
};

test('rules express any routing tree', () => {
  fc.assert(
    fc.property(tree, fc.array(labels, { minLength: 1, maxLength: 5 }), (root, some) => {
      for (const each of some) assert.deepEqual(receiversOf(root, each), walk(root, each, ''));
    }),
    { numRuns: 500 },
  );
});

const configured = ({ receiver, matchers, continues, routes }: Route): object => ({
  ...(receiver !== undefined && { receiver }),
  ...(matchers.length > 0 && {
    matchers: matchers.map(({ label, op, value }) => `${label}${op}${JSON.stringify(value)}`),
    continue: continues,
  }),
  routes: routes.map(configured),
});

const run = promisify(execFile);

test('amtool routes random trees to the same receivers', await needs('amtool'), async () => {
  const directory = await mkdtemp(join(tmpdir(), 'routing-'));
  try {
    const file = join(directory, 'alertmanager.yml');
    const receivers = ['root', 'r1', 'r2', 'r3', 'r4', 'r5'].map((name) => ({ name }));
    for (const root of fc.sample(tree, { numRuns: 20, seed: 20_260_310 })) {
      await writeFile(file, stringify({ route: configured(root), receivers }));
      for (const each of fc.sample(labels, { numRuns: 2, seed: 7 })) {
        const given = Object.entries(each).map(([name, value]) => `${name}=${value}`);
        const args = ['config', 'routes', 'test', `--config.file=${file}`, ...given];
        const { stdout } = await run('amtool', args, { env: { ...minimalEnvironment(), HOME: directory } });
        assert.equal(receiversOf(root, each).join(','), stdout.trim(), `${stringify(root)} ${given.join(' ')}`);
      }
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
