import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Id, isTenantId, type TenantId, toId } from '../core/ids.ts';
import { jsonb } from './sql.ts';

/** Column: PostgreSQL type and conversion of values. A value that does not fit is a bug and throws. */
export interface Column<T> {
  /** PostgreSQL type of the column, verified by the PREPARE test. */
  readonly type: string;
  readonly isNullable: boolean;
  decode(value: unknown): T;
  /** The value as a parameter of a statement. */
  encode(value: unknown): unknown;
  nullable(): Column<T | null>;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** Row with camel-case names. */
export type Row<C extends Columns> = { readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never };

const asIs = (value: unknown): unknown => value;

const column = <T>(type: string, decode: (value: unknown) => T, encode = asIs): Column<T> => ({
  type,
  isNullable: false,
  decode,
  encode,
  nullable: () => ({
    ...column<T | null>(
      type,
      (value) => (value === null ? null : decode(value)),
      (value) => (value === null ? null : encode(value)),
    ),
    isNullable: true,
  }),
});

export const expected = (name: string, value: unknown): never => {
  throw new TypeError(`expected ${name} from the database, got ${value === null ? 'null' : typeof value}`);
};

export const text = column('text', (value) => (typeof value === 'string' ? value : expected('text', value)));
/** UUID column that is no entity's id, such as a token's `jti`. */
export const uuid = column('uuid', (value) => (typeof value === 'string' ? value : expected('a UUID', value)));
export const integer = column('int4', (value) => (typeof value === 'number' ? value : expected('an integer', value)));
export const double = column('float8', (value) => (typeof value === 'number' ? value : expected('a number', value)));
export const boolean = column('bool', (value) => (typeof value === 'boolean' ? value : expected('a boolean', value)));
export const instant = column('timestamptz', (value) =>
  value instanceof Date ? value : expected('an instant', value),
);
export const bytes = column('bytea', (value) => (Buffer.isBuffer(value) ? value : expected('bytes', value)));
export const bigint = column('int8', (value) =>
  typeof value === 'string' ? BigInt(value) : expected('a bigint', value),
);
/** Column of `count(*)` and other 64-bit numbers far below 2^53. */
export const count = column('int8', (value) =>
  typeof value === 'string' ? Number(value) : expected('a count', value),
);
export const textArray = column('_text', (value): readonly string[] =>
  Array.isArray(value) ? value.map((item) => text.decode(item)) : expected('a text array', value),
);
export const integerArray = column('_int4', (value): readonly number[] =>
  Array.isArray(value) ? value.map((item) => integer.decode(item)) : expected('an array of integers', value),
);
export const tenantId = column<TenantId>('text', (value) =>
  typeof value === 'string' && isTenantId(value) ? value : expected('a tenant', value),
);
export const id = <Name extends string>(name: Name): Column<Id<Name>> =>
  column('uuid', (value) => (typeof value === 'string' ? toId(value, name) : expected(`the id of a ${name}`, value)));

/** Array of ids of one kind of entity. */
export const idArray = <Name extends string>(name: Name): Column<readonly Id<Name>[]> =>
  column('_uuid', (value) =>
    Array.isArray(value) ? value.map((item) => toId(text.decode(item), name)) : expected('an array of ids', value),
  );

/** Text column of a narrower type. */
export const textOf = <T extends string>(name: string, isOf: (value: unknown) => value is T): Column<T> =>
  column('text', (value) => (isOf(value) ? value : expected(name, value)));

/** Text column whose values are a fixed set. */
export const oneOf = <const Words extends readonly string[]>(...results: Words): Column<Words[number]> =>
  textOf(results.join(' or '), (value): value is Words[number] => results.some((word) => word === value));

/** Column of type `jsonb`, checked against its schema when it is read; the first value compiles it. */
export const json = <S extends TSchema>(schema: S): Column<Static<S>> => {
  const compile = () => Compile(schema);
  let validator: ReturnType<typeof compile> | undefined;
  const fits = (value: unknown): value is Static<S> => {
    validator ??= compile();
    return validator.Check(value);
  };
  return column('jsonb', (value) => (fits(value) ? value : expected('a document of its schema', value)), jsonb);
};
