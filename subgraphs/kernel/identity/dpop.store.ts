import { text } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

const proofs = table('kernel.dpop_proofs', { jkt: text, jti: text });

/** Used proof: thumbprint of its key and its `jti`. */
export interface Used {
  readonly jkt: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** Inserts used proofs and returns those that were not used before. Role `landfall_system`. */
export const insert = (query: Query, used: readonly Used[]) =>
  query.list(
    proofs,
    // In one order, so that two batches with the same proofs do not wait for each other.
    sql`/* kernel.dpop_proofs.insert */
    insert into kernel.dpop_proofs (jkt, jti, expires_at)
    select * from unnest(${used.map(({ jkt }) => jkt)}::text[], ${used.map(({ jti }) => jti)}::text[],
      ${used.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[]) as given (jkt, jti, expires_at)
    order by 1, 2
    on conflict do nothing
    returning ${proofs.columns}`,
  );

/** Deletes expired proofs. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  proofs.removeWhere(query, 'prune', sql`expires_at < kernel.now()`);
