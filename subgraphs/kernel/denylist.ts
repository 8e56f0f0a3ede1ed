import type { Query } from './db/query.ts';
import { sql } from './db/sql.ts';
import { table, text } from './db/table.ts';
import { Fault } from './fault.ts';

const revoked = table('kernel.revoked_tokens', { jti: text });

export const tokenRevoked = (): Fault => new Fault('AUTH_TOKEN_REVOKED', 'This token was revoked.');

/** Whether an access token was revoked, by its `jti`: never by a hash of the token, whose signature is malleable. */
export const isRevoked = async (query: Query, jti: string): Promise<boolean> =>
  (await query.find(
    revoked,
    sql`/* kernel.denylist.find */ select jti from kernel.revoked_tokens where jti = ${jti}`,
  )) !== undefined;

/** Denies a token until it would have expired anyway. Again is the same. Role `landfall_system`. */
export const revoke = async (query: Query, jti: string, expiresAt: Date): Promise<void> => {
  await query.run(sql`/* kernel.denylist.insert */
    insert into kernel.revoked_tokens (jti, expires_at) values (${jti}, ${expiresAt}) on conflict do nothing`);
};

/** Forgets tokens that have expired. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* kernel.denylist.prune */ delete from kernel.revoked_tokens where expires_at < kernel.now()`);
