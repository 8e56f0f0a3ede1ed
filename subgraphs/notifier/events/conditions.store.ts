import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { STATUSES } from './event.ts';

/** Hours without a repetition after which a condition no longer counts as one that fires. */
const STALE_HOURS = 24;

const conditions = table('notify.conditions', {
  tenant: tenantId,
  key: text,
  eventId: id('NotificationEvent'),
  status: oneOf(...STATUSES),
  changedAt: json(Type.Array(Type.String())),
  policyId: id('NotificationPolicy').nullable(),
  dueAt: instant.nullable(),
});

/** Condition of events that have a duration, with its last status and the changes before. */
export type StoredCondition = RowOf<typeof conditions>;

/**
 * Locks conditions until the transaction ends, in one order in every process. One that is new is resolved, as before its first
 * event. Role `landfall_system`.
 */
export const lockAll = (
  tx: Tx,
  rows: readonly Pick<StoredCondition, 'tenant' | 'key' | 'eventId'>[],
): Promise<StoredCondition[]> =>
  tx.list(
    conditions,
    sql`/* notify.conditions.lockAll */
    insert into notify.conditions as known (tenant, key, event_id, status)
    select tenant, key, event_id, 'resolved' from unnest(${rows.map((row) => row.tenant)}::text[],
      ${rows.map((row) => row.key)}::text[], ${rows.map((row) => row.eventId)}::uuid[]) as given (tenant, key, event_id)
    order by tenant, key
    on conflict (tenant, key) do update set updated_at = kernel.now()
    returning ${conditions.of('known')}`,
  );

/** Notes that conditions still fire, as their producer repeats them. In one order, as `lockAll` has it. */
export const touchAll = (tx: Tx, tenant: TenantId, keys: readonly string[]): Promise<number> =>
  tx.run(sql`/* notify.conditions.touchAll */
    update notify.conditions c set updated_at = kernel.now()
    from (select tenant, key from notify.conditions
      where tenant = ${tenant} and key = any(${keys}::text[]) and status = 'firing' order by tenant, key for update) known
    where c.tenant = known.tenant and c.key = known.key`);

/** A condition by its key. */
export const find = (query: Query, tenant: TenantId, key: string): Promise<StoredCondition | undefined> =>
  conditions.findWhere(query, 'find', sql`tenant = ${tenant} and key = ${key}`);

/** Writes the states of conditions that are locked. Role `landfall_system`. */
export const setAll = (tx: Tx, rows: readonly StoredCondition[]): Promise<number> =>
  tx.run(sql`/* notify.conditions.setAll */
    update notify.conditions c set event_id = given.event_id, status = given.status, changed_at = given.changed_at,
      policy_id = given.policy_id, due_at = given.due_at
    from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.key)}::text[],
      ${rows.map((row) => row.eventId)}::uuid[], ${rows.map((row) => row.status)}::text[],
      ${rows.map((row) => jsonb(row.changedAt))}::jsonb[], ${rows.map((row) => row.policyId)}::uuid[],
      ${rows.map((row) => row.dueAt)}::timestamptz[])
      as given (tenant, key, event_id, status, changed_at, policy_id, due_at)
    where c.tenant = given.tenant and c.key = given.key`);

/** Locks conditions that flapped and are quiet by now. Role `landfall_system`. */
export const lockQuiet = (tx: Tx, limit: number): Promise<StoredCondition[]> =>
  conditions.listWhere(
    tx,
    'lockQuiet',
    sql`due_at <= kernel.now() order by due_at limit ${limit} for update skip locked`,
  );

const sources = table('notify.conditions.sources', { tenant: tenantId, eventId: id('NotificationEvent') });

/** Newest events of the conditions that fire, of each tenant the last so many. */
export const listFiring = (
  query: Query,
  tenants: readonly TenantId[],
  limit: number,
): Promise<RowOf<typeof sources>[]> =>
  query.list(
    sources,
    sql`/* notify.conditions.listFiring */
    select f.tenant, f.event_id from unnest(${tenants}::text[]) as wanted (tenant)
    cross join lateral (
      select tenant, event_id from notify.conditions
      where tenant = wanted.tenant and status = 'firing'
        and updated_at > kernel.now() - make_interval(hours => ${STALE_HOURS})
      order by updated_at desc limit ${limit}
    ) f`,
  );

/** Deletes conditions that neither fire nor flap any more, and stale ones. Role `landfall_system`. @returns their number */
export const removeStale = (tx: Tx, limit: number): Promise<number> =>
  tx.run(sql`/* notify.conditions.removeStale */
    delete from notify.conditions c
    using (select tenant, key from notify.conditions
      where due_at is null and updated_at < kernel.now() - make_interval(hours => ${2 * STALE_HOURS})
      limit ${limit} for update skip locked) old
    where c.tenant = old.tenant and c.key = old.key`);
