import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { SHARED } from '../corpus/chunk.ts';
import { DOMAINS, type Domain } from '../shared/domains.ts';

const adapters = table('search.adapters', {
  name: oneOf('findings', 'policy', 'vex'),
  source: oneOf('Upstream', 'Snapshot'),
  cause: text.nullable(),
  attemptedTarget: text,
  suppressedUntil: instant.nullable(),
  absences: integer,
  isSuppressed: boolean,
});
const documentCounts = table('search.chunks held', { domain: oneOf(...DOMAINS), documents: count });
const tenants = table('kernel.events tenants', { tenant: tenantId });

export type AdapterRow = RowOf<typeof adapters>;

export interface Attempt extends Pick<AdapterRow, 'name' | 'source' | 'cause' | 'attemptedTarget' | 'absences'> {
  /** Minutes until the next query of a missing route; 0 for no delay. */
  readonly suppressedMinutes: number;
}

export const list = (query: Query, tenant: TenantId) =>
  query.list(
    adapters,
    sql`/* search.adapters.list */
    select name, source, cause, attempted_target, suppressed_until, absences,
      coalesce(suppressed_until > kernel.now(), false) as is_suppressed
    from search.adapters where tenant = ${tenant}`,
  );

export const upsert = (tx: Tx, tenant: TenantId, attempt: Attempt): Promise<number> =>
  tx.run(sql`/* search.adapters.upsert */
    insert into search.adapters (tenant, name, source, cause, attempted_target, attempted_at, suppressed_until, absences)
    values (${tenant}, ${attempt.name}, ${attempt.source}, ${attempt.cause}, ${attempt.attemptedTarget}, kernel.now(),
      case when ${attempt.suppressedMinutes}::integer > 0
        then kernel.now() + make_interval(mins => ${attempt.suppressedMinutes}) end,
      ${attempt.absences})
    on conflict (tenant, name) do update set source = excluded.source, cause = excluded.cause,
      attempted_target = excluded.attempted_target, attempted_at = excluded.attempted_at,
      suppressed_until = excluded.suppressed_until, absences = excluded.absences`);

export const countDocuments = (query: Query, tenant: TenantId, domains: readonly Domain[]) =>
  query.list(
    documentCounts,
    sql`/* search.adapters.countDocuments */
    select domain, count(*) as documents from search.chunks
    where tenant in (${tenant}, ${SHARED}) and domain = any(${domains}::text[]) and part = 0 and removed_at is null
    group by domain`,
  );

/** Lists every tenant with events, by skipping through the index. Role `landfall_system`. */
export const listTenants = async (query: Query): Promise<TenantId[]> =>
  (
    await query.list(
      tenants,
      sql`/* search.adapters.listTenants */
      with recursive known as (
        (select tenant from kernel.events order by tenant limit 1)
        union all
        select (select e.tenant from kernel.events e where e.tenant > known.tenant order by e.tenant limit 1)
        from known where known.tenant is not null)
      select tenant from known where tenant is not null`,
    )
  ).map(({ tenant }) => tenant);
