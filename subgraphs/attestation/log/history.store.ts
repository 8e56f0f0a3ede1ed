import { count, instant, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const history = table('tlog.history', { origin: text, at: instant.nullable(), size: count });

/** Lists the size of every log at each past time, also of an empty log. A log without a past time has one row. */
export const listSizesAt = (query: Query, origin: string, times: readonly Date[]) =>
  query.list(
    history,
    sql`/* tlog.logs.listSizesAt */
    with logs as (
      select id, origin from tlog.logs
      union all
      select null, ${origin}::text where not exists (select from tlog.logs where origin = ${origin})
    )
    select l.origin, t.at, coalesce(c.size, 0) as size
    from logs l
    left join unnest(${times}::timestamptz[]) as t (at) on t.at < kernel.now()
    left join lateral (
      select size from tlog.checkpoints
      where log_id = l.id and signed_at <= t.at order by signed_at desc, size desc limit 1
    ) c on true
    order by l.id, t.at`,
  );
