import { bytes, id, instant, json } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
/** Prefix of a `request_uri` (RFC 9126 2.2); the rest is a secret, stored as its hash. */
export const URN = 'urn:ietf:params:oauth:request_uri:';

const parameters = Type.Object({
  form: Type.Record(Type.String(), Type.String()),
  resources: Type.Array(Type.String()),
});

const requests = table('authority.pushed_requests', {
  clientId: id('Client'),
  hash: bytes,
  parameters: json(parameters),
  expiresAt: instant,
});

export const { insert } = requests;

/** Time that the browser which opened a request has to finish it. */
const OPEN_FOR = sql`interval '15 minutes'`;

/** Claims a request for the first browser that opens it, in any tenant. Role `landfall_system`. */
export const claim = (tx: Tx, hash: Buffer, browser: Buffer) =>
  tx.find(
    requests,
    sql`/* authority.pushed_requests.claim */
    update authority.pushed_requests set
      browser = ${browser},
      expires_at = case when browser is null then kernel.now() + ${OPEN_FOR} else expires_at end
    where hash = ${hash} and consumed_at is null and expires_at > kernel.now()
      and (browser is null or browser = ${browser})
    returning ${requests.columns}`,
  );

/** Consumes a request with its one answer. Role `landfall_system`. */
export const consume = (tx: Tx, hash: Buffer): Promise<number> =>
  tx.run(sql`/* authority.pushed_requests.consume */
    update authority.pushed_requests set consumed_at = kernel.now() where hash = ${hash} and consumed_at is null`);

/** Deletes expired requests. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  requests.removeWhere(query, 'prune', sql`expires_at < kernel.now()`);
