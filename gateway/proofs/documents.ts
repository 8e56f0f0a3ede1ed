import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { CLAIMED_DOMAIN, MARK } from './owner-marks.ts';

/** A request for one field of Query or Mutation, its ids those of somebody's things. */
export interface Ask {
  readonly field: string;
  readonly kind: 'query' | 'mutation';
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** `must`: it names a thing by its id. `may`: ids only narrow what it shows. */
  readonly names: 'must' | 'may' | 'nothing';
}

type Ids = Readonly<Record<string, string>>;

/** Values that pass their validation, by the field's name; the rest is by type. */
const words: Readonly<Record<string, unknown>> = {
  semver: '9.9.9',
  reason: 'Wait for the security review.',
  repository: 'registry.example/shop/web',
  tag: '1.0.0',
  baseUrl: 'https://registry.example',
  address: 'https://vault.example:8200',
  token: 'hvs.example',
  port: 8081,
  value: 'web',
  max: 1,
  role: 'viewer',
  scope: 'repository:shop/web:pull',
  domain: CLAIMED_DOMAIN,
  q: MARK,
  suggestion: MARK,
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
};

/** Values of enums whose first one nobody may ask for. */
const enums: Readonly<Record<string, string>> = { SearchAlertStatus: 'ACKNOWLEDGED' };

const scalars: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  Boolean: false,
  DateTime: '2026-01-15T09:00:00.000Z',
  Digest: `sha256:${'0'.repeat(64)}`,
};

/** Arguments whose name is not that of the thing they name. */
const subjects: Readonly<Record<string, string>> = { acknowledgeOutcome: 'DeploymentId' };

/** Entity that an argument names: `targetEnvironmentId` an Environment, `id` that of its field. */
const idFor = (argument: string, about: readonly string[], ids: Ids): string => {
  const isOwn = argument === 'id' || argument === 'ref';
  const subject = isOwn ? about.map((word) => `${word}Id`) : [subjects[argument] ?? argument.replace(/Ref$/, 'Id')];
  const name = Object.keys(ids)
    .toSorted((a, b) => b.length - a.length)
    .find((known) => subject.some((text) => text.toLowerCase().endsWith(`${known.toLowerCase()}id`)));
  const id = name === undefined ? undefined : ids[name];
  if (id === undefined) throw new TypeError(`${about[0]}: nothing was seeded that ${argument} could name`);
  return id;
};

const isId = (type: GraphQLInputType): boolean => getNamedType(type).name === 'ID';

const hasId = (type: GraphQLInputType): boolean => {
  const named = getNamedType(type);
  return (
    isId(named) || (isInputObjectType(named) && Object.values(named.getFields()).some((field) => hasId(field.type)))
  );
};

const inputOf = (type: GraphQLInputType, name: string, about: readonly string[], ids: Ids): unknown => {
  if (isNonNullType(type)) return inputOf(type.ofType, name, about, ids);
  if (isListType(type)) return [inputOf(type.ofType, name.replace(/s$/, ''), about, ids)];
  if (isInputObjectType(type))
    return Object.fromEntries(
      Object.values(type.getFields())
        .filter((field) => isNonNullType(field.type) || hasId(field.type) || field.name in words)
        .map((field) => [field.name, inputOf(field.type, field.name, about, ids)]),
    );
  if (isEnumType(type)) return enums[type.name] ?? type.getValues()[0]?.name;
  if (isId(type)) return idFor(name, about, ids);
  return words[name] ?? scalars[type.name] ?? 'web';
};

/** Things of a page: few, since what is asked for has a price. */
const PAGE = 3;

/** The size of its page for a field that has pages. */
const pageOf = ({ args }: GraphQLField<unknown, unknown>): string =>
  args.some(({ name }) => name === 'first') ? `first: ${PAGE}` : '';

/** Every leaf that needs no argument, `depth` objects deep; what only makes a page of objects does not count. */
const selectionOf = (type: GraphQLOutputType, depth: number): string => {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return '';
  if (!isObjectType(named) && !isInterfaceType(named)) return '{ __typename }';
  const fields = Object.values(named.getFields())
    .filter(({ args }) => args.every((argument) => !isNonNullType(argument.type)))
    .filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)))
    .map((field) => {
      const isPage = /(Connection|Edge)$/.test(getNamedType(field.type).name) || field.name === 'node';
      const size = pageOf(field);
      return `${field.name}${size && `(${size})`} ${selectionOf(field.type, isPage ? depth : depth - 1)}`;
    });
  return `{ __typename ${fields.join(' ')} }`;
};

/** Two objects beyond the one that is asked for: who requested the promotions of a release. */
const DEPTH = 2;

/** A list without pages has one less, or it would cost more than one request may. */
const depthOf = (kind: Ask['kind'], type: GraphQLOutputType): number => {
  if (kind === 'mutation') return 0;
  return isListType(getNullableType(type)) ? DEPTH - 1 : DEPTH;
};

const askOf = (kind: Ask['kind'], field: GraphQLField<unknown, unknown>, ids: Ids): Ask => {
  const args = field.args.filter((argument) => isNonNullType(argument.type) || hasId(argument.type));
  const about = [getNamedType(field.type).name, field.name.replace(/Secret$/, '').replace(/View$/, 'SavedView')];
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = [...args.map(({ name }) => `${name}: $${name}`), pageOf(field)].filter(Boolean).join(', ');
  const head = `${kind}${declared && ` (${declared})`}`;
  const named = args.filter((argument) => hasId(argument.type));
  return {
    field: field.name,
    kind,
    document: `${head} { ${field.name}${passed && `(${passed})`} ${selectionOf(field.type, depthOf(kind, field.type))} }`,
    variables: Object.fromEntries(args.map(({ name, type }) => [name, inputOf(type, name, about, ids)])),
    names: named.length === 0 ? 'nothing' : named.some(({ type }) => isNonNullType(type)) ? 'must' : 'may',
  };
};

/** Mutations that name something by an id and yet nothing of a tenant that the requests' clients could. */
const apart: Readonly<Record<string, string>> = {
  createGroup: 'it is the sender’s own; whoever is nobody there is no member of it',
  rotateSigningKey: 'the ring is every tenant’s',
  clearSearchHistory: 'a person’s own; the matrix of operations tries it as two of them',
  removePasskey: 'for people only; the matrix of operations tries it as two of them',
};

/** One request for each field there is: every query, and every mutation that names something. */
export const asksOf = (schema: GraphQLSchema, ids: Ids): Ask[] => {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  return [
    ...queries.map((field) => askOf('query', field, ids)),
    ...mutations
      .filter(({ name, args }) => args.some(({ type }) => hasId(type)) && !(name in apart))
      .map((field) => askOf('mutation', field, ids)),
  ];
};
