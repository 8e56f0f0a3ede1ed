import type { TenantId } from '@landfall/kernel/core/ids';
import { count, instant, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { comparable, isAbandoned } from './abandonment.ts';

const tallies = table('search.analytics tallies', {
  startsAt: instant,
  endsAt: instant,
  queries: count,
  zeroResults: count,
  clickedQueries: count,
  answers: count,
  fallbacks: count,
  clarifications: count,
  insufficient: count,
  reformulations: count,
  rescueActions: count,
  abandonedFallbacks: count,
  helpful: count,
  notHelpful: count,
});
const points = table('search.analytics points', {
  at: instant,
  queryCount: count,
  zeroResultCount: count,
  clickCount: count,
});
const queries = table('search.analytics queries', { query: text, count });

export type Tallies = RowOf<typeof tallies>;

/** Events of the last hours as `seen`, with `bounds`. */
const observation = (tenant: TenantId, hours: number): Sql => sql`
  bounds as (select kernel.now() - make_interval(hours => ${hours}) as starts_at, kernel.now() as ends_at),
  seen as (
    select a.*, ${comparable(sql`a.query`)} as compared_query from search.analytics a, bounds
    where a.tenant = ${tenant} and a.at >= bounds.starts_at)`;

/** Counts for metrics.ts; a click belongs to its person's latest query, with the same text if the click has one. */
export const tally = (query: Query, tenant: TenantId, hours: number): Promise<Tallies> =>
  query.get(
    tallies,
    sql`/* search.analytics.tally */
    with ${observation(tenant, hours)},
    numbered as (
      select event_id, kind, subject, compared_query,
        count(*) filter (where kind = 'query') over (partition by subject order by at, kind desc, event_id) as nth,
        count(*) filter (where kind = 'query')
          over (partition by subject, compared_query order by at, kind desc, event_id) as nth_compared
      from seen where kind in ('query', 'click')),
    clicked as (
      select q.event_id from numbered q join numbered c using (subject, compared_query, nth_compared)
      where q.kind = 'query' and c.kind = 'click'
      union
      select q.event_id from numbered q join numbered c using (subject, nth)
      where q.kind = 'query' and c.kind = 'click' and c.compared_query is null)
    select starts_at, ends_at,
      (select count(*) from seen where kind = 'query') as queries,
      (select count(*) from seen where kind = 'zero_result') as zero_results,
      (select count(*) from clicked) as clicked_queries,
      (select count(*) from seen where kind = 'answer_frame') as answers,
      (select count(*) from seen where kind = 'answer_frame' and outcome = 'fallback') as fallbacks,
      (select count(*) from seen where kind = 'answer_frame' and outcome = 'clarify') as clarifications,
      (select count(*) from seen where kind = 'answer_frame' and outcome = 'insufficient') as insufficient,
      (select count(*) from seen where kind = 'reformulation') as reformulations,
      (select count(*) from seen where kind = 'rescue_action') as rescue_actions,
      (select count(*) from seen f where kind = 'answer_frame' and outcome = 'fallback'
        and ${isAbandoned(tenant)}) as abandoned_fallbacks,
      (select count(*) from search.feedback b
        where b.tenant = ${tenant} and b.signal = 'helpful' and b.at >= starts_at) as helpful,
      (select count(*) from search.feedback b
        where b.tenant = ${tenant} and b.signal = 'not_helpful' and b.at >= starts_at) as not_helpful
    from bounds`,
  );

/** Counts by hour or day of UTC, oldest first; the first and last period may be partial. */
export const listPoints = (query: Query, tenant: TenantId, hours: number, unit: 'hour' | 'day') =>
  query.list(
    points,
    sql`/* search.analytics.listPoints */
    with ${observation(tenant, hours)},
    counted as (
      select date_trunc(${unit}, at, 'UTC') as at, count(*) filter (where kind = 'query') as queries,
        count(*) filter (where kind = 'zero_result') as zero_results, count(*) filter (where kind = 'click') as clicks
      from seen group by 1)
    select p.at, coalesce(c.queries, 0) as query_count, coalesce(c.zero_results, 0) as zero_result_count,
      coalesce(c.clicks, 0) as click_count
    from bounds, generate_series(date_trunc(${unit}, starts_at, 'UTC'), ends_at, ('1 ' || ${unit})::interval) as p (at)
    left join counted c on c.at = p.at
    order by p.at`,
  );

/** Queries without results, most frequent first, in their latest spelling. */
export const listZeroResults = (query: Query, tenant: TenantId, hours: number, limit: number) =>
  query.list(
    queries,
    sql`/* search.analytics.listZeroResults */
    with ${observation(tenant, hours)}
    select (array_agg(btrim(query) order by at desc))[1] as query, count(*) as count
    from seen where kind = 'zero_result' and compared_query is not null
    group by compared_query order by count(*) desc, compared_query limit ${limit}`,
  );
