import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export type GroupId = Id<'NotificationGroup'>;

const groups = table(
  'notify.groups',
  {
    tenant: tenantId,
    id: id('NotificationGroup'),
    key: text,
    kind: oneOf('group', 'digest'),
    ruleId: id('NotificationRule'),
    actionIndex: integer,
    ruleSetVersion: integer,
    firstAt: instant,
    toldAt: instant.nullable(),
    dueAt: instant.nullable(),
    reason: text.nullable(),
    contactMethodId: id('ContactMethod').nullable(),
    recipient: text.nullable(),
    waitSeconds: integer,
  },
  { noun: 'notification group' },
);

/** Group of events that are told together, or digest that collects them, with its clock. */
export type StoredGroup = RowOf<typeof groups>;

export const { find } = groups;

export type NewGroup = Omit<StoredGroup, 'firstAt' | 'toldAt' | 'reason'>;

/**
 * Opens groups that are not open, and locks all until the transaction ends, in one order in every process. Those that are open
 * keep their ids. Role `landfall_system`.
 */
export const openAll = (tx: Tx, rows: readonly NewGroup[]): Promise<StoredGroup[]> =>
  tx.list(
    groups,
    sql`/* notify.groups.openAll */
    insert into notify.groups as known (tenant, id, key, kind, rule_id, action_index, rule_set_version, due_at,
      contact_method_id, recipient, wait_seconds)
    select * from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.key)}::text[], ${rows.map((row) => row.kind)}::text[],
      ${rows.map((row) => row.ruleId)}::uuid[], ${rows.map((row) => row.actionIndex)}::integer[],
      ${rows.map((row) => row.ruleSetVersion)}::integer[], ${rows.map((row) => row.dueAt)}::timestamptz[],
      ${rows.map((row) => row.contactMethodId)}::uuid[], ${rows.map((row) => row.recipient)}::text[],
      ${rows.map((row) => row.waitSeconds)}::integer[])
      as given (tenant, id, key, kind, rule_id, action_index, rule_set_version, due_at, contact_method_id, recipient, wait_seconds)
    order by given.tenant, given.key
    on conflict (tenant, key) where closed_at is null do update set rule_set_version = excluded.rule_set_version
    returning ${groups.of('known')}`,
  );

/** Locks groups whose clock is due; those that another process decides are left to it. Role `landfall_system`. */
export const lockDue = (tx: Tx, limit: number): Promise<StoredGroup[]> =>
  groups.listWhere(tx, 'lockDue', sql`due_at <= kernel.now() order by due_at limit ${limit} for update skip locked`);

/** Clock of a group that a new event may bring forward. */
type Clock = Pick<StoredGroup, 'tenant' | 'id' | 'dueAt'>;

/** Brings the clocks of groups forward, never back. Role `landfall_system`. */
export const bringForward = (tx: Tx, clocks: readonly Clock[]): Promise<number> =>
  tx.run(sql`/* notify.groups.bringForward */
    update notify.groups g set due_at = least(g.due_at, given.due_at)
    from unnest(${clocks.map((each) => each.tenant)}::text[], ${clocks.map((each) => each.id)}::uuid[],
      ${clocks.map((each) => each.dueAt)}::timestamptz[]) as given (tenant, id, due_at)
    where g.tenant = given.tenant and g.id = given.id`);

/** State of a group after its message was decided. */
export type DecidedGroup = Pick<StoredGroup, 'tenant' | 'id' | 'toldAt' | 'dueAt' | 'reason'> & {
  readonly isClosed: boolean;
};

/** Sets the clocks of groups that were decided. Role `landfall_system`. */
export const setDecided = (tx: Tx, decided: readonly DecidedGroup[]): Promise<number> =>
  tx.run(sql`/* notify.groups.setDecided */
    update notify.groups g set told_at = given.told_at, due_at = given.due_at, reason = given.reason,
      closed_at = case when given.is_closed then kernel.now() end
    from unnest(${decided.map((each) => each.tenant)}::text[], ${decided.map((each) => each.id)}::uuid[],
      ${decided.map((each) => each.toldAt)}::timestamptz[], ${decided.map((each) => each.dueAt)}::timestamptz[],
      ${decided.map((each) => each.reason)}::text[], ${decided.map((each) => each.isClosed)}::boolean[])
      as given (tenant, id, told_at, due_at, reason, is_closed)
    where g.tenant = given.tenant and g.id = given.id`);

const explained = table('notify.groups.explained', {
  id: id('NotificationGroup'),
  kind: oneOf('group', 'digest'),
  ruleId: id('NotificationRule'),
  firstAt: instant,
  dueAt: instant.nullable(),
  reason: text.nullable(),
  recipient: text.nullable(),
  deliveryId: id('NotificationDelivery').nullable(),
});

/** Group of an event with the message that told the event. */
export type GroupOfEvent = RowOf<typeof explained>;

/** Groups that an event is in. */
export const listOfEvent = (
  query: Query,
  tenant: TenantId,
  eventId: Id<'NotificationEvent'>,
): Promise<GroupOfEvent[]> =>
  query.list(
    explained,
    sql`/* notify.groups.listOfEvent */
    select g.id, g.kind, g.rule_id, g.first_at, g.due_at, g.reason, g.recipient, e.delivery_id
    from notify.group_events e join notify.groups g on g.tenant = e.tenant and g.id = e.group_id
    where e.tenant = ${tenant} and e.event_id = ${eventId} order by g.first_at, g.id`,
  );

/** Deletes groups that are over and whose events were deleted. Role `landfall_system`. @returns their number */
export const removeEmpty = (tx: Tx, olderThanDays: number, limit: number): Promise<number> =>
  tx.run(sql`/* notify.groups.removeEmpty */
    delete from notify.groups g
    using (select tenant, id from notify.groups o
      where o.due_at is null and o.first_at < kernel.now() - make_interval(days => ${olderThanDays})
        and not exists (select from notify.group_events e where e.tenant = o.tenant and e.group_id = o.id)
      limit ${limit} for update skip locked) old
    where g.tenant = old.tenant and g.id = old.id`);
