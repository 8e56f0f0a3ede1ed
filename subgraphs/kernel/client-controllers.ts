import type { Who } from './caller.ts';
import type { Query, Tx } from './db/query.ts';
import { sql } from './db/sql.ts';
import { table, text } from './db/table.ts';
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

const parties = table('kernel.client_controllers overlap', { subject: text });

/**
 * Those of `others` that share a person or client with one of `ones`: each of them is behind itself, a client's
 * controllers are behind it. Clients that serve every tenant have no controllers: the operator keeps them.
 */
export const listOfCommonControllers = async (
  query: Query,
  tenant: TenantId,
  ones: readonly string[],
  others: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await query.list(
    parties,
    sql`/* kernel.client_controllers.overlap */
      with behind as (
        select unnest(${ones}::text[]) as subject
        union
        select subject from kernel.client_controllers where tenant = ${tenant} and client_id = any(${ones}::text[])
      )
      select distinct other as subject from unnest(${others}::text[]) other
      where other in (select subject from behind)
        or exists (select from kernel.client_controllers c join behind b on b.subject = c.subject
          where c.tenant = ${tenant} and c.client_id = other)`,
  );
  return new Set(rows.map(({ subject }) => subject));
};

/** Whether one person or client is behind both. */
export const haveCommonController = async (query: Query, tenant: TenantId, one: string, other: string) =>
  (await listOfCommonControllers(query, tenant, [one], [other])).has(other);
