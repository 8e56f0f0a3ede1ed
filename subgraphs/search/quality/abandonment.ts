import { type Sql, sql } from '@landfall/kernel/db/sql';

/** A click this long after an answer is about something else. */
const FOLLOWING_MINUTES = 30;

/** A query as it is compared: `Log4j ` is `log4j`. */
export const comparable = (column: Sql): Sql => sql`lower(btrim(${column}))`;

/**
 * Whether a fallback answer `f` (an answer_frame with the outcome fallback) is abandoned so far: within half an hour its
 * person clicked nothing, took no rescue action and did not put the question in other words. What follows in another
 * session or for another query, where both name one, is no following of it; a reformulation has other words by nature.
 */
export const isAbandoned = (tenant: string): Sql => sql`not exists (
  select from search.analytics t
  where t.tenant = ${tenant} and t.subject = f.subject and t.kind in ('click', 'rescue_action', 'reformulation')
    and t.at >= f.at and t.at <= f.at + make_interval(mins => ${FOLLOWING_MINUTES})
    and coalesce(t.session_id = f.session_id, true)
    and (t.kind = 'reformulation' or coalesce(${comparable(sql`t.query`)} = ${comparable(sql`f.query`)}, true)))`;

/** Whether what follows the answer `f` can no longer change whether it is abandoned. */
export const isSettled: Sql = sql`f.at <= kernel.now() - make_interval(mins => ${FOLLOWING_MINUTES})`;
