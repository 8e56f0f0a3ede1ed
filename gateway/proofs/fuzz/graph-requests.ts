import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { hostileText, hostileValue, type Random } from './random.ts';
import { credentials, hostileHeaders, type Known, type Sent } from './rest-requests.ts';

/** Mutations that are excluded: a key rotation would invalidate the token of the run. */
const APART: ReadonlySet<string> = new Set(['rotateSigningKey']);

interface GraphField {
  readonly kind: 'query' | 'mutation';
  readonly field: GraphQLField<unknown, unknown>;
}

export const graphFields = (schema: GraphQLSchema): readonly GraphField[] => {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  return [
    ...queries.map((field) => ({ kind: 'query', field }) as const),
    ...mutations.filter(({ name }) => !APART.has(name)).map((field) => ({ kind: 'mutation', field }) as const),
  ];
};

const scalarOf = (name: string, random: Random, { ids }: Known): unknown => {
  if (name === 'Int' || name === 'Float') return random.one([0, 1, 2, 50, -1, 2 ** 31 - 1]);
  if (name === 'Boolean') return random.once(2);
  if (name === 'DateTime') return random.once(3) ? hostileText(random) : '2027-01-15T09:00:00.000Z';
  if (name === 'Digest') return random.once(3) ? hostileText(random) : `sha256:${'0'.repeat(64)}`;
  if (name === 'ID') return random.once(4) ? hostileText(random) : random.one(ids);
  return random.once(2) ? hostileText(random) : random.one(['web', 'x', '1.0.0', 'https://a.example', ...ids]);
};

const valueFor = (type: GraphQLInputType, random: Random, known: Known): unknown => {
  // GraphQL refuses a value of a wrong type before any module sees it; only a valid value reaches the code below.
  if (random.once(60)) return hostileValue(random);
  if (isNonNullType(type)) return valueFor(type.ofType, random, known);
  if (isListType(type)) return Array.from({ length: random.below(3) }, () => valueFor(type.ofType, random, known));
  if (isEnumType(type)) return type.getValues()[random.below(type.getValues().length)]?.name;
  if (!isInputObjectType(type)) return scalarOf(type.name, random, known);
  const fields = Object.values(type.getFields()).filter((each) => isNonNullType(each.type) || random.once(2));
  return Object.fromEntries(fields.map((each) => [each.name, valueFor(each.type, random, known)]));
};

const DOCUMENTS: readonly [string, ...string[]] = [
  'subscription { __typename }',
  '{',
  '',
  '{ me { ...A } } fragment A on Me { ...A }',
  '{ __typename @include(if: $x) }',
  'query ($x: [Nothing!]) { me { subject } }',
  '{ me { subject @deprecated } }',
  '{ __schema { types { fields { type { ofType { ofType { name } } } } } } }',
  '{ __type(name: "__proto__") { name } }',
  `{ ${'... { '.repeat(1_400)} __typename ${'} '.repeat(1_400)} }`,
  '{ a: __typename, b: __typename } query B { __typename }',
  '{ release(id: 1.5) { id } }',
  '{ release(id: {a: 1}) { id } }',
  '{ releases(first: 99999999999) { pageInfo { endCursor } } }',
  '\u0000',
  '# nothing',
];

const arbitraryObject = (random: Random): unknown => ({
  query: random.once(4) ? hostileValue(random) : random.one(DOCUMENTS),
  ...(random.once(2) && { variables: hostileValue(random) }),
  ...(random.once(3) && { operationName: hostileValue(random) }),
  ...(random.once(3) && {
    extensions: random.once(2) ? { persistedQuery: hostileValue(random) } : hostileValue(random),
  }),
});

const operationOf = ({ kind, field }: GraphField, random: Random, known: Known): unknown => {
  const args = field.args.filter(({ type }) => isNonNullType(type) || random.once(2));
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return {
    query: `${kind}${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`}${selection} }`,
    variables: Object.fromEntries(args.map(({ name, type }) => [name, valueFor(type, random, known)])),
  };
};

/** Builds a GraphQL request: a field with values of its types, or a malformed document. */
export const graphRequest = (field: GraphField, random: Random, known: Known): Sent => {
  const isMalformed = random.once(25);
  return {
    name: isMalformed ? 'graph' : `graph ${field.field.name}`,
    listener: 'web',
    method: 'POST',
    path: '/graphql',
    headers: {
      ...hostileHeaders(random),
      ...credentials(random, known, false),
      'content-type': 'application/json',
    },
    body: JSON.stringify(isMalformed ? arbitraryObject(random) : operationOf(field, random, known)),
  };
};
