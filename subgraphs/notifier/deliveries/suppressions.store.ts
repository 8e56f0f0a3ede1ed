import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const suppressions = table('notify.suppressions', {
  id: id('NotificationSuppression'),
  eventId: id('NotificationEvent'),
  ruleId: id('NotificationRule').nullable(),
  channelId: id('NotificationChannel').nullable(),
  policy: text,
  policyId: text.nullable(),
  reason: text,
  recipient: text.nullable(),
  createdAt: instant,
});

/** Message that a rule wanted and that was not sent, with its reason. */
export type Suppression = RowOf<typeof suppressions>;

export type NewSuppression = Omit<Suppression, 'createdAt'> & { readonly tenant: TenantId };

/** Records suppressions of several tenants. */
export const insertAll = (tx: Tx, rows: readonly NewSuppression[]): Promise<number> =>
  tx.run(sql`/* notify.suppressions.insertAll */
    insert into notify.suppressions (tenant, id, event_id, rule_id, channel_id, policy, policy_id, reason, recipient)
    select * from unnest(${rows.map((row) => row.tenant)}::text[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.eventId)}::uuid[], ${rows.map((row) => row.ruleId)}::uuid[],
      ${rows.map((row) => row.channelId)}::uuid[], ${rows.map((row) => row.policy)}::text[],
      ${rows.map((row) => row.policyId)}::text[], ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.recipient)}::text[])`);

/** Suppressions of an event. */
export const listOfEvent = (query: Query, tenant: TenantId, eventId: Suppression['eventId']): Promise<Suppression[]> =>
  suppressions.listWhere(query, 'listOfEvent', sql`tenant = ${tenant} and event_id = ${eventId} order by id`);

/** Suppressions of a tenant, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Suppression[]> =>
  suppressions.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} ${after === undefined ? empty : sql`and id < ${after}`} order by id desc limit ${limit}`,
  );
