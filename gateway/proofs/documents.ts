import type { SeedSpec } from '@landfall/kernel/operation/seed';
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
import { limits } from '../graph/limits.ts';

/** GraphQL request for one root field, with ids of a tenant's entities. */
export interface GraphRequest {
  readonly field: string;
  readonly kind: 'query' | 'mutation';
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** `must`: the field takes an entity's id. `may`: ids only filter its result. */
  readonly names: 'must' | 'may' | 'nothing';
}

type Ids = Readonly<Record<string, string>>;

/** Ids and values for arguments. */
interface Sample {
  readonly ids: Ids;
  readonly values: Readonly<Record<string, unknown>>;
}

const scalars: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  Boolean: false,
  DateTime: '2026-01-15T09:00:00.000Z',
  Digest: `sha256:${'0'.repeat(64)}`,
};

/** Entity types of arguments that are not named after their entity. */
const subjects: Readonly<Record<string, string>> = {
  acknowledgeOutcome: 'DeploymentId',
  activeDuring: 'NotificationPolicyId',
  bundleId: 'EvidenceBundleId',
  defaultMethod: 'ContactMethodId',
  after: 'EnvironmentId',
  eventId: 'NotificationEventId',
  forceChannel: 'NotificationChannelId',
  importantMethod: 'ContactMethodId',
  mutedDuring: 'NotificationPolicyId',
  ruleId: 'NotificationRuleId',
};

/** Fields of inputs that have no place beside another field, which is given. */
const alternatives: ReadonlySet<string> = new Set(['artifactIds', 'recipients']);

/** Id for an argument: `targetEnvironmentId` names an Environment, `id` the field's own entity. */
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

const inputOf = (type: GraphQLInputType, name: string, about: readonly string[], sample: Sample): unknown => {
  if (isNonNullType(type)) return inputOf(type.ofType, name, about, sample);
  if (isListType(type)) return [inputOf(type.ofType, name.replace(/s$/, ''), about, sample)];
  if (isInputObjectType(type)) {
    const fields = type.getFields();
    // An id may be of the kind that is named beside it.
    const { kind, id } = fields;
    const named = kind && id && String(inputOf(kind.type, 'kind', about, sample)).toLowerCase();
    const owners = Object.keys(sample.ids).filter((name) => name.toLowerCase() === named);
    return Object.fromEntries(
      Object.values(fields)
        .filter((field) => !alternatives.has(field.name))
        .filter((field) => isNonNullType(field.type) || hasId(field.type) || field.name in sample.values)
        .map((field) => [field.name, inputOf(field.type, field.name, owners.length > 0 ? owners : about, sample)]),
    );
  }
  if (isEnumType(type)) return sample.values[type.name] ?? type.getValues()[0]?.name;
  if (isId(type)) return idFor(name, about, sample.ids);
  const value = sample.values[name];
  // A time of day may have the name of an instant.
  const fits = type.name !== 'DateTime' || !Number.isNaN(Date.parse(String(value)));
  return (fits ? value : undefined) ?? scalars[type.name] ?? 'web';
};

/** Page size: small, since the cost of a request is limited. */
const PAGE = 3;

/** Page argument for a field with pages. */
const pageOf = ({ args }: GraphQLField<unknown, unknown>): string =>
  args.some(({ name }) => name === 'first') ? `first: ${PAGE}` : '';

/**
 * Whether a field would exceed what one request may ask for: a list below as many as may nest, or a page within a page,
 * which the query of one entity selects.
 */
const isTooWide = (type: GraphQLOutputType, listsAbove: number): boolean =>
  getNamedType(type).name.endsWith('Connection')
    ? listsAbove > 0
    : isListType(getNullableType(type)) && listsAbove >= limits.lists;

/** Selects all leaves without required arguments, `depth` objects deep, not counting connections and edges. */
const selectionOf = (type: GraphQLOutputType, depth: number, listsAbove = 0): string => {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return '';
  if (!isObjectType(named) && !isInterfaceType(named)) return '{ __typename }';
  const lists = listsAbove + (isListType(getNullableType(type)) ? 1 : 0);
  const fields = Object.values(named.getFields())
    .filter(({ args }) => args.every((argument) => !isNonNullType(argument.type)))
    .filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)))
    .filter((field) => !isTooWide(field.type, lists))
    .map((field) => {
      const isPage = /(Connection|Edge)$/.test(getNamedType(field.type).name) || field.name === 'node';
      const size = pageOf(field);
      return `${field.name}${size && `(${size})`} ${selectionOf(field.type, isPage ? depth : depth - 1, lists)}`;
    });
  return `{ __typename ${fields.join(' ')} }`;
};

/** Depth of the selection: two objects beyond the root field, as far as the requesters of a release's promotions. */
const DEPTH = 2;

/** Depth for a field: one less for a list without pages, which would exceed the cost limit. */
const depthOf = (kind: GraphRequest['kind'], type: GraphQLOutputType): number => {
  if (kind === 'mutation') return 0;
  return isListType(getNullableType(type)) ? DEPTH - 1 : DEPTH;
};

const requestOf = (kind: GraphRequest['kind'], field: GraphQLField<unknown, unknown>, sample: Sample): GraphRequest => {
  const args = field.args.filter((argument) => isNonNullType(argument.type) || hasId(argument.type));
  const about = [
    getNamedType(field.type).name,
    field.name.replace(/(?:Secret|Webhook)$/, '').replace(/View$/, 'SavedView'),
  ];
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = [...args.map(({ name }) => `${name}: $${name}`), pageOf(field)].filter(Boolean).join(', ');
  const head = `${kind}${declared && ` (${declared})`}`;
  const named = args.filter((argument) => hasId(argument.type));
  return {
    field: field.name,
    kind,
    document: `${head} { ${field.name}${passed && `(${passed})`} ${selectionOf(field.type, depthOf(kind, field.type))} }`,
    variables: Object.fromEntries(args.map(({ name, type }) => [name, inputOf(type, name, about, sample)])),
    names: named.length === 0 ? 'nothing' : named.some(({ type }) => isNonNullType(type)) ? 'must' : 'may',
  };
};

/** Builds one request for each query, and for each mutation that takes an entity's id, but those of one person. */
export const requestsOf = (
  schema: GraphQLSchema,
  ids: Ids,
  { values = {}, ownFields = {} }: Pick<SeedSpec, 'values' | 'ownFields'>,
): GraphRequest[] => {
  const sample = { ids, values };
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  return [
    ...queries.filter(({ name }) => !(name in ownFields)).map((field) => requestOf('query', field, sample)),
    ...mutations
      .filter(({ name, args }) => args.some(({ type }) => hasId(type)) && !(name in ownFields))
      .map((field) => requestOf('mutation', field, sample)),
  ];
};
