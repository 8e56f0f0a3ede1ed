import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, integer, tenantId, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { DeliveryId } from './deliveries.store.ts';

const leases = table('notify.delivery_jobs.leased', {
  tenant: tenantId,
  id: id('NotificationDelivery'),
  /** Number of the lease. */
  lease: integer,
  channelId: id('NotificationChannel'),
  /** Receiver that the job is for: a person's webhook, otherwise the channel. */
  lane: uuid,
  /** Attempts with this one. */
  attempts: integer,
  earlierAttempts: integer,
  createdAt: instant,
  subject: text.nullable(),
  body: text,
  textPart: text.nullable(),
  contentType: text,
  correlationId: text,
  isTest: boolean,
  /** Receiver's id of the message of its group before it on the channel; null where there is none. */
  updates: text.nullable(),
  /** Whether that message is still to be sent, or landed less than a second ago. */
  isEarly: boolean,
  /** Whether a later event changed the condition that the message is about, so that it says what no longer holds. */
  isSuperseded: boolean,
  address: text.nullable(),
  contactMethodId: id('ContactMethod').nullable(),
  /** Whether the person removed the address since, or it takes no messages any more. */
  isAddressGone: boolean,
  unsubscribeKind: text.nullable(),
});

/** Delivery that this process may attempt until its lease ends. */
export type LeasedDelivery = RowOf<typeof leases>;

/** Earlier messages about a condition among which one under way is looked for. */
const LOOKED_AT = 20;

interface LeaseLimits {
  readonly total: number;
  readonly perTenant: number;
  readonly perChannel: number;
  /** Share of a person's receiver in its channel. */
  readonly perLane: number;
  readonly leaseSeconds: number;
  /** Deliveries that this process sends now, by tenant, by channel and by lane. */
  readonly busyTenants: ReadonlyMap<TenantId, number>;
  readonly busyChannels: ReadonlyMap<string, number>;
  readonly busyLanes: ReadonlyMap<string, number>;
}

/**
 * Leases what is due, of each channel and tenant at most its share, so that no backlog holds up another: channels with
 * something due are found by steps through the index. Role `landfall_system`.
 */
export const lease = (tx: Tx, limits: LeaseLimits): Promise<LeasedDelivery[]> => {
  const { total, perTenant, perChannel, perLane, leaseSeconds, busyTenants, busyChannels, busyLanes } = limits;
  return tx.list(
    leases,
    sql`/* notify.delivery_jobs.lease */
    with recursive lanes as (
      (select tenant, channel_id, lane from notify.delivery_jobs order by tenant, channel_id, lane limit 1)
      union all
      select next.tenant, next.channel_id, next.lane from lanes l cross join lateral (
        select j.tenant, j.channel_id, j.lane from notify.delivery_jobs j
        where (j.tenant, j.channel_id, j.lane) > (l.tenant, l.channel_id, l.lane)
        order by j.tenant, j.channel_id, j.lane limit 1
      ) next
    ),
    busy_tenants as (
      select * from unnest(${[...busyTenants.keys()]}::text[], ${[...busyTenants.values()]}::integer[]) as busy (tenant, sending)
    ),
    busy_channels as (
      select * from unnest(${[...busyChannels.keys()]}::uuid[], ${[...busyChannels.values()]}::integer[]) as busy (channel_id, sending)
    ),
    busy_lanes as (
      select * from unnest(${[...busyLanes.keys()]}::uuid[], ${[...busyLanes.values()]}::integer[]) as busy (lane, sending)
    ),
    waiting as (
      select j.tenant, l.channel_id, j.delivery_id, j.due_at,
        row_number() over (partition by j.tenant, l.channel_id order by j.due_at, j.delivery_id) as place
      from lanes l
      left join busy_lanes busy on busy.lane = l.lane
      cross join lateral (
        select tenant, delivery_id, due_at from notify.delivery_jobs
        where tenant = l.tenant and channel_id = l.channel_id and lane = l.lane and due_at <= kernel.now()
          and (leased_until is null or leased_until <= kernel.now())
        order by due_at, delivery_id
        limit greatest(0, case when l.lane = l.channel_id then ${perChannel}::integer else ${perLane}::integer end
          - coalesce(busy.sending, 0))
        for update skip locked
      ) j
    ),
    candidates as (
      select w.tenant, w.delivery_id, w.due_at,
        row_number() over (partition by w.tenant order by w.due_at, w.delivery_id) as place
      from waiting w
      left join busy_channels busy on busy.channel_id = w.channel_id
      where w.place <= ${perChannel}::integer - coalesce(busy.sending, 0)
    ),
    due as (
      select c.tenant, c.delivery_id from candidates c
      left join busy_tenants busy on busy.tenant = c.tenant
      where c.place <= ${perTenant}::integer - coalesce(busy.sending, 0)
      order by c.due_at limit ${total}
    ),
    leased as (
      update notify.delivery_jobs j set lease = j.lease + 1, leased_until = kernel.now() + make_interval(secs => ${leaseSeconds})
      from due where j.tenant = due.tenant and j.delivery_id = due.delivery_id
      returning j.tenant, j.delivery_id, j.lease, j.lane
    )
    select d.tenant, d.id, leased.lease, d.channel_id, leased.lane, d.attempts + 1 as attempts, d.earlier_attempts, d.created_at, d.subject,
      d.body, d.text_part, d.content_type, d.correlation_id, d.reason = 'test' as is_test, d.address, d.contact_method_id, d.unsubscribe_kind,
      m.removed_at is not null or m.suppressed_reason is not null as is_address_gone,
      before.external_id as updates,
      coalesce(before.is_early, d.condition_key is not null and exists (
        select from (
          select e.id, e.due_at from notify.deliveries e
          where e.tenant = d.tenant and e.channel_id = d.channel_id and e.condition_key = d.condition_key
            and e.event_id < d.event_id order by e.event_id desc limit ${LOOKED_AT}
        ) e join notify.delivery_jobs j on j.tenant = d.tenant and j.delivery_id = e.id
        where e.due_at is not null and j.leased_until > kernel.now())) as is_early,
      d.condition_key is not null and exists (
        select from notify.deliveries e
        where e.tenant = d.tenant and e.channel_id = d.channel_id and e.condition_key = d.condition_key
          and e.event_id > d.event_id and e.state not in ('cancelled', 'dead-lettered')
          and (e.reason = 'resolved') <> (d.reason = 'resolved')) as is_superseded
    from leased join notify.deliveries d on d.tenant = leased.tenant and d.id = leased.delivery_id
    left join notify.contact_methods m on m.tenant = d.tenant and m.id = d.contact_method_id
    left join lateral (
      select (array_agg(e.external_id order by e.id desc) filter (where e.external_id is not null))[1] as external_id,
        bool_or(e.due_at is not null or e.completed_at > kernel.now() - interval '1 second') as is_early
      from notify.deliveries e
      where e.tenant = d.tenant and e.group_id = d.group_id and e.channel_id = d.channel_id and e.id < d.id
    ) before on d.group_id is not null and d.reason <> 'digest'`,
  );
};

