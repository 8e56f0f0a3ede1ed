import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { codes } from '@landfall/schema/codes';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLFormattedError,
  GraphQLScalarType,
  type GraphQLSchema,
  parse,
  visit,
} from 'graphql';
import { asFault, type Fault, hidesCause } from '../core/fault.ts';

const DateTime = new GraphQLScalarType<Date | string, string>({
  name: 'DateTime',
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    if (typeof value === 'string') return value;
    throw new TypeError('a DateTime is a Date');
  },
});

/** Enum values of the graph mapped to the lower-case values used internally. */
const enumValues = (document: DocumentNode): Record<string, Record<string, string>> => {
  const values: Record<string, Record<string, string>> = {};
  visit(document, {
    EnumTypeDefinition: ({ name, values: members }) => {
      values[name.value] = Object.fromEntries(
        (members ?? []).map(({ name: member }) => [member.value, member.value.toLowerCase()]),
      );
    },
  });
  return values;
};

const common = readFileSync(new URL('../../../schema/common.graphql', import.meta.url), 'utf8');

/** Builds one module's schema from its resolvers and its schema.graphql. */
export const buildSubgraph = (sdl: URL, resolvers: object): GraphQLSchema => {
  const typeDefs = parse(`${common}\n${readFileSync(sdl, 'utf8')}`);
  return buildSubgraphSchema([{ typeDefs, resolvers: { DateTime, ...enumValues(typeDefs), ...resolvers } }]);
};

/** The `extensions` of every error of the graph (spec 7, in the graph's form). */
interface FaultExtensions {
  readonly [name: string]: unknown;
  readonly code: string;
  readonly status: number;
  readonly category: string;
  readonly details: unknown;
  readonly validationErrors: readonly unknown[];
  readonly requestId: string;
}

export const extensionsOf = (fault: Fault, requestId: string): FaultExtensions => ({
  code: fault.code,
  status: fault.status,
  category: codes[fault.code].category,
  details: fault.details ?? null,
  validationErrors: fault.fields,
  requestId,
});

/** Formats a resolver's error for its caller. A Fault keeps its code, and others are masked and passed to `onBug`. */
export const formatGraphError = (
  error: GraphQLError,
  requestId: string,
  onBug: (error: unknown) => void,
): GraphQLFormattedError => {
  const { originalError } = error;
  if (!originalError) return error.toJSON();
  const fault = asFault(originalError);
  if (hidesCause(fault)) onBug(originalError);
  return {
    message: fault.message,
    ...(error.locations && { locations: error.locations }),
    ...(error.path && { path: error.path }),
    extensions: extensionsOf(fault, requestId),
  };
};
