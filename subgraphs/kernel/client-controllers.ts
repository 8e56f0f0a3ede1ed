import type { Who } from './caller.ts';
import type { Query, Tx } from './db/query.ts';
import { sql } from './db/sql.ts';
import { boolean, table } from './db/table.ts';
import type { TenantId } from './ids.ts';

/**
 * Records that the caller controls a client: it registered the client, changed it or received a secret of it. A caller
 * that is a client, or a person's token that a client holds, passes on its own controllers, so that no chain of clients
 * hides a person.
 */
export const recordController = (tx: Tx, who: Who, clientId: string): Promise<number> =>
  tx.run(sql`/* kernel.client_controllers.insert */
    insert into kernel.client_controllers (tenant, client_id, subject)
    select ${who.tenant}, ${clientId}, ${who.subject}
    union
    select c.tenant, ${clientId}, c.subject from kernel.client_controllers c
    where c.tenant = ${who.tenant} and c.client_id in (${who.subject}, ${who.clientId})
    on conflict do nothing`);

const overlaps = table('kernel.client_controllers overlap', { isShared: boolean });

/** Whether one person or client is behind both: each of them is behind itself, a client's controllers are behind it. */
export const haveCommonController = async (query: Query, tenant: TenantId, one: string, other: string) =>
  (
    await query.get(
      overlaps,
      sql`/* kernel.client_controllers.overlap */
      select exists (
        (select ${one}::text union
          select subject from kernel.client_controllers where tenant = ${tenant} and client_id = ${one})
        intersect
        (select ${other}::text union
          select subject from kernel.client_controllers where tenant = ${tenant} and client_id = ${other})
      ) as is_shared`,
    )
  ).isShared;
