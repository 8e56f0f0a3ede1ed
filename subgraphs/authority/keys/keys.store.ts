import { bytes, instant, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const keys = table('authority.signing_keys', {
  kid: text,
  state: oneOf('next', 'current', 'retired'),
  x: text,
  y: text,
  sealedPrivate: bytes,
  since: instant,
});

export type KeyRow = RowOf<typeof keys>;
export type NewKey = Pick<KeyRow, 'kid' | 'x' | 'y' | 'sealedPrivate'>;

/** Lists the keys of the ring, the signing key first. */
export const list = (query: Query): Promise<KeyRow[]> =>
  query.list(
    keys,
    sql`/* authority.signing_keys.list */
    select ${keys.columns} from authority.signing_keys order by state, since desc, kid`,
  );

/** Adds a key in a state that only one key may have, unless another process did. */
export const insert = (tx: Tx, key: NewKey, state: 'next' | 'current'): Promise<number> =>
  tx.run(sql`/* authority.signing_keys.insert */
    insert into authority.signing_keys (kid, state, x, y, sealed_private)
    values (${key.kid}, ${state}, ${key.x}, ${key.y}, ${key.sealedPrivate})
    on conflict (state) where state <> 'retired' do nothing`);

/** Retires exactly this key: of two processes that rotate at once one changes nothing. */
export const retire = (tx: Tx, kid: string): Promise<number> =>
  tx.run(sql`/* authority.signing_keys.retire */
    update authority.signing_keys set state = 'retired', since = kernel.now()
    where kid = ${kid} and state = 'current'`);

export const promote = (tx: Tx): Promise<number> =>
  tx.run(sql`/* authority.signing_keys.promote */
    update authority.signing_keys set state = 'current', since = kernel.now() where state = 'next'`);

/** Deletes keys whose last token has expired. */
export const prune = (query: Query, retentionMs: number): Promise<number> =>
  keys.removeWhere(query, 'prune', sql`state = 'retired' and since < ${fromNow(-retentionMs)}`);
