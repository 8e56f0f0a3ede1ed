import { double, instant, integer, text } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { type Sql, sql, trusted } from '../db/sql.ts';
import { table } from '../db/table.ts';

/**
 * Condition that a row's transaction is below the event horizon: it and all earlier transactions of this database
 * have ended, so no row can appear behind a reader's cursor. Every outbox reader uses it. The function runs once per
 * statement, as a subquery.
 * @param column the `xid8` column with the transaction that wrote the row
 */
export const belowHorizon = (column: 'xid' | 'e.xid' | 'c.xid'): Sql =>
  sql`${trusted(column)} < (select kernel.horizon(pg_current_snapshot()))`;

const horizons = table('kernel.horizon', { xid: text });

/** Horizon at this moment, as the id of a transaction. */
export const findHorizon = async (query: Query): Promise<bigint> =>
  BigInt(
    (
      await query.get(
        horizons,
        sql`/* kernel.horizon.find */ select kernel.horizon(pg_current_snapshot())::text as xid`,
      )
    ).xid,
  );

const lags = table('kernel.horizon lag', { backlog: double, held: double });

/** Lag of readers, in seconds. */
export interface HorizonLag {
  /** Age of the oldest event or notice that is written and cannot be read yet; 0 when there is none. */
  readonly backlog: number;
  /** Age of the oldest open transaction that the horizon waits for; 0 when there is none. */
  readonly held: number;
}

const waitingSince = (source: 'kernel.events' | 'kernel.notices'): Sql => sql`
  (select at from ${trusted(source)}
    where xid >= (select kernel.horizon(pg_current_snapshot())) order by xid, id limit 1)`;

/** Reads how long the horizon has been held and what waits behind it. Runs as the system role. */
export const findHorizonLag = (query: Query): Promise<HorizonLag> =>
  query.get(
    lags,
    sql`/* kernel.horizon.findLag */
    select
      greatest(0, coalesce(extract(epoch from kernel.now()
        - least(${waitingSince('kernel.events')}, ${waitingSince('kernel.notices')})), 0))::float8 as backlog,
      greatest(0, coalesce(extract(epoch from clock_timestamp()
        - (select min(since) from kernel.horizon_holders())), 0))::float8 as held`,
  );

const holders = table('kernel.horizon holders', {
  pid: integer.nullable(),
  gid: text.nullable(),
  login: text.nullable(),
  application: text.nullable(),
  state: text.nullable(),
  since: instant.nullable(),
});

/** Transactions that the horizon waits for, the oldest first. Runs as the system role. */
export const listHolders = (query: Query) =>
  query.list(
    holders,
    sql`/* kernel.horizon.listHolders */
    select pid, gid, login, application, state, since from kernel.horizon_holders() order by since nulls last`,
  );

export type HorizonHolder = Awaited<ReturnType<typeof listHolders>>[number];
