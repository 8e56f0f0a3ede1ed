import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

/** Kinds of policies. */
export const POLICY_KINDS = [
  'silence',
  'maintenance',
  'time_interval',
  'inhibition',
  'flapping',
  'quiet_hours',
] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

export type PolicyId = Id<'NotificationPolicy'>;

const columns = {
  tenant: tenantId,
  id: id('NotificationPolicy'),
  kind: oneOf(...POLICY_KINDS),
  name: text,
  // Only the operations write these documents, which checked them.
  document: json(Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}))),
  endsAt: instant.nullable(),
  createdBy: text,
  createdAt: instant,
  updatedAt: instant,
  version: integer,
};

const policies = table('notify.policies', columns, {
  noun: 'notification policy',
  live: sql`removed_at is null`,
  writes: { removedAt: instant.nullable() },
});

/** Policy that keeps messages back, or the times that others refer to. */
export type StoredPolicy = RowOf<typeof policies>;

export const { get, getLocked, insertIfAbsent, update } = policies;

/** Policies of a kind, or of all kinds, by name. */
export const list = (query: Query, tenant: TenantId, kind?: PolicyKind): Promise<StoredPolicy[]> =>
  policies.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and removed_at is null and (${kind ?? null}::text is null or kind = ${kind ?? null})
      order by kind, name`,
  );

/** Policies of tenants that have not ended. Role `landfall_system`. */
export const listInForce = (query: Query, tenants: readonly TenantId[]): Promise<StoredPolicy[]> =>
  policies.listWhere(
    query,
    'listInForce',
    sql`tenant = any(${tenants}::text[]) and removed_at is null and (ends_at is null or ends_at > kernel.now())
      order by tenant, kind, name`,
  );

/** Time intervals of some ids. */
export const listIntervals = (query: Query, tenant: TenantId, ids: readonly string[]): Promise<StoredPolicy[]> =>
  policies.listWhere(
    query,
    'listIntervals',
    sql`tenant = ${tenant} and kind = 'time_interval' and id = any(${ids}::uuid[]) and removed_at is null`,
  );

/** Number of policies that have not ended. */
export const countInForce = (query: Query, tenant: TenantId): Promise<number> =>
  policies.countWhere(
    query,
    'countInForce',
    sql`tenant = ${tenant} and removed_at is null and (ends_at is null or ends_at > kernel.now())`,
  );

/** Days for which policies that ended are listed. */
const LISTED_DAYS = 7;

/** Removes policies that ended long ago, and the one whose name another one takes. */
export const removeEnded = (
  tx: Tx,
  tenant: TenantId,
  { kind, name }: Pick<StoredPolicy, 'kind' | 'name'>,
): Promise<number> =>
  tx.run(sql`/* notify.policies.removeEnded */
    update notify.policies set removed_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and removed_at is null and ends_at <= kernel.now()
      and ((kind = ${kind} and name = ${name}) or ends_at < kernel.now() - make_interval(days => ${LISTED_DAYS}))`);
