import type { FaultCode } from '@landfall/schema/codes';
import { Fault } from '../core/fault.ts';
import type { TenantId } from '../core/ids.ts';
import { boolean, type Columns, count, expected, type Row } from './columns.ts';
import type { Query, Tx } from './query.ts';
import { byName, empty, isSql, join, type Sql, sql, trusted } from './sql.ts';

/** Columns of a result: those of a table, or of a query with joins. */
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

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Values of some columns: as they are read, or an expression of SQL such as `kernel.now()`. */
type Values<C extends Columns> = { readonly [K in Exclude<keyof C, 'tenant'>]?: ColumnInput<Row<C>[K]> | Sql };
type ColumnInput<T> = T extends Buffer ? Uint8Array : T;

/** Makes a property that is no column of the table a compile error, also in a spread object. */
type Only<G, C extends Columns> = G & { readonly [K in Exclude<keyof G, keyof Values<C>>]?: never };

type NoColumns = Readonly<Record<never, never>>;

/** Bounds of a page: the id of the last row of the page before it, and the number of rows at most. */
interface PageBounds {
  readonly after: string | undefined;
  readonly limit: number;
}

/** The shape of a table, and its plain statements. `W` are columns that are written only. */
interface Table<C extends Columns, W extends Columns> extends Shape<Row<C>> {
  /** The row of a condition. `name` is the statement's, after the table's: `authority.users.findByUsername`. */
  findWhere(query: Query, name: string, condition: Sql): Promise<Row<C> | undefined>;
  /** The rows of a condition, which may go on with an order, a limit and a lock. */
  listWhere(query: Query, name: string, condition: Sql): Promise<Row<C>[]>;
  /** Rows of a page, the newest first: the column `id` is a UUIDv7. The condition may narrow them. */
  listPage(query: Query, tenant: TenantId, bounds: PageBounds, condition?: Sql): Promise<Row<C>[]>;
  existsWhere(query: Query, name: string, condition: Sql): Promise<boolean>;
  countWhere(query: Query, name: string, condition: Sql): Promise<number>;
  /** @returns the number of rows that were deleted */
  removeWhere(query: Query, name: string, condition: Sql): Promise<number>;
  /** Inserts a row and reads it back. A column that is left out has the default of the table. */
  insert<G extends Values<C & W>>(tx: Tx, tenant: TenantId, row: Only<G, C & W>): Promise<Row<C>>;
  /** Inserts a row, unless one with the same unique key exists; then returns undefined. */
  insertIfAbsent<G extends Values<C & W>>(tx: Tx, tenant: TenantId, row: Only<G, C & W>): Promise<Row<C> | undefined>;
  /** Inserts any number of rows by one statement. All have the columns of the first. @returns their number */
  insertAll<G extends Values<C & W>>(tx: Tx, tenant: TenantId, rows: readonly Only<G, C & W>[]): Promise<number>;
  /** The same, without rows that have a unique key of one that exists. */
  insertAllIfAbsent<G extends Values<C & W>>(
    tx: Tx,
    tenant: TenantId,
    rows: readonly Only<G, C & W>[],
  ): Promise<number>;
}

