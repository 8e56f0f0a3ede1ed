import type { Module } from '@landfall/kernel/module';
import type { OperationSpec } from '@landfall/kernel/operation/operation';
import { caller } from '@landfall/kernel/testing/callers';
import type { GraphQLField, GraphQLSchema } from 'graphql';

/** Ends a resolver at its first operation. */
class Called extends Error {
  readonly spec: OperationSpec;

  constructor(spec: OperationSpec) {
    super(spec.name);
    this.spec = spec;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isOperation = (value: unknown): value is object & { spec: OperationSpec } =>
  typeof value === 'function' && 'spec' in value;

/** Wraps a context: calling any operation in it throws `Called`. */
const recording = (context: object): object =>
  new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (isOperation(value))
        return () => {
          throw new Called(value.spec);
        };
      return isObject(value) ? recording(value) : value;
    },
  });

/** Operation of a field; undefined for one that only groups others. */
const operationOf = async (
  field: GraphQLField<unknown, unknown>,
  context: object,
): Promise<OperationSpec | undefined> => {
  try {
    await Reflect.apply(Object(field.resolve), undefined, [undefined, { input: {} }, recording(context), {}]);
  } catch (error) {
    if (error instanceof Called) return error.spec;
    throw error;
  }
  return undefined;
};

const rootFields = (schema: GraphQLSchema): GraphQLField<unknown, unknown>[] =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.values(type?.getFields() ?? {}));

/** Field of the graph with the operation that its resolver calls. */
interface GraphField {
  readonly field: GraphQLField<unknown, unknown>;
  readonly spec: OperationSpec;
}

/** Root fields of a module's graph that call an operation. Fields of federation are no part of them. */
export const graphFields = async (module: Module): Promise<GraphField[]> => {
  const fields = rootFields(module.schema).filter(({ name }) => !name.startsWith('_'));
  const calls = fields.map(async (field) => ({
    field,
    spec: await operationOf(field, module.context(caller({ subject: 'someone' }))),
  }));
  return (await Promise.all(calls)).flatMap(({ field, spec }) => (spec ? [{ field, spec }] : []));
};
