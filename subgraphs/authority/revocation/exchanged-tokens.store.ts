import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';

/** A token that another one was exchanged for. */
export interface NewExchange {
  readonly jti: string;
  /** The token that it came of, which may be an exchanged one itself. */
  readonly subjectJti: string;
  /** Everybody who acts (RFC 8693 4.1), and the client whose token was exchanged. */
  readonly parties: readonly string[];
  readonly expiresAt: Date;
}

/** Verifiers allow for clocks that are apart by about a minute, so a token is denied for longer than it says it lives. */
const LEEWAY = sql`interval '5 minutes'`;

const lockOf = (tenant: TenantId): Sql => sql`hashtextextended(${`authority/exchanges/${tenant}`}, 0)`;

/** Before the denylist is asked of a subject token: until this transaction ends nobody denies what comes of tokens. */
export const hold = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* authority.exchanged_tokens.hold */
    select pg_advisory_xact_lock_shared(${lockOf(tenant)})`);

/** Waits for the exchanges that are on their way, so that `denyWhatCameOf…` finds them. */
const waitForExchanges = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* authority.exchanged_tokens.wait */
    select pg_advisory_xact_lock(${lockOf(tenant)})`);

export const insert = (tx: Tx, tenant: TenantId, { jti, subjectJti, parties, expiresAt }: NewExchange) =>
  tx.run(sql`/* authority.exchanged_tokens.insert */
    insert into authority.exchanged_tokens (tenant, jti, subject_jti, parties, expires_at)
    values (${tenant}, ${jti}, ${subjectJti}, ${parties}, ${expiresAt})`);

/** Denies exchanged tokens that meet a condition, and what those were exchanged for. */
const denyWhere = async (tx: Tx, tenant: TenantId, condition: Sql): Promise<void> => {
  await waitForExchanges(tx, tenant);
  await tx.run(sql`/* authority.exchanged_tokens.deny */
    with recursive line as (
      select jti, expires_at from authority.exchanged_tokens where tenant = ${tenant} and ${condition}
      union
      select next.jti, next.expires_at from authority.exchanged_tokens next
      join line on next.tenant = ${tenant} and next.subject_jti = line.jti
    )
    insert into kernel.revoked_tokens (jti, expires_at)
    select jti, expires_at + ${LEEWAY} from line on conflict do nothing`);
};

/** Denies every token that an exchange made of this one, and of those. */
export const denyWhatCameOf = (tx: Tx, tenant: TenantId, jti: string): Promise<void> =>
  denyWhere(tx, tenant, sql`subject_jti = ${jti}`);

/** Denies every exchanged token in which this client or person has a part, whoever holds it now. */
export const denyOfParty = (tx: Tx, tenant: TenantId, party: string): Promise<void> =>
  denyWhere(tx, tenant, sql`${party} = any(parties)`);

/** Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* authority.exchanged_tokens.prune */
    delete from authority.exchanged_tokens where expires_at < kernel.now() - ${LEEWAY}`);
