import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, json, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { containing, empty, fromNow, jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { isNotDeniedAs } from '@landfall/kernel/identity/denylist';
import Type from 'typebox';
import type { Access } from '../access/access-decision.ts';

const access = Type.Array(
  Type.Object({ type: Type.String(), name: Type.String(), actions: Type.Array(Type.String()) }),
);

const tokens = table('registry.tokens', {
  id: id('RegistryToken'),
  at: instant,
  outcome: oneOf('issued', 'refused'),
  subject: text,
  clientId: text,
  service: text.nullable(),
  scopes: textArray,
  access: json(access),
  plan: text.nullable(),
  license: text.nullable(),
  sender: oneOf('dpop', 'mtls').nullable(),
  expiresAt: instant.nullable(),
  error: text.nullable(),
  reason: text.nullable(),
  correlationId: text,
});

export type TokenRow = RowOf<typeof tokens>;

/** Row to insert: its time is the database's. `tokenId` is the access token's, for the denylist. */
export type NewToken = Omit<TokenRow, 'at' | 'access'> & {
  readonly access: readonly Access[];
  readonly tokenId: string;
};

const inserted = table('registry.tokens', { id: id('RegistryToken') });
const stored = table('registry.tokens', { license: text });

const NAMES = { jti: sql`given."tokenId"`, clientId: sql`given."clientId"`, subject: sql`given.subject` };

/** Inserts requests, except issued ones on the denylist, in one statement, so that no token outlives its revocation. */
export const insert = (query: Query, tenant: TenantId, rows: readonly NewToken[]) =>
  query.list(
    inserted,
    sql`/* registry.tokens.insert */
    insert into registry.tokens (tenant, id, outcome, subject, client_id, service, scopes, access, plan, license, sender,
      expires_at, error, reason, correlation_id)
    select ${tenant}, id, outcome, subject, "clientId", service, scopes, access, plan, license, sender, "expiresAt",
      error, reason, "correlationId"
    from jsonb_to_recordset(${jsonb(rows)}::jsonb) as given (id uuid, outcome text, subject text, "clientId" text,
      service text, scopes text[], access jsonb, plan text, license text, sender text, "expiresAt" timestamptz,
      error text, reason text, "correlationId" text, "tokenId" text)
    where outcome = 'refused' or ${isNotDeniedAs({ ...NAMES, tenant: sql`${tenant}` })}
    returning ${inserted.columns}`,
  );

export interface TokenFilter {
  readonly outcome?: 'issued' | 'refused' | undefined;
  readonly subject?: string | undefined;
  readonly repository?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export const list = (query: Query, tenant: TenantId, filter: TokenFilter): Promise<TokenRow[]> => {
  const { outcome, subject, repository, after, limit } = filter;
  return tokens.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
      ${outcome === undefined ? empty : sql`and outcome = ${outcome}`}
      ${subject === undefined ? empty : sql`and subject = ${subject}`}
      ${
        repository === undefined
          ? empty
          : sql`and exists (select from unnest(scopes) as scope where scope like ${containing(repository)})`
      }
      ${after === undefined ? empty : sql`and id < ${after}`}
    order by id desc limit ${limit}`,
  );
};

/** Licences among these that tokens of the tenant carried. */
export const licensesAmong = (query: Query, tenant: TenantId, licenses: readonly string[]) =>
  query.list(
    stored,
    sql`/* registry.tokens.licensesAmong */
    select given.license from unnest(${licenses}::text[]) as given (license)
    where exists (select from registry.tokens t where t.tenant = ${tenant} and t.license = given.license)
    order by 1`,
  );

/** Deletes requests older than `retentionMs`. Role `landfall_system`. */
export const prune = (query: Query, retentionMs: number): Promise<number> =>
  tokens.removeWhere(query, 'prune', sql`at < ${fromNow(-retentionMs)}`);
