import type { TenantId } from '@landfall/kernel/core/ids';
import { id, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { DeliveryId } from './deliveries.store.ts';

const messages = table('notify.deliveries.message', {
  id: id('NotificationDelivery'),
  subject: text.nullable(),
  body: text,
  text: text.nullable(),
  contentType: text,
});

/** Message of a delivery as it is sent. */
export type DeliveryMessage = RowOf<typeof messages>;

/** Messages of deliveries. */
export const listMessages = (
  query: Query,
  tenant: TenantId,
  deliveryIds: readonly DeliveryId[],
): Promise<DeliveryMessage[]> =>
  query.list(
    messages,
    sql`/* notify.deliveries.listMessages */
    select id, subject, body, text_part as text, content_type from notify.deliveries
    where tenant = ${tenant} and id = any(${deliveryIds}::uuid[])`,
  );
