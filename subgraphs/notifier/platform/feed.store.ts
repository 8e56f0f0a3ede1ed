import { bigint, id, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

/** Kinds of things whose names messages have. */
export const SUBJECT_KINDS = ['Product', 'Release', 'Environment', 'Target', 'Deployment'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

const facts = json(Type.Record(Type.String(), Type.String()));

const feeds = table('notify.event_feed', { xid: text, eventId: bigint, since: text });
/** Position of the feed. */
export type Feed = RowOf<typeof feeds>;

/** Position of the feed, locked; undefined while another process follows. Role `landfall_system`. */
export const lockFeed = (tx: Tx) =>
  tx.find(
    feeds,
    sql`/* notify.event_feed.lock */ 
    select xid::text as xid, event_id, since::text as since from notify.event_feed for update skip locked`,
  );

export const moveFeed = (tx: Tx, { xid, eventId }: Pick<Feed, 'xid' | 'eventId'>): Promise<number> =>
  tx.run(sql`/* notify.event_feed.move */
    update notify.event_feed set xid = ${xid}::xid8, event_id = ${String(eventId)}::bigint`);

const subjects = table('notify.subjects', {
  tenant: tenantId,
  kind: oneOf(...SUBJECT_KINDS),
  id: id('Subject'),
  facts,
});

/** Names and relations of a thing. */
export type Subject = RowOf<typeof subjects>;

type SubjectKey = Pick<Subject, 'tenant' | 'kind' | 'id'>;

export const listSubjects = (query: Query, keys: readonly SubjectKey[]): Promise<Subject[]> =>
  query.list(
    subjects,
    sql`/* notify.subjects.listByKeys */
    select ${subjects.of('s')} from unnest(${keys.map(({ tenant }) => tenant)}::text[],
      ${keys.map(({ kind }) => kind)}::text[], ${keys.map((key) => key.id)}::uuid[]) as key (tenant, kind, id)
    join notify.subjects s on s.tenant = key.tenant and s.kind = key.kind and s.id = key.id`,
  );

export const upsertSubjects = (tx: Tx, rows: readonly Subject[]): Promise<number> =>
  tx.run(sql`/* notify.subjects.upsertAll */
    insert into notify.subjects (tenant, kind, id, facts)
    select * from unnest(${rows.map(({ tenant }) => tenant)}::text[], ${rows.map(({ kind }) => kind)}::text[],
      ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => jsonb(row.facts))}::jsonb[])
    on conflict (tenant, kind, id) do update set facts = excluded.facts`);