/** Table whose rows have a key. Every statement has the tenant as a condition, so that its index is used. */
interface KeyedTable<C extends Columns, W extends Columns, K extends keyof C> extends Table<C, W> {
  find(query: Query, tenant: TenantId, key: Row<C>[K]): Promise<Row<C> | undefined>;
  /** @throws Fault of the table where there is no such row */
  get(query: Query, tenant: TenantId, key: Row<C>[K]): Promise<Row<C>>;
  /** The row, locked for update until the transaction ends. */
  findLocked(tx: Tx, tenant: TenantId, key: Row<C>[K]): Promise<Row<C> | undefined>;
  /** Locks and returns the row. Throws the table's Fault if the row does not exist. */
  getLocked(tx: Tx, tenant: TenantId, key: Row<C>[K]): Promise<Row<C>>;
  /** Rows of some keys in no order, for loaders; rows that `live` leaves out included. */
  listByIds(query: Query, tenant: TenantId, keys: readonly Row<C>[K][]): Promise<Row<C>[]>;
  /**
   * Changes the row of a key, which exists, and reads it back. A column `version` moves by one. Members of `changes` that
   * came from a row are written as they were read, instants to the millisecond: leave out what does not change.
   */
  update<G extends Values<C & W>>(
    tx: Tx,
    tenant: TenantId,
    key: Row<C>[K],
    changes: Only<G, Omit<C & W, K | 'version'>>,
  ): Promise<Row<C>>;
  /** @returns the number of rows that were deleted: 1 or 0 */
  remove(tx: Tx, tenant: TenantId, key: Row<C>[K]): Promise<number>;
  /** The Fault of a row that does not exist, for statements of the store itself. */
  notFound(key: string): Fault;
}

type Absence =
  | { /** As in "There is no release 0190…". */ readonly noun: string; readonly code?: FaultCode }
  | { /** For a message or details of another form. */ readonly notFound: (key: string) => Fault };

type KeyedTableOptions<W extends Columns, K> = Absence & {
  /** The key within a tenant: `id` unless given. */
  readonly key?: K;
  /** Condition of the rows that find, get and the locks see: `removed_at is null`. */
  readonly live?: Sql;
  /** Columns that are inserted and not read. */
  readonly writes?: W;
};

const notFoundOf = (absence: Absence): ((key: string) => Fault) => {
  if ('notFound' in absence) return absence.notFound;
  const { noun, code = 'RES_NOT_FOUND' } = absence;
  return (key) => new Fault(code, `There is no ${noun} ${key}.`, { id: key });
};

