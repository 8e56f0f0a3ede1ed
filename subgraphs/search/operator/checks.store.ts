import { count, double, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const indexes = table('search state', { chunks: count, waiting: count, behind: double, failed: count });

/** Size of the search index, how many events wait to become documents and for how many seconds, and imports that failed today. */
export const searchState = (query: Query) =>
  query.get(
    indexes,
    sql`/* doctor.searchState */
    with place as (
      select coalesce(max(xid::text::numeric), 0) as xid from search.projections where name like 'platform.%'),
    waiting as (
      select count(*) as events, coalesce(max(extract(epoch from kernel.now() - e.at)), 0) as seconds
      from kernel.events e, place where e.xid > place.xid::text::xid8)
    select (select count(*) from search.chunks where removed_at is null) as chunks, waiting.events as waiting,
      greatest(waiting.seconds, 0)::float8 as behind,
      (select count(*) from search.imports where state = 'failed' and started_at > kernel.now() - interval '1 day')
        as failed
    from waiting`,
  );

const adapters = table('search.adapters on snapshots', { name: text, cause: text.nullable(), tenants: count });

/** Sources that serve a snapshot because their route does not answer. */
export const snapshotAdapters = (query: Query) =>
  query.list(
    adapters,
    sql`/* doctor.snapshotAdapters */
    select name, cause, count(*) as tenants from search.adapters
    where source = 'Snapshot' group by name, cause order by name, cause`,
  );
