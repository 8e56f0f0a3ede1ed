import type { TenantId } from '@landfall/kernel/core/ids';
import { bigint, integer, json, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Cursor } from '@landfall/kernel/events/read';
import Type from 'typebox';
import type { StoredSubject, Subject } from './entity-index.ts';

/** Entity id with its kind as text, which may no longer exist. */
export interface SubjectName {
  readonly kind: string;
  readonly id: string;
}

const subjects = table('search.subjects', {
  entity: text,
  entityId: text,
  facts: json(Type.Record(Type.String(), Type.Unknown())),
  version: integer,
});

export const list = (query: Query, tenant: TenantId, requested: readonly Subject[]) =>
  query.list(
    subjects,
    sql`/* search.subjects.list */
    select s.entity, s.entity_id, s.facts, s.version
    from unnest(${requested.map(({ kind }) => kind)}::text[], ${requested.map(({ id }) => id)}::text[]) as t (entity, entity_id)
    join search.subjects s on s.tenant = ${tenant} and s.entity = t.entity and s.entity_id = t.entity_id
      and s.version = ${VERSION}`,
  );

/** Subjects of an environment or target, read after a rename. */
export const listAt = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  subjects.listWhere(
    query,
    'listAt',
    sql`tenant = ${tenant} and version = ${VERSION}
      and (facts ->> 'environmentId' = any(${ids}::text[]) or facts ->> 'targetId' = any(${ids}::text[]))`,
  );

/** Subjects with lines by these actors, read after a rename. */
export const listBy = (query: Query, tenant: TenantId, ids: readonly string[]) =>
  subjects.listWhere(
    query,
    'listBy',
    sql`tenant = ${tenant} and version = ${VERSION}
      and entity in ('Release', 'Promotion', 'Deployment', 'Environment', 'Agent', 'Deviation')
      and (facts ->> 'by' = any(${ids}::text[])
        or facts -> 'story' @> any(${ids.map((by) => jsonb([{ by }]))}::jsonb[])
        or facts -> 'decisions' @> any(${ids.map((by) => jsonb([{ by }]))}::jsonb[]))`,
  );

/** Findings of scans, which are deleted together with their scan. */
export const listOfScans = (query: Query, tenant: TenantId, scans: readonly string[]) =>
  subjects.listWhere(
    query,
    'listOfScans',
    sql`tenant = ${tenant} and entity = 'Finding' and facts ->> 'scanId' = any(${scans}::text[])
      and version = ${VERSION}`,
  );

const names = table('search.subjects names', { entity: text, entityId: text });

export const listNames = (query: Query, tenant: TenantId) =>
  query.list(
    names,
    sql`/* search.subjects.listNames */ select entity, entity_id from search.subjects where tenant = ${tenant}`,
  );

/** Upserts facts; unchanged rows are not touched. */
export const upsert = (tx: Tx, tenant: TenantId, subjects: readonly StoredSubject[]): Promise<number> =>
  tx.run(sql`/* search.subjects.upsert */
    insert into search.subjects as s (tenant, entity, entity_id, facts, version)
    select ${tenant}, t.entity, t.entity_id, t.facts, t.version
    from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[],
      ${subjects.map(({ facts }) => jsonb(facts))}::jsonb[], ${subjects.map(({ version }) => version)}::integer[])
      as t (entity, entity_id, facts, version)
    on conflict (tenant, entity, entity_id) do update set facts = excluded.facts, version = excluded.version
    where s.facts <> excluded.facts or s.version <> excluded.version`);

export const remove = (tx: Tx, tenant: TenantId, removed: readonly SubjectName[]): Promise<number> =>
  tx.run(sql`/* search.subjects.delete */
    delete from search.subjects s
    using unnest(${removed.map(({ kind }) => kind)}::text[], ${removed.map(({ id }) => id)}::text[]) as t (entity, entity_id)
    where s.tenant = ${tenant} and s.entity = t.entity and s.entity_id = t.entity_id`);

const cursors = table('search.projections', { xid: text, eventId: bigint });

/** Version of the facts' shape: a new one replays all events and ignores older rows. */
export const VERSION = 2;
const NAME = `platform.${VERSION}`;

export const ensureCursor = (tx: Tx): Promise<number> =>
  tx.run(sql`/* search.projections.ensure */
    insert into search.projections (name, xid, event_id) values (${NAME}, '0'::xid8, 0) on conflict (name) do nothing`);

const asCursor = (row: { readonly xid: string; readonly eventId: bigint } | undefined): Cursor | undefined =>
  row && { xid: BigInt(row.xid), id: row.eventId };

const selection = sql`select xid::text as xid, event_id from search.projections where name = ${NAME}`;

export const findCursor = async (query: Query): Promise<Cursor | undefined> =>
  asCursor(await query.find(cursors, sql`/* search.projections.find */ ${selection}`));

/** Locks the cursor unless another process has. */
export const lockIdleCursor = async (tx: Tx): Promise<Cursor | undefined> =>
  asCursor(await tx.find(cursors, sql`/* search.projections.lockIdle */ ${selection} for update skip locked`));

export const lockCursor = async (tx: Tx): Promise<Cursor | undefined> =>
  asCursor(await tx.find(cursors, sql`/* search.projections.lock */ ${selection} for update`));

export const setCursor = (tx: Tx, { xid, id }: Cursor): Promise<number> =>
  tx.run(sql`/* search.projections.update */
    update search.projections set xid = ${String(xid)}::xid8, event_id = ${String(id)}::bigint, updated_at = kernel.now()
    where name = ${NAME}`);
