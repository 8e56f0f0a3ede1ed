import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, integer, oneOf, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { LeasedDelivery } from './jobs.store.ts';

/** States of a delivery (spec 3): `sent` was accepted by the transport, `delivered` confirmed by the receiver. */
export const DELIVERY_STATES = ['pending', 'failed', 'sent', 'delivered', 'dead-lettered', 'cancelled'] as const;

/** Why a message is sent. */
export const DELIVERY_REASONS = [
  'first',
  'new_members',
  'repeat',
  'escalation',
  'resolved',
  'digest',
  'flapping',
  'test',
] as const;

export type DeliveryId = Id<'NotificationDelivery'>;

const deliveries = table(
  'notify.deliveries',
  {
    id: id('NotificationDelivery'),
    eventId: id('NotificationEvent'),
    ruleId: id('NotificationRule').nullable(),
    actionIndex: integer.nullable(),
    channelId: id('NotificationChannel'),
    templateKey: text,
    reason: oneOf(...DELIVERY_REASONS),
    state: oneOf(...DELIVERY_STATES),
    attempts: integer,
    dueAt: instant.nullable(),
    externalId: text.nullable(),
    correlationId: text,
    forcedFrom: id('NotificationDelivery').nullable(),
    groupId: id('NotificationGroup').nullable(),
    recipient: text.nullable(),
    contactMethodId: id('ContactMethod').nullable(),
    address: text.nullable(),
    createdAt: instant,
    completedAt: instant.nullable(),
  },
  { noun: 'delivery' },
);

/** Delivery without its message. */
export type Delivery = RowOf<typeof deliveries>;

export const { get, getLocked, listByIds } = deliveries;

const bounds = (after: string | undefined) => (after === undefined ? empty : sql` and id < ${after}`);

interface DeliveryFilter {
  readonly states?: readonly Delivery['state'][] | undefined;
  /** Created at this time or later. */
  readonly since?: Date | undefined;
  readonly channelId?: Delivery['channelId'] | undefined;
  readonly eventId?: Delivery['eventId'] | undefined;
}

/** Condition of the deliveries about an event: its own, and the messages of groups that told it. */
const aboutEvent = (tenant: TenantId, eventId: Delivery['eventId']) => sql`and id in (
  select id from notify.deliveries where tenant = ${tenant} and event_id = ${eventId}
  union all
  select delivery_id from notify.group_events
  where tenant = ${tenant} and event_id = ${eventId} and delivery_id is not null)`;

/** Deliveries of a tenant, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  { states, since, channelId, eventId }: DeliveryFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Delivery[]> =>
  deliveries.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
      ${states === undefined ? empty : sql`and state = any(${states}::text[])`}
      ${since === undefined ? empty : sql`and created_at >= ${since}`}
      ${channelId === undefined ? empty : sql`and channel_id = ${channelId}`}
      ${eventId === undefined ? empty : aboutEvent(tenant, eventId)}${bounds(after)}
      order by id desc limit ${limit}`,
  );

const stateCounts = table('notify.deliveries.counts', { state: oneOf(...DELIVERY_STATES), count });

/** Deliveries by state, of all or those created since a time. */
export const countByState = (query: Query, tenant: TenantId, since: Date | undefined) =>
  query.list(
    stateCounts,
    sql`/* notify.deliveries.countByState */
    select state, count(*) as count from notify.deliveries
    where tenant = ${tenant} ${since === undefined ? empty : sql`and created_at >= ${since}`}
    group by state order by state`,
  );

/** Person with the address at which a delivery tells them. */
export interface Addressed {
  readonly recipient: string;
  readonly contactMethodId: NonNullable<Delivery['contactMethodId']>;
  readonly address: string;
  /** Kind of events that the message lets the person unsubscribe from; null for a critical one. */
  readonly unsubscribeKind: string | null;
}

/** Delivery as it is routed. */
export interface NewDelivery
  extends Pick<Delivery, 'id' | 'eventId' | 'ruleId' | 'channelId' | 'templateKey' | 'reason' | 'correlationId'> {
  readonly tenant: TenantId;
  readonly actionIndex: number | null;
  readonly subject: string | null;
  readonly body: string;
  /** Plain-text part of an HTML mail. */
  readonly text: string | null;
  readonly contentType: string;
  /** Condition that it opens or ends at a receiver that keeps its state; null for a message of a group and for others. */
  readonly conditionKey: string | null;
  readonly forcedFrom?: DeliveryId | null;
  /** Group whose message it is. */
  readonly groupId?: Delivery['groupId'];
  /** Person who is told, at an address of a contact method of theirs. */
  readonly person?: Addressed | null;
}

