import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { count, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

/** States of a dead letter. */
export const DEAD_LETTER_STATUSES = ['open', 'retried', 'discarded'] as const;

export type DeadLetterId = Id<'DeadLetter'>;

const deadLetters = table(
  'notify.dead_letters',
  {
    id: id('DeadLetter'),
    deliveryId: id('NotificationDelivery'),
    channelId: id('NotificationChannel'),
    cause: text,
    error: text,
    attempts: integer,
    firstFailedAt: instant,
    createdAt: instant,
    status: oneOf(...DEAD_LETTER_STATUSES),
    note: text.nullable(),
    settledBy: text.nullable(),
    settledAt: instant.nullable(),
    version: integer,
  },
  { noun: 'dead letter' },
);

/** Delivery that failed for good. */
export type DeadLetter = RowOf<typeof deadLetters>;

export const { get, getLocked, update } = deadLetters;

export interface DeadLetterFilter {
  readonly status?: DeadLetter['status'] | undefined;
  readonly channelId?: DeadLetter['channelId'] | undefined;
  readonly cause?: string | undefined;
  /** Created at this time or later. */
  readonly since?: Date | undefined;
}

const conditionOf = (tenant: TenantId, { status, channelId, cause, since }: DeadLetterFilter) => sql`tenant = ${tenant}
  ${status === undefined ? empty : sql`and status = ${status}`}
  ${channelId === undefined ? empty : sql`and channel_id = ${channelId}`}
  ${cause === undefined ? empty : sql`and cause = ${cause}`}
  ${since === undefined ? empty : sql`and created_at >= ${since}`}`;

/** Dead letters of a tenant, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  filter: DeadLetterFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<DeadLetter[]> =>
  deadLetters.listWhere(
    query,
    'list',
    sql`${conditionOf(tenant, filter)} ${after === undefined ? empty : sql`and id < ${after}`} order by id desc limit ${limit}`,
  );

/** Locks open dead letters of a filter, the oldest first. */
export const lockOpen = (tx: Tx, tenant: TenantId, filter: DeadLetterFilter, limit: number): Promise<DeadLetter[]> =>
  deadLetters.listWhere(
    tx,
    'lockOpen',
    sql`${conditionOf(tenant, { ...filter, status: 'open' })} order by id limit ${limit} for update skip locked`,
  );

export const countOpen = (query: Query, tenant: TenantId, filter: DeadLetterFilter): Promise<number> =>
  deadLetters.countWhere(query, 'countOpen', conditionOf(tenant, { ...filter, status: 'open' }));

/** Settles the open dead letter of a delivery that is retried by itself. */
export const settleOfDelivery = (
  tx: Tx,
  tenant: TenantId,
  deliveryId: DeadLetter['deliveryId'],
  settledBy: string,
): Promise<number> =>
  tx.run(sql`/* notify.dead_letters.settleOfDelivery */
    update notify.dead_letters set status = 'retried', settled_by = ${settledBy}, settled_at = kernel.now(),
      version = version + 1
    where tenant = ${tenant} and delivery_id = ${deliveryId} and status = 'open'`);

const causes = table('notify.dead_letters.causes', {
  cause: text,
  status: oneOf(...DEAD_LETTER_STATUSES),
  count,
  oldestAt: instant,
});

/** Dead letters by cause and status. */
export const countByCause = (query: Query, tenant: TenantId) =>
  query.list(
    causes,
    sql`/* notify.dead_letters.countByCause */
    select cause, status, count(*) as count, min(created_at) as oldest_at from notify.dead_letters
    where tenant = ${tenant} group by cause, status order by cause, status`,
  );
