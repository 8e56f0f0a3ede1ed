import type { TenantId } from '@landfall/kernel/core/ids';
import { instant, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { LEEWAY } from './leeway.ts';

const exchanges = table('authority.exchanged_tokens', {
  jti: text,
  /** Subject token's jti, which may be an exchanged token itself. */
  subjectJti: text,
  /** Actors (RFC 8693 4.1) and the client whose token was exchanged. */
  parties: textArray,
  expiresAt: instant,
});

export const { insert } = exchanges;

const lockOf = (tenant: TenantId): Sql => sql`hashtextextended(${`authority/exchanges/${tenant}`}, 0)`;

/** Blocks revocations until this transaction ends; called before the denylist is checked for a subject token. */
export const lockRevocations = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* authority.exchanged_tokens.hold */
    select pg_advisory_xact_lock_shared(${lockOf(tenant)})`);

/** Waits for running exchanges, so that a denial finds their tokens. */
const waitForExchanges = (tx: Tx, tenant: TenantId): Promise<number> =>
  tx.run(sql`/* authority.exchanged_tokens.wait */
    select pg_advisory_xact_lock(${lockOf(tenant)})`);

/** Denies matching exchanged tokens and everything exchanged from them. */
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

/** Denies every token exchanged from this one, transitively. */
export const denyTokensExchangedFrom = (tx: Tx, tenant: TenantId, jti: string): Promise<void> =>
  denyWhere(tx, tenant, sql`subject_jti = ${jti}`);

/** Denies every exchanged token that names this client or person as a holder. */
export const denyExchangedTokensOf = (tx: Tx, tenant: TenantId, party: string): Promise<void> =>
  denyWhere(tx, tenant, sql`${party} = any(parties)`);

/** Deletes the records of expired tokens. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  exchanges.removeWhere(query, 'prune', sql`expires_at < kernel.now() - ${LEEWAY}`);