/** Lease that is given back, with the pause until it is due again. */
interface Deferred {
  readonly delivery: Pick<LeasedDelivery, 'tenant' | 'id' | 'lease'>;
  readonly pauseMs: number;
}

/** Gives leases back without an attempt. */
export const deferAll = (tx: Tx, deferred: readonly Deferred[]): Promise<number> => {
  const leased = deferred.map(({ delivery }) => delivery);
  return tx.run(sql`/* notify.delivery_jobs.deferAll */
    with deferred as (
      update notify.delivery_jobs j set leased_until = null, due_at = kernel.now() + make_interval(secs => given.pause_ms / 1000)
      from unnest(${leased.map((each) => each.tenant)}::text[], ${leased.map((each) => each.id)}::uuid[],
        ${leased.map((each) => each.lease)}::integer[], ${deferred.map(({ pauseMs }) => pauseMs)}::float8[])
        as given (tenant, id, lease, pause_ms)
      where j.tenant = given.tenant and j.delivery_id = given.id and j.lease = given.lease
      returning j.tenant, j.delivery_id, j.due_at
    )
    update notify.deliveries d set due_at = deferred.due_at from deferred
    where d.tenant = deferred.tenant and d.id = deferred.delivery_id`);
};

/** Ends leased deliveries that a later event superseded, each with its suppression, in one statement. Role `landfall_system`. */
export const supersedeAll = (
  tx: Tx,
  leased: readonly Pick<LeasedDelivery, 'tenant' | 'id' | 'lease'>[],
  { ids, reason }: { readonly ids: readonly string[]; readonly reason: string },
): Promise<number> =>
  tx.run(sql`/* notify.delivery_jobs.supersedeAll */
    with ended as (
      delete from notify.delivery_jobs j
      using unnest(${leased.map((each) => each.tenant)}::text[], ${leased.map((each) => each.id)}::uuid[],
        ${leased.map((each) => each.lease)}::integer[], ${ids}::uuid[]) as given (tenant, id, lease, suppression_id)
      where j.tenant = given.tenant and j.delivery_id = given.id and j.lease = given.lease
      returning j.tenant, j.delivery_id as id, given.suppression_id
    ),
    moved as (
      update notify.deliveries d set state = 'cancelled', due_at = null, completed_at = kernel.now() from ended
      where d.tenant = ended.tenant and d.id = ended.id
      returning d.tenant, ended.suppression_id, d.event_id, d.rule_id, d.channel_id, d.recipient
    )
    insert into notify.suppressions (tenant, id, event_id, rule_id, channel_id, policy, reason, recipient)
    select tenant, suppression_id, event_id, rule_id, channel_id, 'superseded', ${reason}, recipient from moved`);

const leaseEnds = table('notify.delivery_jobs.leaseEnd', { leasedUntil: instant.nullable() });

/** Locks the job of a delivery, if there is one. Before the delivery itself, as settling does. @returns whether a process attempts it now */
export const lockJob = async (tx: Tx, tenant: TenantId, deliveryId: DeliveryId, now: Date): Promise<boolean> => {
  const job = await tx.find(
    leaseEnds,
    sql`/* notify.delivery_jobs.lock */
    select leased_until from notify.delivery_jobs where tenant = ${tenant} and delivery_id = ${deliveryId} for update`,
  );
  return (job?.leasedUntil ?? now) > now;
};

const depths = table('notify.delivery_jobs.depths', { tenant: tenantId, channelId: id('NotificationChannel'), count });

/** Deliveries that are not over, by channel. Role `landfall_system`. */
export const countByChannel = (query: Query) =>
  query.list(
    depths,
    sql`/* notify.delivery_jobs.countByChannel */
    select tenant, channel_id, count(*) as count from notify.delivery_jobs group by tenant, channel_id`,
  );
