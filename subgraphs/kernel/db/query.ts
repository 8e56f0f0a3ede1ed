import type pg from 'pg';
import type { Session } from './session.ts';
import { compile, type Sql } from './sql.ts';
import type { Shape } from './table.ts';

/** Statements on one connection, as one tenant. */
export interface Query {
  /** Returns the row, or undefined. More than one row is a bug. */
  find<R>(shape: Shape<R>, statement: Sql): Promise<R | undefined>;
  /** Returns exactly one row. Anything else is a bug. */
  get<R>(shape: Shape<R>, statement: Sql): Promise<R>;
  list<R>(shape: Shape<R>, statement: Sql): Promise<R[]>;
  /** Runs a statement and returns the number of affected rows. */
  run(statement: Sql): Promise<number>;
}

/** Statements of one transaction. */
export interface Tx extends Query {
  readonly transaction: true;
}

const changedEntities = new WeakMap<Tx, Set<string>>();

/** Notes that a transaction has written an event or a notice of an entity. */
export const markEvent = (tx: Tx, entity: string): void => {
  changedEntities.set(tx, (changedEntities.get(tx) ?? new Set()).add(entity));
};

/** Kinds of entities of which a transaction has written events or notices. */
export const entitiesOf = (tx: Tx): ReadonlySet<string> => changedEntities.get(tx) ?? new Set();

/** Sends a statement to a connection, or to the recorder of the PREPARE test. */
export type Send = (statement: Sql, shape: Shape<unknown> | undefined) => Promise<pg.QueryResult>;

export const sendOn =
  (session: Session): Send =>
  (statement) => {
    const { name, text, values } = compile(statement);
    return session.query(name === undefined ? { text, values } : { name, text, values });
  };

export const queryOn = (send: Send): Query => {
  const list = async <R>(shape: Shape<R>, statement: Sql): Promise<R[]> =>
    (await send(statement, shape)).rows.map((row) => shape.decode(row));
  return {
    list,
    find: async (shape, statement) => {
      const rows = await list(shape, statement);
      if (rows.length > 1) throw new TypeError(`${shape.name}: expected at most one row, got ${rows.length}`);
      return rows[0];
    },
    get: async (shape, statement) => {
      const [row, ...rest] = await list(shape, statement);
      if (row === undefined || rest.length > 0) throw new TypeError(`${shape.name}: expected one row`);
      return row;
    },
    run: async (statement) => (await send(statement, undefined)).rowCount ?? 0,
  };
};
