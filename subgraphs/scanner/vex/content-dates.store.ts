import type { TenantId } from '@landfall/kernel/core/ids';
import { instant } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { SHARED } from '../feeds/shared-tenant.ts';

const dates = table('scanner.feeds dates', {
  advisories: instant.nullable(),
  vex: instant.nullable(),
  policy: instant.nullable(),
});

/**
 * Dates of the content itself: of the advisories the oldest feed in force, of VEX the newest document of each source,
 * the oldest source counting, and of the policy of scores its publication. A document without a date counts by its import.
 */
export const find = (query: Query, tenant: TenantId) =>
  query.get(
    dates,
    sql`/* scanner.feeds.findDates */
    select (
      select min(c.published_at) from scanner.feeds f
      join scanner.feed_captures c on c.tenant = f.tenant and c.role = f.role and c.digest = f.digest
      where f.tenant = ${SHARED}
    ) as advisories, (
      select min(newest) from (
        select max(coalesce(c.issued_at, d.imported_at)) as newest from scanner.vex_documents d
        join scanner.vex_sources s on s.tenant = d.tenant and s.id = d.source_id and s.removed_at is null
        join scanner.vex_contents c on c.tenant = d.tenant and c.digest = d.digest
        where d.tenant = ${tenant}
        group by d.source_id
      ) as sources
    ) as vex, (
      select max(published_at) from scanner.policies where tenant = ${tenant}
    ) as policy`,
  );
