import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ClientId } from '../clients/clients.ts';
import type { UserId } from '../users/users.ts';

const consents = table('authority.consents', { clientId: id('Client'), scopes: textArray, grantedAt: instant });
const namedRows = table('authority.consents named', {
  clientId: id('Client'),
  clientName: text.nullable(),
  scopes: textArray,
  grantedAt: instant,
});

/** Consent of a person, with the client's name where it belongs to their tenant. */
export type NamedConsent = RowOf<typeof namedRows>;

export const find = (query: Query, tenant: TenantId, userId: UserId, clientId: ClientId) =>
  consents.findWhere(query, 'find', sql`tenant = ${tenant} and user_id = ${userId} and client_id = ${clientId}`);

export const listOfUser = (query: Query, tenant: TenantId, userId: UserId): Promise<NamedConsent[]> =>
  query.list(
    namedRows,
    sql`/* authority.consents.listOfUser */
    select consent.client_id, client.name as client_name, consent.scopes, consent.granted_at
    from authority.consents consent
    left join authority.clients client on client.tenant = consent.tenant and client.id = consent.client_id
    where consent.tenant = ${tenant} and consent.user_id = ${userId}
    order by consent.granted_at desc`,
  );

/** Adds scopes to a consent. */
export const grant = (
  tx: Tx,
  tenant: TenantId,
  userId: UserId,
  is: { clientId: ClientId; scopes: readonly string[] },
) =>
  tx.run(sql`/* authority.consents.grant */
    insert into authority.consents as known (tenant, user_id, client_id, scopes)
    values (${tenant}, ${userId}, ${is.clientId}, ${is.scopes})
    on conflict (tenant, user_id, client_id) do update set
      scopes = array(select distinct unnest(known.scopes || excluded.scopes) order by 1), granted_at = kernel.now()`);

export const remove = (tx: Tx, tenant: TenantId, userId: UserId, clientId: ClientId): Promise<number> =>
  consents.removeWhere(tx, 'remove', sql`tenant = ${tenant} and user_id = ${userId} and client_id = ${clientId}`);
