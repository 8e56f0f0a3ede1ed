import { tenantId, text } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const announcements = table('notify.announcements', { tenant: tenantId, api: text });

/**
 * Notes that every tenant that ever had a rule is told of some interfaces. Role `landfall_system`.
 * @returns those of which it was not told before
 */
export const announce = (tx: Tx, apis: readonly string[]) =>
  tx.list(
    announcements,
    sql`/* notify.announcements.announce */
    insert into notify.announcements (tenant, api)
    select told.tenant, ended.api
    from (select distinct tenant from notify.rule_sets) told cross join unnest(${apis}::text[]) as ended (api)
    on conflict do nothing
    returning ${announcements.columns}`,
  );
