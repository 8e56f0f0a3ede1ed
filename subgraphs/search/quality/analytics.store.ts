import type { TenantId } from '@landfall/kernel/core/ids';
import { count, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type AnalyticsEvent, textOrNull } from './analytics-events.ts';

/** Event to insert. Its time is the database's, less its age. */
export interface NewEvent extends AnalyticsEvent {
  readonly eventId: string;
  readonly subject: string;
  /** Milliseconds since it happened. */
  readonly ageMs: number;
}

/** The mode of a query that a client answered without asking. */
const FALLBACK = 'legacy-fallback';

const answered = table('search.analytics answered', { kind: text, subject: text, query: text });
const clicks = table('search.analytics clicks', { entityKey: text, clicks: count });

const rowsOf = (events: readonly NewEvent[]) =>
  jsonb(
    events.map((event, index) => ({
      event_id: event.eventId,
      age_ms: event.ageMs,
      place: index,
      kind: event.kind,
      subject: event.subject,
      session_id: textOrNull(event.sessionId),
      query: textOrNull(event.query),
      entity_key: textOrNull(event.entityKey),
      position: event.position ?? null,
      result_count: event.resultCount ?? null,
      outcome: event.outcome ?? null,
      mode: textOrNull(event.mode),
      domain: event.domain ?? null,
      duration_ms: event.durationMs ?? null,
    })),
  );

/** Writes events one microsecond apart, so that sorting by time keeps their order. */
export const insert = (query: Query, tenant: TenantId, events: readonly NewEvent[]): Promise<number> =>
  query.run(sql`/* search.analytics.insert */
    insert into search.analytics (tenant, event_id, at, kind, subject, session_id, query, entity_key, position,
      result_count, outcome, mode, domain, duration_ms)
    select ${tenant}, event_id, kernel.now() - make_interval(secs => age_ms / 1000 - place / 1e6), kind, subject,
      session_id, query, entity_key, position, result_count, outcome, mode, domain, duration_ms
    from jsonb_to_recordset(${rowsOf(events)}::jsonb) as given (event_id uuid, age_ms double precision, place double precision, kind text, subject text,
      session_id text, query text, entity_key text, position integer, result_count integer, outcome text, mode text,
      domain text, duration_ms double precision)`);

/** Window for deduplicating a client's report of a query. */
const SAME_QUERY_HOURS = 1;

/** Writes client events except queries that the platform has recorded; `legacy-fallback` ones are always written. */
export const insertReported = async (query: Query, tenant: TenantId, events: readonly NewEvent[]): Promise<void> => {
  const isOwn = ({ kind, mode }: NewEvent): boolean =>
    (kind === 'query' || kind === 'zero_result') && textOrNull(mode) !== FALLBACK;
  const subjects = [...new Set(events.filter(isOwn).map(({ subject }) => subject))];
  const noted =
    subjects.length === 0
      ? []
      : await query.list(
          answered,
          sql`/* search.analytics.listAnswered */
          select distinct kind, subject, coalesce(query, '') as query from search.analytics
          where tenant = ${tenant} and subject = any(${subjects}::text[]) and kind in ('query', 'zero_result')
            and mode in ('hybrid', 'fts-only') and query is not null
            and at > kernel.now() - make_interval(hours => ${SAME_QUERY_HOURS})`,
        );
  const keys = new Set(noted.map(({ kind, subject, query: text }) => `${kind}\0${subject}\0${text}`));
  const fresh = events.filter(
    (event) => !isOwn(event) || !keys.has(`${event.kind}\0${event.subject}\0${textOrNull(event.query)}`),
  );
  if (fresh.length > 0) await insert(query, tenant, fresh);
};

export const countClicks = (query: Query, tenant: TenantId, entityKeys: readonly string[], days: number) =>
  query.list(
    clicks,
    sql`/* search.analytics.countClicks */
    select coalesce(entity_key, '') as entity_key, count(*) as clicks from search.analytics
    where tenant = ${tenant} and kind = 'click' and entity_key = any(${entityKeys}::text[])
      and at > kernel.now() - make_interval(days => ${days})
    group by entity_key`,
  );

/** Deletes at most `limit` events that are older than so many days. Role `landfall_system`. */
export const prune = (query: Query, days: number, limit: number): Promise<number> =>
  answered.removeWhere(
    query,
    'prune',
    sql`ctid = any(array(
      select ctid from search.analytics where at < kernel.now() - make_interval(days => ${days}) limit ${limit}))`,
  );
