import { Fault } from '../core/fault.ts';
import { boolean } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { type Sql, sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

/** Principals that an access token names, and the token itself: each may have been stopped before the token expires. */
export interface TokenNames {
  /** Token id (`jti`); without it only the other names are checked. */
  readonly jti?: string | undefined;
  readonly tenant?: string | undefined;
  readonly clientId?: string | undefined;
  /** `sub`: a person's id, or the client's own. */
  readonly subject?: string | undefined;
}

/** Kinds of principals that can be stopped. */
export type Principal = 'tenant' | 'client' | 'user';

const answers = table('kernel.denylist', { revoked: boolean });

export const tokenRevoked = (): Fault => new Fault('AUTH_TOKEN_REVOKED', 'This token was revoked.');

/** Condition that no name of a token is denied, for names that are columns of the statement. */
export const isNotDeniedAs = ({ jti, tenant, clientId, subject }: Readonly<Record<keyof TokenNames, Sql>>): Sql => sql`(
  not exists (select from kernel.revoked_tokens denied where denied.jti = ${jti})
  and not exists (select from kernel.stopped
    where (stopped.kind, stopped.id) in (('tenant', ${tenant}), ('client', ${clientId}), ('client', ${subject}),
      ('user', ${subject}), ('earlier', ${clientId}), ('earlier', ${subject}))
      and (stopped.issued_before is null or ${jti} < stopped.issued_before)))`;

/** Condition that no name of a token is denied; always true without names. */
export const isNotDenied = ({ jti = '', tenant = '', clientId = '', subject = '' }: TokenNames): Sql =>
  isNotDeniedAs({ jti: sql`${jti}`, tenant: sql`${tenant}`, clientId: sql`${clientId}`, subject: sql`${subject}` });

/** Checks the denylist for a token's `jti` and parties, never for a token's hash: its signature is malleable. */
export const isRevoked = async (query: Query, names: TokenNames): Promise<boolean> =>
  (await query.get(answers, sql`/* kernel.denylist.find */ select not ${isNotDenied(names)} as revoked`)).revoked;

/** Whether any of these clients and people is stopped. */
export const isAnyStopped = async (query: Query, ids: readonly string[]): Promise<boolean> =>
  (
    await query.get(
      answers,
      sql`/* kernel.stopped.any */
      select exists (select from kernel.stopped where kind in ('client', 'user') and id = any(${ids}::text[])) as revoked`,
    )
  ).revoked;

/** Denies a token until it expires. Idempotent. */
export const revoke = async (query: Query, jti: string, expiresAt: Date): Promise<void> => {
  await query.run(sql`/* kernel.denylist.insert */
    insert into kernel.revoked_tokens (jti, expires_at) values (${jti}, ${expiresAt}) on conflict do nothing`);
};

/**
 * Denies the tokens of a principal until it is readmitted. Last in its transaction: an event after it would
 * be refused when it is the caller's own client, tenant or person. A tenant is stopped as `landfall_system` only.
 */
export const stop = async (query: Query, kind: Principal, id: string): Promise<void> => {
  await query.run(sql`/* kernel.stopped.insert */
    insert into kernel.stopped (kind, id) values (${kind}, ${id}) on conflict do nothing`);
};

/** Denies the tokens issued to a client so far, its own and those of people. `now` is a new id: ids grow with time. */
export const denyTokensBefore = async (query: Query, clientId: string, now: string): Promise<void> => {
  await query.run(sql`/* kernel.stopped.denyEarlier */
    insert into kernel.stopped (kind, id, issued_before) values ('earlier', ${clientId}, ${now})
    on conflict (kind, id) do update set issued_before = greatest(stopped.issued_before, excluded.issued_before)`);
};

/** Removes the stop of a client or a person, so that their tokens are accepted again. */
export const removeStop = async (query: Query, kind: Exclude<Principal, 'tenant'>, id: string): Promise<void> => {
  await query.run(sql`/* kernel.stopped.letInAgain */ select kernel.let_in_again(${kind}, ${id})`);
};

/** Accepts the tokens of a tenant again. Role `landfall_system`. */
export const resumeTenant = async (query: Query, tenant: string): Promise<void> => {
  await query.run(sql`/* kernel.stopped.deleteTenant */
    delete from kernel.stopped where kind = 'tenant' and id = ${tenant}`);
};

/** Deletes expired tokens. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* kernel.denylist.prune */ delete from kernel.revoked_tokens where expires_at < kernel.now()`);
