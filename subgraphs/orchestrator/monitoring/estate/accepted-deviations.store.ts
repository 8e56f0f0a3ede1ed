import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { isActiveDeviation } from './conditions.ts';

export type DeviationId = Id<'Deviation'>;

const deviations = table(
  'orchestrator.deviations',
  {
    id: id('Deviation'),
    targetId: id('Target'),
    component: text,
    digest: text,
    reason: text,
    owner: text,
    expiresAt: instant,
    revokedAt: instant.nullable(),
    createdAt: instant,
    version: integer,
  },
  { noun: 'deviation', writes: { revokedBy: text } },
);

export const { getLocked, insert, listByIds } = deviations;

/** Drift that a person accepted until a date. */
export type Deviation = RowOf<typeof deviations>;

/** Lists accepted deviations in force, newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  page: { readonly limit: number; readonly before?: string | undefined },
) =>
  query.list(
    deviations,
    sql`/* orchestrator.deviations.list */
    select ${deviations.of('d')} from orchestrator.deviations as d
    where ${isActiveDeviation(tenant)} and (${page.before ?? null}::uuid is null or d.id < ${page.before ?? null})
    order by d.id desc
    limit ${page.limit}`,
  );

/** Lists accepted deviations in force on these targets, newest first. */
export const listActive = (query: Query, tenant: TenantId, targets: readonly Id<'Target'>[]) =>
  query.list(
    deviations,
    sql`/* orchestrator.deviations.listActive */
    select ${deviations.of('d')} from orchestrator.deviations as d
    where ${isActiveDeviation(tenant)} and d.target_id = any(${targets}::uuid[])
    order by d.id desc`,
  );

export const revoke = (tx: Tx, tenant: TenantId, deviation: DeviationId, by: string) =>
  deviations.update(tx, tenant, deviation, { revokedAt: sql`kernel.now()`, revokedBy: by });
