import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { DeliveryId } from '../deliveries/deliveries.store.ts';
import type { GroupId } from './groups.store.ts';

const groupEvents = table('notify.group_events', {
  tenant: tenantId,
  groupId: id('NotificationGroup'),
  eventId: id('NotificationEvent'),
  condition: text,
  isMember: boolean,
  isTold: boolean,
  deliveryId: id('NotificationDelivery').nullable(),
  isSuppressed: boolean,
});

/** Event of a group with the message that told it. */
export type GroupEvent = RowOf<typeof groupEvents>;

export type NewGroupEvent = Pick<GroupEvent, 'tenant' | 'groupId' | 'eventId' | 'condition'>;

/** Adds events to groups that are locked. Role `landfall_system`. */
export const insertAll = (tx: Tx, rows: readonly NewGroupEvent[]): Promise<number> =>
  tx.run(sql`/* notify.group_events.insertAll */
    insert into notify.group_events (tenant, group_id, event_id, condition)
    select * from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.groupId)}::uuid[],
      ${rows.map((row) => row.eventId)}::uuid[], ${rows.map((row) => row.condition)}::text[])
    on conflict (tenant, group_id, event_id) do nothing`);

/** Members of a group, the oldest event first. */
export const listMembers = (query: Query, tenant: TenantId, groupId: GroupId): Promise<GroupEvent[]> =>
  groupEvents.listWhere(
    query,
    'listMembers',
    sql`tenant = ${tenant} and group_id = ${groupId} and is_member order by event_id`,
  );

/** Events that a message told. */
export const listToldBy = (query: Query, tenant: TenantId, deliveryId: DeliveryId): Promise<GroupEvent[]> =>
  groupEvents.listWhere(query, 'listToldBy', sql`tenant = ${tenant} and delivery_id = ${deliveryId} order by event_id`);

const sizes = table('notify.group_events.sizes', { groupId: id('NotificationGroup'), size: count });

/** Numbers of members of groups. Role `landfall_system`. */
export const listSizes = (
  query: Query,
  groups: readonly { readonly tenant: TenantId; readonly id: GroupId }[],
): Promise<RowOf<typeof sizes>[]> =>
  query.list(
    sizes,
    sql`/* notify.group_events.listSizes */
    select e.group_id, count(*) as size from notify.group_events e
    join unnest(${groups.map((each) => each.tenant)}::text[], ${groups.map((each) => each.id)}::uuid[]) as wanted (tenant, id)
      on wanted.tenant = e.tenant and wanted.id = e.group_id
    where e.is_member group by e.group_id`,
  );

/** Writes the places of events in their groups after a message was decided. Role `landfall_system`. */
export const setPlaces = (tx: Tx, places: readonly GroupEvent[]): Promise<number> =>
  tx.run(sql`/* notify.group_events.setPlaces */
    update notify.group_events e set is_member = given.is_member, is_told = given.is_told,
      delivery_id = given.delivery_id, is_suppressed = given.is_suppressed
    from unnest(${places.map((each) => each.tenant)}::text[], ${places.map((each) => each.groupId)}::uuid[],
      ${places.map((each) => each.eventId)}::uuid[], ${places.map((each) => each.isMember)}::boolean[],
      ${places.map((each) => each.isTold)}::boolean[], ${places.map((each) => each.deliveryId)}::uuid[],
      ${places.map((each) => each.isSuppressed)}::boolean[])
      as given (tenant, group_id, event_id, is_member, is_told, delivery_id, is_suppressed)
    where e.tenant = given.tenant and e.group_id = given.group_id and e.event_id = given.event_id`);
