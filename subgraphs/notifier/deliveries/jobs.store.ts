import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, count, id, instant, integer, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';
import type { DeliveryId } from './deliveries.store.ts';

const leases = table('notify.delivery_jobs.leased', {
  tenant: tenantId,
  id: id('NotificationDelivery'),
  /** Number of the lease. */
  lease: integer,
  channelId: id('NotificationChannel'),
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
  address: text.nullable(),
  contactMethodId: id('ContactMethod').nullable(),
  /** Whether the person removed the address since, or it takes no messages any more. */
  isAddressGone: boolean,
  unsubscribeKind: text.nullable(),
});

/** Delivery that this process may attempt until its lease ends. */
export type LeasedDelivery = RowOf<typeof leases>;

interface LeaseLimits {
  readonly total: number;
  readonly perTenant: number;
  readonly perChannel: number;
  readonly leaseSeconds: number;
  /** Deliveries that this process sends now, by tenant and by channel. */
  readonly busyTenants: ReadonlyMap<TenantId, number>;
  readonly busyChannels: ReadonlyMap<string, number>;
}

/**
 * Leases what is due, of each channel and tenant at most its share, so that no backlog holds up another: channels with
 * something due are found by steps through the index. Role `landfall_system`.
 */
export const lease = (tx: Tx, limits: LeaseLimits): Promise<LeasedDelivery[]> => {
  const { total, perTenant, perChannel, leaseSeconds, busyTenants, busyChannels } = limits;
  return tx.list(
    leases,
    sql`/* notify.delivery_jobs.lease */
    with recursive channels as (
      (select tenant, channel_id from notify.delivery_jobs order by tenant, channel_id limit 1)
      union all
      select next.tenant, next.channel_id from channels c cross join lateral (
        select j.tenant, j.channel_id from notify.delivery_jobs j
        where (j.tenant, j.channel_id) > (c.tenant, c.channel_id) order by j.tenant, j.channel_id limit 1
      ) next
    ),
    busy_tenants as (
      select * from unnest(${[...busyTenants.keys()]}::text[], ${[...busyTenants.values()]}::integer[]) as busy (tenant, sending)
    ),
    busy_channels as (
      select * from unnest(${[...busyChannels.keys()]}::uuid[], ${[...busyChannels.values()]}::integer[]) as busy (channel_id, sending)
    ),
    candidates as (
      select j.tenant, j.delivery_id, j.due_at, row_number() over (partition by j.tenant order by j.due_at, j.delivery_id) as place
      from channels c
      left join busy_channels busy on busy.channel_id = c.channel_id
      cross join lateral (
        select tenant, delivery_id, due_at from notify.delivery_jobs
        where tenant = c.tenant and channel_id = c.channel_id and due_at <= kernel.now()
          and (leased_until is null or leased_until <= kernel.now())
        order by due_at, delivery_id
        limit greatest(0, ${perChannel}::integer - coalesce(busy.sending, 0))
        for update skip locked
      ) j
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
      returning j.tenant, j.delivery_id, j.lease
    )
    select d.tenant, d.id, leased.lease, d.channel_id, d.attempts + 1 as attempts, d.earlier_attempts, d.created_at, d.subject,
      d.body, d.text_part, d.content_type, d.correlation_id, d.reason = 'test' as is_test, d.address, d.contact_method_id, d.unsubscribe_kind,
      m.removed_at is not null or m.suppressed_reason is not null as is_address_gone,
      before.external_id as updates,
      coalesce(before.is_early, false) as is_early
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