/** Receiver of a delivery: the webhook of a person, otherwise the channel. */
const LANE = sql`coalesce((select m.id from notify.contact_methods m
      where m.tenant = d.tenant and m.id = d.contact_method_id and m.kind = 'webhook'), d.channel_id)`;

const inserted = table('notify.deliveries.inserted', { id: uuid });

/** Inserts deliveries of several tenants; one that exists already stays as it is. @returns ids of the inserted ones */
export const insertAll = async (tx: Tx, rows: readonly NewDelivery[]): Promise<ReadonlySet<string>> => {
  const created = await tx.list(
    inserted,
    sql`/* notify.deliveries.insertAll */
    with created as (
    insert into notify.deliveries (tenant, id, event_id, rule_id, action_index, channel_id, template_key, reason,
      state, due_at, subject, body, text_part, content_type, correlation_id, forced_from, group_id, condition_key, recipient,
      contact_method_id, address, unsubscribe_kind)
    select tenant, id, event_id, rule_id, action_index, channel_id, template_key, reason, 'pending', kernel.now(),
      subject, body, text_part, content_type, correlation_id, forced_from, group_id, condition_key, recipient,
      contact_method_id, address, unsubscribe_kind
    from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.eventId)}::uuid[], ${rows.map((row) => row.ruleId)}::uuid[],
      ${rows.map((row) => row.actionIndex)}::integer[],
      ${rows.map((row) => row.channelId)}::uuid[], ${rows.map((row) => row.templateKey)}::text[],
      ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.body)}::text[],
      ${rows.map((row) => row.text)}::text[],
      ${rows.map((row) => row.contentType)}::text[], ${rows.map((row) => row.correlationId)}::text[],
      ${rows.map((row) => row.forcedFrom ?? null)}::uuid[], ${rows.map((row) => row.groupId ?? null)}::uuid[],
      ${rows.map((row) => row.conditionKey)}::text[],
      ${rows.map(({ person }) => person?.recipient ?? null)}::text[],
      ${rows.map(({ person }) => person?.contactMethodId ?? null)}::uuid[],
      ${rows.map(({ person }) => person?.address ?? null)}::text[],
      ${rows.map(({ person }) => person?.unsubscribeKind ?? null)}::text[])
      as given (tenant, id, event_id, rule_id, action_index, channel_id, template_key, reason, subject, body, text_part,
        content_type, correlation_id, forced_from, group_id, condition_key, recipient, contact_method_id, address,
        unsubscribe_kind)
    on conflict (tenant, event_id, rule_id, action_index, contact_method_id, forced_from) where group_id is null do nothing
    returning tenant, id, channel_id, contact_method_id, due_at
    ),
    queued as (
      insert into notify.delivery_jobs (tenant, delivery_id, channel_id, lane, due_at)
      select d.tenant, d.id, d.channel_id, ${LANE}, d.due_at from created d
    )
    select id from created`,
  );
  return new Set(created.map((row) => row.id));
};

/** Makes a delivery due again, with all its attempts before it. */
export const requeue = (tx: Tx, tenant: TenantId, deliveryId: DeliveryId): Promise<Delivery> =>
  tx.get(
    deliveries,
    sql`/* notify.deliveries.requeue */
    with queued as (
      insert into notify.delivery_jobs (tenant, delivery_id, channel_id, lane, due_at)
      select d.tenant, d.id, d.channel_id, ${LANE}, kernel.now() from notify.deliveries d
      where d.tenant = ${tenant} and d.id = ${deliveryId}
      on conflict (tenant, delivery_id) do update set due_at = excluded.due_at
    )
    update notify.deliveries set state = 'pending', due_at = kernel.now(), completed_at = null,
      earlier_attempts = attempts
    where tenant = ${tenant} and id = ${deliveryId} returning ${deliveries.columns}`,
  );

/** Attempt with its result, as it is stored. */
export interface SettledAttempt extends Pick<LeasedDelivery, 'tenant' | 'id' | 'lease' | 'channelId' | 'attempts'> {
  readonly state: Delivery['state'];
  /** Pause until the next attempt; null where there is none. */
  readonly pauseMs: number | null;
  readonly externalId: string | null;
  readonly startedAt: Date;
  readonly latencyMs: number;
  readonly outcome: 'delivered' | 'sent' | 'retry' | 'failed';
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  /** Class of the failure that ends the delivery; null where it did not fail for good. */
  readonly cause: string | null;
}

const settledRows = table('notify.deliveries.settled', { id: uuid });

/**
 * Ends attempts, each only while its lease is this process's, with their rows and the dead letters of those that failed
 * for good, in one statement.
 * @returns ids of the deliveries that were settled
 */
