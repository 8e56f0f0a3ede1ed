import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Id, isTenantId, type TenantId, toId } from '../ids.ts';
import { type Sql, trusted } from './sql.ts';

/** One column: how the driver's value becomes ours. A value that does not fit is a bug and throws. */
export interface Column<T> {
  /** The PostgreSQL type it must have: the PREPARE test compares it. */
  readonly type: string;
  readonly isNullable: boolean;
  decode(value: unknown): T;
  nullable(): Column<T | null>;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row with our names. */
export type Row<C extends Columns> = { readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never };

/** The shape of a result: a table's, or that of a query which joins. */
export interface Shape<R> {
  readonly name: string;
  /** The column list, in one place. */
  readonly columns: Sql;
  /** The column list behind an alias: `r.id, r.name`. */
  of(alias: string): Sql;
  readonly definition: Columns;
  decode(row: Readonly<Record<string, unknown>>): R;
}

export type RowOf<S> = S extends Shape<infer R> ? R : never;

const column = <T>(type: string, decode: (value: unknown) => T): Column<T> => ({
  type,
  isNullable: false,
  decode,
  nullable: () => ({
    ...column<T | null>(type, (value) => (value === null ? null : decode(value))),
    isNullable: true,
  }),
});

const expected = (what: string, value: unknown): never => {
  throw new TypeError(`expected ${what} from the database, got ${value === null ? 'null' : typeof value}`);
};

export const text = column('text', (value) => (typeof value === 'string' ? value : expected('text', value)));
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
/** `count(*)` and other 64-bit numbers that stay far below 2^53. */
export const count = column('int8', (value) =>
  typeof value === 'string' ? Number(value) : expected('a count', value),
);
export const textArray = column('_text', (value): readonly string[] =>
  Array.isArray(value) ? value.map((item) => text.decode(item)) : expected('a text array', value),
);
export const tenantId = column<TenantId>('text', (value) =>
  typeof value === 'string' && isTenantId(value) ? value : expected('a tenant', value),
);
export const id = <Name extends string>(name: Name): Column<Id<Name>> =>
  column('uuid', (value) => (typeof value === 'string' ? toId(value, name) : expected(`the id of a ${name}`, value)));

/** A text column with a fixed set of words. */
export const oneOf = <const Words extends readonly string[]>(...words: Words): Column<Words[number]> => {
  const isWord = (value: unknown): value is Words[number] => words.some((word) => word === value);
  return column('text', (value) => (isWord(value) ? value : expected(words.join(' or '), value)));
};

/** A `jsonb` column, checked against its schema as it comes out. */
export const json = <S extends TSchema>(schema: S): Column<Static<S>> => {
  const validator = Compile(schema);
  const fits = (value: unknown): value is Static<S> => validator.Check(value);
  return column('jsonb', (value) => (fits(value) ? value : expected('a document of its schema', value)));
};

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names a result and its columns. `camelCase` here is `snake_case` there. */
export const table = <const C extends Columns>(name: string, definition: C): Shape<Row<C>> => {
  const entries = Object.entries(definition).map(([key, { decode }]) => ({ key, name: snake(key), decode }));
  /** It has been given every column. */
  const isRow = (_value: object): _value is Row<C> => true;
  return {
    name,
    definition,
    columns: trusted(entries.map((entry) => entry.name).join(', ')),
    of: (alias) => trusted(entries.map((entry) => `${alias}.${entry.name}`).join(', ')),
    decode: (row) => {
      const decoded: Record<string, unknown> = {};
      for (const { key, name: column, decode } of entries) decoded[key] = decode(row[column]);
      return isRow(decoded) ? decoded : expected(`a row of ${name}`, row);
    },
  };
};
