import type { ApolloServerPlugin } from '@apollo/server';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { GraphContext } from './context.ts';
import { refusal } from './errors.ts';

type Values = Readonly<Record<string, unknown>>;

const mismatch = (field: string, message: string): FieldFault => ({ field, message, code: 'VAL_SCHEMA_MISMATCH' });

/** Matches the library's messages about absent or unknown fields, whose path leads only to the object. */
const FIELD = /^Field "(\w+)" (?:of required type|is not defined by type)/;

const UNNAMED: FieldFault = {
  field: 'operationName',
  message: 'does not name one operation of the document',
  code: 'VAL_INVALID_VALUE',
};

/** Variables used by `@skip` and `@include`. Ones with a default may be nullable, and null is then refused. */
const conditionsOf = (document: DocumentNode): ReadonlySet<string> => {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: given = [] }) => {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return names;
};

const faultsOf = (
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  values: Values,
  conditions: ReadonlySet<string>,
): FieldFault[] => {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type)) return [];
  const value = values[name];
  if (value === null && conditions.has(name))
    return [mismatch(name, `Variable "$${name}" of a condition must not be null.`)];
  if (value === undefined) {
    const isNeeded = isNonNullType(type) && definition.defaultValue === undefined;
    return isNeeded ? [mismatch(name, `Variable "$${name}" of required type "${type}" was not provided.`)] : [];
  }
  const faults: FieldFault[] = [];
  coerceInputValue(value, type, (path, _value, { message }) => {
    const [, field] = FIELD.exec(message) ?? [];
    faults.push(mismatch([name, ...path, ...(field === undefined ? [] : [field])].join('.'), message));
  });
  return faults;
};

/** Lists the faults of all variables and their fields. */
const variableFaults = (
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  document: DocumentNode,
  values: Values,
): FieldFault[] => {
  const hasNull = Object.values(values).includes(null);
  const conditions = hasNull ? conditionsOf(document) : new Set<string>();
  return (operation.variableDefinitions ?? []).flatMap((each) => faultsOf(schema, each, values, conditions));
};

/** Plugin that refuses invalid variables, all at once and by field (rulings 24 and 52), before planning. */
export const variablesPlugin: ApolloServerPlugin<GraphContext> = {
  requestDidStart: async () => ({
    async didResolveOperation({ schema, document, operation, request }) {
      if (!operation) throw refusal(invalid([UNNAMED]));
      const [first, ...others] = variableFaults(schema, operation, document, request.variables ?? {});
      if (first) throw refusal(invalid([first, ...others]));
    },
  }),
};
