import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const waiting = table('notify.waiting_events', {
  tenant: tenantId,
  id: id('WaitingEvent'),
  eventId: id('NotificationEvent'),
  ruleSetVersion: integer,
  ruleId: id('NotificationRule'),
  actionIndex: integer,
  dueAt: instant,
  policy: text,
  policyId: text,
  reason: text,
  contactMethodId: id('ContactMethod').nullable(),
});

/** Event that waits for one action of a rule. */
export type WaitingEvent = RowOf<typeof waiting>;

/** Lets events wait, or those that wait already until a later time. */
export const upsertAll = (tx: Tx, rows: readonly WaitingEvent[]): Promise<number> =>
  tx.run(sql`/* notify.waiting_events.upsertAll */
    insert into notify.waiting_events (tenant, id, event_id, rule_set_version, rule_id, action_index, due_at, policy, policy_id,
      reason, contact_method_id)
    select * from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.eventId)}::uuid[], ${rows.map((row) => row.ruleSetVersion)}::integer[],
      ${rows.map((row) => row.ruleId)}::uuid[], ${rows.map((row) => row.actionIndex)}::integer[],
      ${rows.map((row) => row.dueAt)}::timestamptz[], ${rows.map((row) => row.policy)}::text[],
      ${rows.map((row) => row.policyId)}::text[], ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.contactMethodId)}::uuid[])
    on conflict (tenant, event_id, rule_id, action_index, contact_method_id) do update set due_at = excluded.due_at, policy = excluded.policy,
      policy_id = excluded.policy_id, reason = excluded.reason`);

/** Takes what is due out of the table, to be decided again in the same transaction. Role `landfall_system`. */
export const takeDue = (tx: Tx, limit: number): Promise<WaitingEvent[]> =>
  tx.list(
    waiting,
    sql`/* notify.waiting_events.takeDue */
    delete from notify.waiting_events h
    using (select tenant, id from notify.waiting_events where due_at <= kernel.now() order by due_at limit ${limit}
      for update skip locked) due
    where h.tenant = due.tenant and h.id = due.id
    returning ${waiting.of('h')}`,
  );

/** Ends a wait. Role `landfall_system`. */
export const remove = (tx: Tx, { tenant, id: waitId }: Pick<WaitingEvent, 'tenant' | 'id'>): Promise<number> =>
  tx.run(sql`/* notify.waiting_events.remove */
    delete from notify.waiting_events where tenant = ${tenant} and id = ${waitId}`);

/** Waits of an event. */
export const listOfEvent = (
  query: Query,
  tenant: TenantId,
  eventId: WaitingEvent['eventId'],
): Promise<WaitingEvent[]> =>
  waiting.listWhere(query, 'listOfEvent', sql`tenant = ${tenant} and event_id = ${eventId} order by due_at`);
