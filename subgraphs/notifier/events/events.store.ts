import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { SEVERITIES, STATUSES } from './event.ts';

const columns = {
  tenant: tenantId,
  id: id('NotificationEvent'),
  producer: text,
  eventId: text,
  kind: text,
  at: instant,
  actor: text.nullable(),
  severity: oneOf(...SEVERITIES),
  status: oneOf(...STATUSES),
  attributes: json(Type.Record(Type.String(), Type.String())),
  payload: json(Type.Record(Type.String(), Type.Unknown())),
  correlationId: text,
  receivedAt: instant,
  routedAt: instant.nullable(),
  ruleSetVersion: integer.nullable(),
};

const events = table('notify.events', columns, { noun: 'notification event' });

/** Event that was accepted. */
export type StoredEvent = RowOf<typeof events>;

export const { get, listByIds } = events;

export type NewEvent = Omit<StoredEvent, 'receivedAt' | 'routedAt' | 'ruleSetVersion'>;

/** Accepts events of several tenants; one of the same producer and id that is known stays. @returns the number of new ones */
export const insertAll = (tx: Tx, rows: readonly NewEvent[]): Promise<number> =>
  tx.run(sql`/* notify.events.insertAll */
    insert into notify.events (tenant, id, producer, event_id, kind, at, actor, severity, status, attributes, payload,
      correlation_id)
    select * from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.producer)}::text[], ${rows.map((row) => row.eventId)}::text[],
      ${rows.map((row) => row.kind)}::text[], ${rows.map((row) => row.at)}::timestamptz[],
      ${rows.map((row) => row.actor)}::text[], ${rows.map((row) => row.severity)}::text[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => jsonb(row.attributes))}::jsonb[],
      ${rows.map((row) => jsonb(row.payload))}::jsonb[], ${rows.map((row) => row.correlationId)}::text[])
    on conflict (tenant, producer, event_id) do nothing`);

/**
 * Locks events that are not routed yet, of each tenant at most `perTenant` of its oldest, so that no backlog holds up
 * another tenant. Role `landfall_system`.
 */
export const lockUnrouted = (
  tx: Tx,
  { total, perTenant }: { readonly total: number; readonly perTenant: number },
): Promise<StoredEvent[]> =>
  tx.list(
    events,
    sql`/* notify.events.lockUnrouted */
    with recursive tenants as (
      (select tenant from notify.events where routed_at is null order by tenant limit 1)
      union all
      select next.tenant from tenants t cross join lateral (
        select e.tenant from notify.events e where e.routed_at is null and e.tenant > t.tenant order by e.tenant limit 1
      ) next
    )
    select ${events.of('e')} from tenants t cross join lateral (
      select * from notify.events where routed_at is null and tenant = t.tenant order by id limit ${perTenant}
      for update skip locked
    ) e
    order by e.id limit ${total}`,
  );

/** Notes the rules by which events were routed. */
export const setRouted = (
  tx: Tx,
  routed: readonly (Pick<StoredEvent, 'tenant' | 'id'> & { readonly ruleSetVersion: number | null })[],
): Promise<number> =>
  tx.run(sql`/* notify.events.setRouted */
    update notify.events e set routed_at = kernel.now(), rule_set_version = given.rule_set_version
    from unnest(${routed.map((each) => each.tenant)}::text[], ${routed.map((each) => each.id)}::uuid[],
      ${routed.map((each) => each.ruleSetVersion)}::integer[]) as given (tenant, id, rule_set_version)
    where e.tenant = given.tenant and e.id = given.id`);

/** Newest events of a tenant among which a value is looked for. */
const SEARCHED = 20_000;

/** Events that have a value among their attributes, of the newest ones. */
const named = (tenant: TenantId, value: string) =>
  sql`and id >= coalesce((select s.id from notify.events s where s.tenant = ${tenant} order by s.id desc
        offset ${SEARCHED} limit 1), '00000000-0000-0000-0000-000000000000'::uuid)
      and exists (select from jsonb_each_text(attributes) as attribute where attribute.value = ${value})`;

/** Events of a tenant, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  { kind, about }: { readonly kind?: string | undefined; readonly about?: string | undefined },
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<StoredEvent[]> =>
  events.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} ${kind === undefined ? empty : sql`and kind = ${kind}`}
      ${about === undefined ? empty : named(tenant, about)}
      ${after === undefined ? empty : sql`and id < ${after}`} order by id desc limit ${limit}`,
  );

const packEvents = table('notify.events.ofPack', { eventId: text });

/** Producer's id of the newest event about a pack that is not of a kind; undefined if there is none. */
export const findOfPack = async (
  query: Query,
  tenant: TenantId,
  packId: string,
  except: string,
): Promise<string | undefined> =>
  (
    await query.find(
      packEvents,
      sql`/* notify.events.findOfPack */
      select event_id from notify.events
      where tenant = ${tenant} and producer = 'pack' and coalesce(attributes->>'packId', payload->>'packId') = ${packId}
        and kind <> ${except} order by id desc limit 1`,
    )
  )?.eventId;

interface Period {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly limit: number;
  /** Kind that is left out. */
  readonly except: string;
}

/** Events of a tenant that were routed, by the time at which they were accepted, the newest first. */
export const listRouted = (
  query: Query,
  tenant: TenantId,
  { from, to, limit, except }: Period,
): Promise<StoredEvent[]> =>
  events.listWhere(
    query,
    'listRouted',
    sql`tenant = ${tenant} and received_at >= ${from} and received_at < ${to} and routed_at is not null
      and kind <> ${except} order by id desc limit ${limit}`,
  );