/** The shape of rows of `name`: its columns, and the decoder of what the driver returns. */
const shapeOf = <C extends Columns>(name: string, definition: C): Shape<Row<C>> => {
  const entries = Object.entries(definition).map(([key, { decode }]) => ({ key, name: snake(key), decode }));
  /** Asserts that a value has every column, which the decoder guarantees. */
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

/** Name of the table itself: `orchestrator.attestations` of the shape `orchestrator.attestations.whole`. */
const tableNameOf = (name: string): string => name.split(/[. ]/, 2).join('.');

const sourceOf = (name: string): Sql => trusted(tableNameOf(name));

const list = (parts: readonly Sql[]): Sql => join(parts, ', ');

type WrittenRow = Readonly<Record<string, unknown>>;

/** Columns that `row` gives. Members of a spread input that are no columns are ignored: a request may have more. */
const columnsOf = (definition: Columns, row: WrittenRow) =>
  Object.entries(definition)
    .filter(([key]) => key !== 'tenant' && row[key] !== undefined)
    .map(([key, { type, encode }]) => ({ key, column: trusted(snake(key)), type, encode }));

const valuesOf = (definition: Columns, row: WrittenRow) =>
  columnsOf(definition, row).map(({ key, column, encode }) => {
    const value = row[key];
    return { column, value: isSql(value) ? value : sql`${encode(value)}` };
  });

const writesOf = <C extends Columns, W extends Columns>(
  shape: Shape<Row<C>>,
  definition: Columns,
): Pick<Table<C, W>, 'insert' | 'insertIfAbsent' | 'insertAll' | 'insertAllIfAbsent'> => {
  const { name } = shape;
  const source = sourceOf(name);
  const insertion = (tenant: TenantId, row: WrittenRow, suffix: Sql): Sql => {
    const input = valuesOf(definition, row);
    return sql`insert into ${source} (${list([trusted('tenant'), ...input.map(({ column }) => column)])})
    values (${list([sql`${tenant}`, ...input.map(({ value }) => value)])})${suffix} returning ${shape.columns}`;
  };
  const insertAll = async (statement: string, tx: Tx, tenant: TenantId, rows: readonly WrittenRow[], suffix: Sql) => {
    const [first] = rows;
    if (!first) return 0;
    // Arrays of the columns, so that the text is the same for any number of rows.
    const input = columnsOf(definition, first).map(({ key, column, type, encode }) => ({
      column,
      values: sql`${rows.map((row) => encode(row[key]))}::${trusted(type)}[]`,
    }));
    const columns = list(input.map(({ column }) => column));
    return tx.run(
      byName(
        `${name}.${statement}`,
        sql`insert into ${source} (tenant, ${columns})
    select ${tenant}, ${columns} from unnest(${list(input.map(({ values }) => values))}) as given (${columns})${suffix}`,
      ),
    );
  };
  const unlessPresent = sql` on conflict do nothing`;
  return {
    insert: (tx, tenant, row) => tx.get(shape, byName(`${name}.insert`, insertion(tenant, row, empty))),
    insertIfAbsent: (tx, tenant, row) =>
      tx.find(shape, byName(`${name}.insertIfAbsent`, insertion(tenant, row, unlessPresent))),
    insertAll: (tx, tenant, rows) => insertAll('insertAll', tx, tenant, rows, empty),
    insertAllIfAbsent: (tx, tenant, rows) => insertAll('insertAllIfAbsent', tx, tenant, rows, unlessPresent),
  };
};

const existenceShape = shapeOf('existence', { exists: boolean });
const counts = shapeOf('count', { count });

const readsOf = <C extends Columns, W extends Columns>(
  shape: Shape<Row<C>>,
): Pick<Table<C, W>, 'findWhere' | 'listWhere' | 'listPage' | 'existsWhere' | 'countWhere' | 'removeWhere'> => {
  const [tableName, source] = [tableNameOf(shape.name), sourceOf(shape.name)];
  const statement = (name: string, body: Sql): Sql => byName(`${tableName}.${name}`, body);
  const select = (name: string, condition: Sql): Sql =>
    statement(name, sql`select ${shape.columns} from ${source} where ${condition}`);
  return {
    findWhere: (query, name, condition) => query.find(shape, select(name, condition)),
    listWhere: (query, name, condition) => query.list(shape, select(name, condition)),
    listPage: (query, tenant, { after = null, limit }, condition = sql`true`) =>
      query.list(
        shape,
        select(
          'list',
          sql`tenant = ${tenant} and ${condition} and (${after}::uuid is null or id < ${after}::uuid)
      order by id desc limit ${limit}`,
        ),
      ),
    existsWhere: async (query, name, condition) => {
      const exists = sql`select exists (select from ${source} where ${condition}) as exists`;
      return (await query.get(existenceShape, statement(name, exists))).exists;
    },
    countWhere: async (query, name, condition) => {
      const total = sql`select count(*) as count from ${source} where ${condition}`;
      return (await query.get(counts, statement(name, total))).count;
    },
    removeWhere: (query, name, condition) => query.run(statement(name, sql`delete from ${source} where ${condition}`)),
  };
};

const keyedBy = <C extends Columns, K extends keyof C>(
  shape: Shape<Row<C>>,
  definition: Columns,
  key: string,
  live: Sql | undefined,
  notFound: (key: string) => Fault,
): Omit<KeyedTable<C, Columns, K>, keyof Table<C, Columns>> => {
  const { name, columns } = shape;
  const [source, keyColumn, type] = [sourceOf(name), trusted(snake(key)), trusted(shape.definition[key]?.type ?? '')];
  const isLive = live ? sql` and ${live}` : empty;
  const one = (tenant: TenantId, value: unknown): Sql =>
    sql`select ${columns} from ${source} where tenant = ${tenant} and ${keyColumn} = ${value}${isLive}`;
  const find = (query: Query, tenant: TenantId, value: unknown) =>
    query.find(shape, byName(`${name}.find`, one(tenant, value)));
  const findLocked = (tx: Tx, tenant: TenantId, value: unknown) =>
    tx.find(shape, byName(`${name}.lock`, sql`${one(tenant, value)} for update`));
  const present = async (found: Promise<Row<C> | undefined>, value: unknown): Promise<Row<C>> => {
    const row = await found;
    if (!row) throw notFound(String(value));
    return row;
  };
  return {
    find,
    findLocked,
    get: (query, tenant, value) => present(find(query, tenant, value), value),
    getLocked: (tx, tenant, value) => present(findLocked(tx, tenant, value), value),
    listByIds: (query, tenant, values) =>
      query.list(
        shape,
        byName(
          `${name}.listByIds`,
          sql`select ${columns} from ${source} where tenant = ${tenant} and ${keyColumn} = any(${values}::${type}[])`,
        ),
      ),
    update: (tx, tenant, value, changes) => {
      const { [key]: _, version: _version, ...changeable } = definition;
      const input = valuesOf(changeable, changes).map((each) => sql`${each.column} = ${each.value}`);
      const moved = definition.version ? [...input, sql`version = version + 1`] : input;
      return tx.get(
        shape,
        byName(
          `${name}.update`,
          sql`update ${source} set ${list(moved)}
    where tenant = ${tenant} and ${keyColumn} = ${value} returning ${columns}`,
        ),
      );
    },
    remove: (tx, tenant, value) =>
      tx.run(byName(`${name}.remove`, sql`delete from ${source} where tenant = ${tenant} and ${keyColumn} = ${value}`)),
    notFound,
  };
};

/**
 * A table, or the result of a query, with its columns: `camelCase` here is `snake_case` there.
 *
 *     const releases = table('orchestrator.releases', columns, {
 *       noun: 'release',
 *       code: 'RES_RELEASE_NOT_FOUND',
 *       writes: { updatedBy: text },
 *     });
 *     releases.find(query, tenant, id);                        // the row, or undefined
 *     releases.get(query, tenant, id);                         // the row, or "There is no release 0190…."
 *     releases.getLocked(tx, tenant, id);                      // the same, for update
 *     releases.listByIds(query, tenant, ids);                  // in no order, for a loader
 *     releases.insert(tx, tenant, { ...given, updatedBy });    // the row as it was stored
 *     releases.update(tx, tenant, id, { status: 'ready', updatedBy, updatedAt: sql`kernel.now()` });
 *     components.insertAll(tx, tenant, rows);                  // one statement for all rows
 *     releases.remove(tx, tenant, id);                         // how many were deleted
 *     releases.listPage(query, tenant, { after, limit });      // the newest first, for `readPage`
 *     releases.findWhere(query, 'findByName', sql`tenant = ${tenant} and name = ${name}`);
 *
 * The first two words of the name are the table: `orchestrator.attestations.whole` reads `orchestrator.attestations`.
 * Each statement is named after the shape and the method, both locks `lock`: `orchestrator.releases.lock`. A store hands
 * on what it needs no more of, `export const { find, get, listByIds } = releases;`, and writes everything else itself. Without options a table has no key, and only its inserts.
 */
export function table<const C extends Columns>(name: string, definition: C): Table<C, NoColumns>;
export function table<
  const C extends Columns,
  const W extends Columns = NoColumns,
  const K extends keyof C & string = 'id' & keyof C,
>(name: string, definition: C, options: KeyedTableOptions<W, K>): KeyedTable<C, W, K>;
export function table<C extends Columns>(name: string, definition: C, options?: KeyedTableOptions<Columns, string>) {
  const shape = shapeOf(name, definition);
  const all = { ...definition, ...options?.writes };
  const written = { ...shape, ...readsOf<C, Columns>(shape), ...writesOf<C, Columns>(shape, all) };
  if (!options) return written;
  return { ...written, ...keyedBy<C, keyof C>(shape, all, options.key ?? 'id', options.live, notFoundOf(options)) };
}
