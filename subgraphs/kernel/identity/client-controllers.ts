import { holdersOf, type Who } from '../core/caller.ts';
import type { TenantId } from '../core/ids.ts';
import { boolean, text, textArray } from '../db/columns.ts';
import type { Query, Tx } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

/**
 * Records that the caller controls a client: it registered the client, changed it or received a secret of it. A caller
 * that is a client, or a person's token that clients hold or held, passes on its own controllers, so that no chain of
 * clients hides a person.
 */
export const recordController = (tx: Tx, caller: Who, clientId: string): Promise<number> =>
  tx.run(sql`/* kernel.client_controllers.insert */
    insert into kernel.client_controllers (tenant, client_id, subject)
    select ${caller.tenant}, ${clientId}, party from unnest(${[caller.subject, ...(caller.earlierHolders ?? [])]}::text[]) party
    union
    select c.tenant, ${clientId}, c.subject from kernel.client_controllers c
    where c.tenant = ${caller.tenant} and c.client_id = any(${[caller.subject, ...holdersOf(caller)]}::text[])
    on conflict do nothing`);

const relations = table('kernel.client_controllers overlap', { party: text, isOwn: boolean, clients: textArray });

/** Controller that two parties have in common. */
export interface Relation {
  /** Whether it is the actor, or controls the actor itself: not only a client that holds the actor's token. */
  readonly isOwn: boolean;
  /** Clients through which the two actors share the controller, unordered. */
  readonly clients: readonly string[];
}

/** A person or client, and the holders of the token: the same one where a client acts for itself. */
type Actor = Pick<Who, 'subject' | 'clientId' | 'earlierHolders'>;

/**
 * Finds those of `others` that have a controller in common with the actor. A person controls themselves; a client's
 * controllers count for every person whose token it has or had. Clients that serve every tenant have no controllers,
 * because the operator manages them: two people who both use one have no controller in common for that reason.
 */
export const findRelations = async (
  query: Query,
  tenant: TenantId,
  actor: Actor,
  others: readonly string[],
): Promise<ReadonlyMap<string, Relation>> => {
  const { subject, earlierHolders = [] } = actor;
  const rows = await query.list(
    relations,
    sql`/* kernel.client_controllers.overlap */
      with controllers as (
        select ${subject}::text as subject, null::text as client
        union
        select holder, holder from unnest(${earlierHolders}::text[]) holder
        union
        select subject, client_id from kernel.client_controllers
        where tenant = ${tenant} and client_id = any(${[subject, ...holdersOf(actor)]}::text[])
      ), common as (
        select other, client, null::text as other_client
        from unnest(${others}::text[]) other join controllers on controllers.subject = other
        union
        select other, client, other from unnest(${others}::text[]) other
        join kernel.client_controllers c on c.tenant = ${tenant} and c.client_id = other
        join controllers on controllers.subject = c.subject
      )
      select other as party, bool_or(client is null or client = ${subject}) as is_own,
        array_remove(array_agg(distinct client) || array_agg(distinct other_client), null) as clients
      from common group by other`,
  );
  return new Map(rows.map(({ party, ...relation }) => [party, relation]));
};
