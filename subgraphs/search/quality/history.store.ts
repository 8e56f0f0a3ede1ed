import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const history = table('search.history', {
  historyId: id('SearchHistoryEntry'),
  query: text,
  resultCount: integer,
  at: instant,
});

export type HistoryEntry = RowOf<typeof history>;

export interface NewEntry {
  readonly historyId: string;
  readonly subject: string;
  readonly query: string;
  readonly resultCount: number;
  readonly ageMs: number;
}

export const list = (query: Query, tenant: TenantId, subject: string, limit: number): Promise<HistoryEntry[]> =>
  history.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and subject = ${subject}
    order by at desc, history_id limit ${limit}`,
  );

/**
 * Upserts queries of the search history, except those from before a clearing of the history, in any process.
 * @param entries distinct by person and query
 */
export const upsert = (query: Query, tenant: TenantId, entries: readonly NewEntry[]): Promise<number> =>
  query.run(sql`/* search.history.upsert */
    insert into search.history as h (tenant, subject, history_id, query, result_count, at)
    select ${tenant}, subject, history_id, query, result_count, kernel.now() - make_interval(secs => age_ms / 1000)
    from jsonb_to_recordset(${jsonb(
      entries.map((entry) => ({
        subject: entry.subject,
        history_id: entry.historyId,
        query: entry.query,
        result_count: entry.resultCount,
        age_ms: entry.ageMs,
      })),
    )}::jsonb) as given (subject text, history_id uuid, query text, result_count integer, age_ms double precision)
    where not exists (
      select from kernel.events e
      where e.tenant = ${tenant} and e.entity = 'SearchHistory' and e.entity_id = given.subject
        and e.type = 'searchHistory.clear' and e.at > kernel.now() - make_interval(secs => given.age_ms / 1000))
    on conflict (tenant, subject, md5(query)) do update set result_count = excluded.result_count, at = excluded.at
    where excluded.at >= h.at`);

/** Deletes queries from a person's search history: one, or all. @returns number of deleted entries */
export const remove = (tx: Tx, tenant: TenantId, subject: string, historyId: string | undefined): Promise<number> =>
  history.removeWhere(
    tx,
    'remove',
    sql`tenant = ${tenant} and subject = ${subject}
      ${historyId === undefined ? empty : sql`and history_id = ${historyId}`}`,
  );

/** Deletes searches older than `days` days, and those beyond a person's newest `limit`. Role `landfall_system`. */
export const prune = (query: Query, days: number, limit: number): Promise<number> =>
  query.run(sql`/* search.history.prune */
    delete from search.history h
    using (
      select tenant, history_id, at, row_number() over (partition by tenant, subject order by at desc, history_id) as nth
      from search.history) as ranked
    where h.tenant = ranked.tenant and h.history_id = ranked.history_id
      and (ranked.nth > ${limit} or ranked.at < kernel.now() - make_interval(days => ${days}))`);
