import { createHash } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** Number from 0 to 99 that depends on a place in an answer alone. */
const chance = (text: string): number => (createHash('sha256').update(text).digest()[0] ?? 0) % 100;

const scalars: Readonly<Record<string, unknown>> = {
  Int: 7,
  Float: 0.5,
  Boolean: true,
  DateTime: '2026-01-01T00:00:00.000Z',
};

const pathOf = ({ path }: GraphQLResolveInfo): string => {
  const keys: (string | number)[] = [];
  for (let at: GraphQLResolveInfo['path'] | undefined = path; at; at = at.prev) keys.push(at.key);
  return keys.toReversed().join('.');
};

/** Value of a type at a place: of nullable ones some are null, and of all some fail. */
const output = (schema: GraphQLSchema, type: GraphQLOutputType, at: string): unknown => {
  if (isNonNullType(type)) {
    if (chance(`fails ${at}`) < 1) throw new Fault('RES_NOT_FOUND', `There is nothing at ${at}.`, { at });
    return output(schema, type.ofType, `${at}!`);
  }
  if (!at.endsWith('!') && chance(`null ${at}`) < 15) return null;
  if (isListType(type)) return [0, 1].map((index) => output(schema, type.ofType, `${at}.${index}`));
  if (isEnumType(type)) return type.getValues()[chance(at) % type.getValues().length]?.value;
  if (isInterfaceType(type) || isUnionType(type)) return { __typename: schema.getPossibleTypes(type)[0]?.name };
  return isObjectType(type) ? { __typename: type.name } : (scalars[type.name] ?? `text ${chance(at)}`);
};

/** Replaces the resolvers of a schema: what a field returns depends on its type and its place in the answer alone. */
export const fabricateOutput = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('_')) continue;
    for (const field of Object.values(type.getFields()))
      if (!field.name.startsWith('_'))
        field.resolve = (_source, _args, _context, info) => output(schema, field.type, pathOf(info));
  }
  return schema;
};

/** Smallest value that an input type accepts. */
export const fabricateInput = (type: GraphQLInputType): unknown => {
  if (!isNonNullType(type)) return undefined;
  const inner = type.ofType;
  if (isListType(inner)) return [];
  if (isEnumType(inner)) return inner.getValues()[0]?.name;
  if (isInputObjectType(inner))
    return Object.fromEntries(
      Object.values(inner.getFields()).map((field) => [field.name, fabricateInput(field.type)]),
    );
  return scalars[inner.name] ?? 'text';
};
