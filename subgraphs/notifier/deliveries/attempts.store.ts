import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { DeliveryId } from './deliveries.store.ts';

const attempts = table('notify.attempts', {
  deliveryId: id('NotificationDelivery'),
  number: integer,
  startedAt: instant,
  latencyMs: integer,
  outcome: oneOf('delivered', 'sent', 'retry', 'failed'),
  httpStatus: integer.nullable(),
  error: text.nullable(),
  excerpt: text.nullable(),
  retryAt: instant.nullable(),
});

/** Attempt to send a delivery. */
export type Attempt = RowOf<typeof attempts>;

/** Attempts of deliveries, the first of each first. */
export const listOfDeliveries = (
  query: Query,
  tenant: TenantId,
  deliveryIds: readonly DeliveryId[],
): Promise<Attempt[]> =>
  attempts.listWhere(
    query,
    'listOfDeliveries',
    sql`tenant = ${tenant} and delivery_id = any(${deliveryIds}::uuid[]) order by delivery_id, number`,
  );
