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

/** A person or client, and the client that holds the token: the same one where a client acts for itself. */
type Actor = Pick<Who, 'subject' | 'clientId'>;

/**
 * Lists those of `others` that have a controller in common with the actor. Everybody controls themselves; a client's
 * controllers count for whoever acts through it. Clients that serve every tenant have no controllers, because the
 * operator keeps them: to act through the same one as somebody else is nothing in common.
 */
export const listOfCommonControllers = async (
  query: Query,
  tenant: TenantId,
  { subject, clientId }: Actor,
  others: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await query.list(
    parties,
    sql`/* kernel.client_controllers.overlap */
      with behind as (
        select ${subject}::text as subject
        union
        select subject from kernel.client_controllers
        where tenant = ${tenant} and client_id in (${subject}, ${clientId})
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
  (await listOfCommonControllers(query, tenant, { subject: one, clientId: one }, [other])).has(other);
