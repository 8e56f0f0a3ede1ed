import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, jsonb, sql } from '@landfall/kernel/db/sql';
import { id, instant, integer, json, oneOf, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';
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

/** Locks events that are not routed yet, the oldest of each tenant first. Role `landfall_system`. */
export const lockUnrouted = (tx: Tx, limit: number): Promise<StoredEvent[]> =>
  events.listWhere(
    tx,
    'lockUnrouted',
    sql`routed_at is null order by tenant, id limit ${limit} for update skip locked`,
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

/** Events of a tenant, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  { kind }: { readonly kind?: string | undefined },
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<StoredEvent[]> =>
  events.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} ${kind === undefined ? empty : sql`and kind = ${kind}`}
      ${after === undefined ? empty : sql`and id < ${after}`} order by id desc limit ${limit}`,
  );