export const settleAll = async (
  tx: Tx,
  settled: readonly SettledAttempt[],
  deadLetterIds: readonly (string | null)[],
): Promise<ReadonlySet<string>> => {
  const rows = await tx.list(
    settledRows,
    sql`/* notify.deliveries.settleAll */
    with given as (
      select * from unnest(${settled.map((each) => each.tenant)}::text[], ${settled.map((each) => each.id)}::uuid[],
        ${settled.map((each) => each.lease)}::integer[], ${settled.map((each) => each.attempts)}::integer[],
        ${settled.map((each) => each.state)}::text[],
        ${settled.map((each) => each.pauseMs)}::float8[], ${settled.map((each) => each.externalId)}::text[],
        ${settled.map((each) => each.startedAt)}::timestamptz[], ${settled.map((each) => each.latencyMs)}::integer[],
        ${settled.map((each) => each.outcome)}::text[], ${settled.map((each) => each.httpStatus)}::integer[],
        ${settled.map((each) => each.error)}::text[], ${settled.map((each) => each.excerpt)}::text[],
        ${settled.map((each) => each.cause)}::text[], ${deadLetterIds}::uuid[])
        as given (tenant, id, lease, attempts, state, pause_ms, external_id, started_at, latency_ms, outcome, http_status, error,
          excerpt, cause, dead_letter_id)
    ),
    ended as (
      delete from notify.delivery_jobs j using given
      where j.tenant = given.tenant and j.delivery_id = given.id and j.lease = given.lease and given.pause_ms is null
      returning j.tenant, j.delivery_id as id
    ),
    repeated as (
      update notify.delivery_jobs j set leased_until = null, due_at = kernel.now() + make_interval(secs => given.pause_ms / 1000)
      from given
      where j.tenant = given.tenant and j.delivery_id = given.id and j.lease = given.lease and given.pause_ms is not null
      returning j.tenant, j.delivery_id as id
    ),
    moved as (
      update notify.deliveries d set state = given.state, attempts = given.attempts,
        due_at = kernel.now() + make_interval(secs => given.pause_ms / 1000),
        external_id = coalesce(given.external_id, d.external_id),
        completed_at = case when given.pause_ms is null then kernel.now() end
      from (select * from ended union all select * from repeated) own join given using (tenant, id)
      where d.tenant = own.tenant and d.id = own.id
      returning d.tenant, d.id, d.channel_id, d.due_at
    ),
    attempted as (
      insert into notify.attempts (tenant, delivery_id, number, started_at, latency_ms, outcome, http_status, error, excerpt,
        retry_at)
      select tenant, id, given.attempts, given.started_at, given.latency_ms, given.outcome, given.http_status, given.error,
        given.excerpt, moved.due_at
      from moved join given using (tenant, id)
    ),
    buried as (
      insert into notify.dead_letters (tenant, id, delivery_id, channel_id, cause, error, attempts, first_failed_at)
      select tenant, given.dead_letter_id, id, moved.channel_id, given.cause, coalesce(given.error, ''), given.attempts,
        coalesce((select min(a.started_at) from notify.attempts a where a.tenant = moved.tenant and a.delivery_id = moved.id),
          given.started_at)
      from moved join given using (tenant, id)
      where given.dead_letter_id is not null
    )
    select id from moved`,
  );
  return new Set(rows.map((row) => row.id));
};

/** Makes deliveries due again whose dead letters are retried. @returns their number */
export const requeueAll = (tx: Tx, tenant: TenantId, deliveryIds: readonly DeliveryId[]): Promise<number> =>
  tx.run(sql`/* notify.deliveries.requeueAll */
    with queued as (
      update notify.deliveries set state = 'pending', due_at = kernel.now(), completed_at = null, earlier_attempts = attempts
      where tenant = ${tenant} and id = any(${deliveryIds}::uuid[]) and state = 'dead-lettered'
      returning tenant, id, channel_id, contact_method_id, due_at
    )
    insert into notify.delivery_jobs (tenant, delivery_id, channel_id, lane, due_at)
    select d.tenant, d.id, d.channel_id, ${LANE}, d.due_at from queued d`);

/** Ends a delivery that another one took the place of. */
export const cancel = (tx: Tx, tenant: TenantId, deliveryId: DeliveryId): Promise<number> =>
  tx.run(sql`/* notify.deliveries.cancel */
    with ended as (
      delete from notify.delivery_jobs where tenant = ${tenant} and delivery_id = ${deliveryId}
    )
    update notify.deliveries set state = 'cancelled', due_at = null, completed_at = kernel.now()
    where tenant = ${tenant} and id = ${deliveryId}`);
