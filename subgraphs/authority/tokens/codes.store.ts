import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ClientId } from '../clients/clients.ts';

const columns = {
  tenant: tenantId,
  hash: bytes,
  clientId: id('Client'),
  userId: id('User'),
  scopes: textArray,
  nonce: text.nullable(),
  resources: textArray,
  /** The only key that may redeem it (RFC 9449 10). */
  dpopJkt: text.nullable(),
  amr: textArray,
  authTime: instant,
  consumedAt: instant.nullable(),
  familyId: id('TokenFamily').nullable(),
};

const codes = table('authority.codes', columns, {
  key: 'hash',
  noun: 'code',
  writes: { redirectUri: text, challenge: text, expiresAt: instant },
});

export const { find, insert } = codes;

export type Code = RowOf<typeof codes>;

/** Finds a code in any tenant. Role `landfall_system`: a code does not name its tenant. */
export const findAnywhere = (query: Query, hash: Buffer) => codes.findWhere(query, 'findAnywhere', sql`hash = ${hash}`);

/** Values that the token request must present: all were fixed when the code was issued. */
export interface Proof {
  readonly hash: Buffer;
  readonly clientId: ClientId;
  readonly redirectUri: string;
  /** S256 of the verifier (RFC 7636 4.6). */
  readonly challenge: string;
  /** The key that the request has proved; a code bound to a key takes no other. */
  readonly jkt: string | undefined;
}

/** Consumes a code for a family in one statement: of several uses at once one succeeds. */
export const consume = (tx: Tx, tenant: TenantId, proof: Proof, familyId: Id<'TokenFamily'>) =>
  tx.find(
    codes,
    sql`/* authority.codes.consume */
    update authority.codes set consumed_at = kernel.now(), family_id = ${familyId}
    where tenant = ${tenant} and hash = ${proof.hash} and client_id = ${proof.clientId}
      and redirect_uri = ${proof.redirectUri} and challenge = ${proof.challenge}
      and (dpop_jkt is null or dpop_jkt = ${proof.jkt ?? null})
      and consumed_at is null and expires_at > kernel.now()
    returning ${codes.columns}`,
  );

/** Deletes codes once their reuse can no longer revoke a live token. Role `landfall_system`. */
export const prune = (query: Query, retentionMs: number): Promise<number> =>
  codes.removeWhere(query, 'prune', sql`expires_at < ${fromNow(-retentionMs)}`);
