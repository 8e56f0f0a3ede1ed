import { text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const origins = table('authority.clients origins', { origin: text });

/** Lists the origins that active clients of active tenants are registered with. Role `landfall_system`. */
export const list = (query: Query) =>
  query.list(
    origins,
    sql`/* authority.clients.listAllowedOrigins */
    select distinct origin from authority.clients c
    join authority.tenants t on t.tenant = c.tenant
    cross join unnest(c.allowed_origins) origin
    where c.active and c.allowed_origins <> '{}' and t.active`,
  );
