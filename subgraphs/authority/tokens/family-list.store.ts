import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { empty, type Sql, sql } from '@landfall/kernel/db/sql';
import { id, instant, oneOf, type RowOf, table, text, textArray } from '@landfall/kernel/db/table';
import type { ClientId } from '../clients/clients.store.ts';
import type { UserId } from '../users/users.store.ts';
import type { FamilyId } from './families.store.ts';

const listed = table('authority.token_families listed', {
  id: id('TokenFamily'),
  clientId: id('Client'),
  userId: id('User'),
  scopes: textArray,
  sender: oneOf('dpop', 'mtls').nullable(),
  authTime: instant,
  createdAt: instant,
  expiresAt: instant,
  revokedAt: instant.nullable(),
});

/** A family as it is shown. */
export type ListedFamily = RowOf<typeof listed>;

const clientNames = table('authority.clients names', { id: id('Client'), name: text });

export interface FamilyFilter {
  readonly userId: UserId | undefined;
  readonly clientId: ClientId | undefined;
  readonly live: boolean | undefined;
  /** Only those that are older. */
  readonly before: string | undefined;
}

const IS_LIVE = sql`revoked_at is null and expires_at > kernel.now()`;

const conditionOf = ({ userId, clientId, live, before }: FamilyFilter): Sql => sql`
  ${userId === undefined ? empty : sql`and user_id = ${userId}`}
  ${clientId === undefined ? empty : sql`and client_id = ${clientId}`}
  ${live === undefined ? empty : live ? sql`and ${IS_LIVE}` : sql`and not (${IS_LIVE})`}
  ${before === undefined ? empty : sql`and id < ${before}`}`;

/** The newest first: ids grow with time. */
export const list = (query: Query, tenant: TenantId, filter: FamilyFilter, limit: number) =>
  query.list(
    listed,
    sql`/* authority.token_families.list */
    select ${listed.columns} from authority.token_families
    where tenant = ${tenant} ${conditionOf(filter)}
    order by id desc limit ${limit}`,
  );

export const find = (query: Query, tenant: TenantId, familyId: FamilyId) =>
  query.find(
    listed,
    sql`/* authority.token_families.find */
    select ${listed.columns} from authority.token_families where tenant = ${tenant} and id = ${familyId}`,
  );

export const get = (query: Query, tenant: TenantId, familyId: FamilyId) =>
  query.get(
    listed,
    sql`/* authority.token_families.get */
    select ${listed.columns} from authority.token_families where tenant = ${tenant} and id = ${familyId}`,
  );

/** Role `landfall_system`: a client that serves every tenant is none of this tenant's. */
export const listClientNames = (query: Query, ids: readonly ClientId[]) =>
  query.list(
    clientNames,
    sql`/* authority.clients.listNames */
    select ${clientNames.columns} from authority.clients where id = any(${ids}::uuid[])`,
  );
