import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { buildSchema, isListType, isNonNullType, isObjectType, Kind, parse } from 'graphql';
import { gatewaySettings } from '../settings/settings.ts';
import { costOf } from './cost.ts';
import { readPriceList } from './price-list.ts';

const read = (path: string): Promise<string> => readFile(new URL(`../../schema/${path}`, import.meta.url), 'utf8');

const costIn = (sdl: string, prices: string) => {
  const [schema, list] = [buildSchema(sdl), readPriceList(prices)];
  return (text: string, variables: Readonly<Record<string, unknown>> = {}): number => {
    const document = parse(text);
    const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
    if (operation?.kind !== Kind.OPERATION_DEFINITION) return assert.fail('no operation');
    return costOf(schema, list, document, operation, variables);
  };
};

const DIRECTIVES = `
  directive @cost(weight: Int!) on FIELD_DEFINITION
  directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION`;

const SMALL = `${DIRECTIVES}
  type Query {
    one: Thing
    dear: Thing @cost(weight: 100)
    few: [Thing!]!
    many: [Thing!]! @listSize(assumedSize: 50)
    span(first: Int, last: Int): Page! @listSize(slicingArguments: ["first", "last"], sizedFields: ["edges"], requireOneSlicingArgument: false)
    things(first: Int = 20): Page! @listSize(slicingArguments: ["first"], sizedFields: ["edges"], requireOneSlicingArgument: false)
  }
  type Page { edges: [Edge!]! total: Int }
  type Edge { node: Thing! }
  type Thing { id: ID! parts: [Part!]! @listSize(assumedSize: 3) }
  type Part { id: ID! }`;

const small = costIn(SMALL, SMALL);

const costs: readonly (readonly [operation: string, cost: number])[] = [
  ['{ one { id } }', 1],
  ['{ __typename }', 0],
  ['{ dear { id } }', 100],
  ['{ a: dear { id } b: dear { id } }', 200],
  ['{ few { id } }', 10],
  ['{ many { id } }', 50],
  ['{ one { parts { id } } }', 1 + 3],
  ['{ many { parts { id } } }', 50 * (1 + 3)],
  // The page is an object, each edge one, each thing one.
  ['{ things(first: 5) { edges { node { id } } } }', 1 + 5 * 2],
  ['{ things { edges { node { parts { id } } } total } }', 1 + 20 * (2 + 3)],
  ['{ span(first: 3, last: 9) { edges { node { id } } } }', 1 + 9 * 2],
  ['{ things(first: -7) { edges { node { id } } } }', 1],
  ['{ ...A ...A } fragment A on Query { one { ...B } } fragment B on Thing { parts { id } }', 2 * (1 + 3)],
  ['{ ... { one { id } } ... on Query { many { id } } }', 51],
];
for (const [operation, cost] of costs)
  test(`${operation} costs ${cost}`, () => {
    assert.equal(small(operation), cost);
  });

test('a variable says how many, or its default does, or the schema’s', () => {
  const query = 'query ($n: Int = 7) { things(first: $n) { edges { node { id } } } }';
  assert.equal(small(query, { n: 3 }), 7);
  assert.equal(small(query), 15);
  assert.equal(small('query ($n: Int) { things(first: $n) { edges { node { id } } } }'), 41);
});

test('fragments that spread each other often are counted in no time', () => {
  const many = Array.from({ length: 40 }, (_, at) => `fragment F${at + 1} on Query { ...F${at} ...F${at} }`).join(' ');
  assert.equal(small(`{ ...F40 } ${many} fragment F0 on Query { one { id } }`), 2 ** 40);
});

const [api, supergraph, kept] = await Promise.all(['api.graphql', 'supergraph.graphql', 'operations.json'].map(read));
const cost = costIn(api ?? '', supergraph ?? '');

test('composition keeps the prices: thirty searches are too dear for one request, ten are not', () => {
  const searches = (count: number) =>
    `{ ${Array.from({ length: count }, (_, at) => `a${at}: search(input: { q: "x" }) { cards { title } }`).join(' ')} }`;
  const { default: perRequest } = gatewaySettings.costPerRequest;
  assert.ok(cost(searches(30)) > perRequest, `${cost(searches(30))}`);
  assert.ok(cost(searches(10)) <= perRequest, `${cost(searches(10))}`);
});

test('every page of the graph has a size that its argument says', () => {
  const types = Object.values(buildSchema(api ?? '').getTypeMap()).filter(isObjectType);
  const list = readPriceList(supergraph ?? '');
  const unsized = types.flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name, args, type: answer }) => {
      const isPaged = args.some((each) => each.name === 'first');
      const isList = isListType(isNonNullType(answer) ? answer.ofType : answer);
      return isPaged && !isList && !list.get(type.name)?.get(name)?.slicing.includes('first')
        ? [`${type.name}.${name}`]
        : [];
    }),
  );
  assert.deepEqual(unsized, []);
});

test('the console’s own operations fit into half of what one request may cost', () => {
  const { default: perRequest } = gatewaySettings.costPerRequest;
  const operations: Readonly<Record<string, string>> = JSON.parse(kept ?? '{}');
  const dear = Object.values(operations)
    .map((text) => [/(?:query|mutation) (\w+)/.exec(text)?.[1], cost(text)] as const)
    .filter(([, each]) => each > perRequest / 2);
  assert.deepEqual(dear, []);
});
