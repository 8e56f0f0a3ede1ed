import Type, { type Static, type TObject, type TSchema } from 'typebox';

/** Values that a schema's answer can be made from: dates in place of their text, and fields that it does not have. */
type Source<T> = T extends string
  ? string | Date
  : T extends readonly (infer Item)[]
    ? readonly Source<Item>[]
    : T extends object
      ? {
          readonly [Name in keyof T]:
            | Source<T[Name]>
            | (Record<never, never> extends Pick<T, Name> ? undefined : never);
        }
      : T;

type Project = (value: unknown) => unknown;

const isOptional = (schema: TObject, name: string): boolean => !(schema.required ?? []).includes(name);

const hasRequired = (schema: TSchema, value: object): boolean =>
  Type.IsObject(schema) && (schema.required ?? []).every((name) => name in value);

/** Fields of an object in the order of the schema; null is an optional field that is absent. */
const objectProjection = (schema: TObject): Project => {
  const fields = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    isOptional: isOptional(schema, name),
    isNullable: Type.IsUnion(property) && property.anyOf.some(Type.IsNull),
    project: projectionOf(property),
  }));
  return (value) => {
    const overrides: Readonly<Record<string, unknown>> = Object(value);
    const answer: Record<string, unknown> = {};
    for (const field of fields) {
      const found = overrides[field.name] ?? null;
      if (found === null && field.isOptional) continue;
      if (found === null && !field.isNullable && overrides[field.name] === undefined)
        throw new TypeError(`The answer has no ${field.name}.`);
      answer[field.name] = found === null ? null : field.project(found);
    }
    return answer;
  };
};

const unionProjection = (schemas: readonly TSchema[]): Project => {
  const forms = schemas
    .filter((schema) => !Type.IsNull(schema))
    .map((schema) => ({ schema, project: projectionOf(schema) }));
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const form = forms.length === 1 ? forms[0] : forms.find(({ schema }) => hasRequired(schema, value));
    return form ? form.project(value) : value;
  };
};

const projectionOf = (schema: TSchema): Project => {
  if (Type.IsObject(schema)) return objectProjection(schema);
  if (Type.IsUnion(schema)) return unionProjection(schema.anyOf);
  if (!Type.IsArray(schema)) return (value) => value;
  const project = projectionOf(schema.items);
  return (value) => (Array.isArray(value) ? value.map(project) : value);
};

/** View of a service's value: the schema's fields in the schema's order, which is also the order of the bytes. */
export const projection = <S extends TSchema>(schema: S): ((value: Source<Static<S>>) => unknown) =>
  projectionOf(schema);
