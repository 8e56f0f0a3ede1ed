import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, instant, type RowOf, table, tenantId, text, textArray } from '@landfall/kernel/db/table';
import type { ClientId } from '../clients/clients.store.ts';
import type { FamilyId } from '../tokens/families.store.ts';
import type { UserId } from '../users/users.store.ts';

const codes = table('authority.codes', {
  tenant: tenantId,
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
});

export type Code = RowOf<typeof codes>;

/** Role `landfall_system`: a code does not name its tenant. */
export const findAnywhere = (query: Query, hash: Buffer) =>
  query.find(
    codes,
    sql`/* authority.codes.findAnywhere */ select ${codes.columns} from authority.codes where hash = ${hash}`,
  );

export const find = (query: Query, tenant: TenantId, hash: Buffer) =>
  query.find(
    codes,
    sql`/* authority.codes.find */
    select ${codes.columns} from authority.codes where tenant = ${tenant} and hash = ${hash}`,
  );

export interface NewCode {
  readonly hash: Buffer;
  readonly clientId: ClientId;
  readonly userId: UserId;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly nonce: string | null;
  readonly resources: readonly string[];
  readonly dpopJkt: string | null;
  readonly amr: readonly string[];
  readonly authTime: Date;
  readonly aliveMs: number;
}

export const insert = (tx: Tx, tenant: TenantId, code: NewCode): Promise<number> =>
  tx.run(sql`/* authority.codes.insert */
    insert into authority.codes
      (tenant, hash, client_id, user_id, redirect_uri, scopes, challenge, nonce, resources, dpop_jkt, amr, auth_time,
        expires_at)
    values (${tenant}, ${code.hash}, ${code.clientId}, ${code.userId}, ${code.redirectUri}, ${code.scopes},
      ${code.challenge}, ${code.nonce}, ${code.resources}, ${code.dpopJkt}, ${code.amr}, ${code.authTime},
      kernel.now() + make_interval(secs => ${code.aliveMs / 1000}))`);

/** What the exchange must bring: each is part of what the code was issued for. */
export interface Proof {
  readonly hash: Buffer;
  readonly clientId: ClientId;
  readonly redirectUri: string;
  /** S256 of the verifier (RFC 7636 4.6). */
  readonly challenge: string;
  /** The key that the request has proved; a code bound to a key takes no other. */
  readonly jkt: string | undefined;
}

/** Spends a code on a family in one statement: of several uses at once one finds it unspent. */
export const consume = (tx: Tx, tenant: TenantId, proof: Proof, familyId: FamilyId) =>
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

/** Forgets codes once their reuse can no longer revoke anything that lives. Role `landfall_system`. */
export const prune = (query: Query, keptMs: number): Promise<number> =>
  query.run(sql`/* authority.codes.prune */
    delete from authority.codes where expires_at < kernel.now() - make_interval(secs => ${keptMs / 1000})`);
