import { type Sql, sql } from '@landfall/kernel/db/sql';

/** Minutes after an answer during which a click counts as following it. */
const FOLLOWING_MINUTES = 30;

/** SQL of a query's normalised text: `Log4j ` equals `log4j`. */
export const comparable = (column: Sql): Sql => sql`lower(btrim(${column}))`;

/**
 * Condition that fallback answer `f` is abandoned: for half an hour its person neither clicked, took a rescue action
 * nor reformulated. Sessions and queries must match where both are given; a reformulation has another query.
 */
export const isAbandoned = (tenant: string): Sql => sql`not exists (
  select from search.analytics t
  where t.tenant = ${tenant} and t.subject = f.subject and t.kind in ('click', 'rescue_action', 'reformulation')
    and t.at >= f.at and t.at <= f.at + make_interval(mins => ${FOLLOWING_MINUTES})
    and coalesce(t.session_id = f.session_id, true)
    and (t.kind = 'reformulation' or coalesce(${comparable(sql`t.query`)} = ${comparable(sql`f.query`)}, true)))`;

/** Condition that the half hour after `f` is over. */
export const isSettled: Sql = sql`f.at <= kernel.now() - make_interval(mins => ${FOLLOWING_MINUTES})`;
