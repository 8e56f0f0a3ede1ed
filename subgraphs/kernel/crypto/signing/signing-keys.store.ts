import { bytes, instant, oneOf, text } from '../../db/columns.ts';
import type { Query, Tx } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import { type RowOf, table } from '../../db/table.ts';
import type { SigningPurpose } from './signer.ts';

/** Seconds for which the former key still verifies after a rotation, so that signatures under way remain valid. */
export const OVERLAP_SECONDS = 60;

const keys = table('kernel.signing_keys', {
  keyId: text,
  purpose: oneOf('attestation', 'log', 'manifest', 'timestamp'),
  algorithm: oneOf('ecdsa-p256-sha256', 'ed25519'),
  spki: bytes,
  kept: oneOf('sealed', 'file', 'device'),
  sealedPrivate: bytes.nullable(),
  validFrom: instant,
  validUntil: instant.nullable(),
});

export type SigningKeyRow = RowOf<typeof keys>;
export type NewSigningKey = Omit<SigningKeyRow, 'validFrom' | 'validUntil'>;

/** Serialises key changes of a purpose; later statements see the previous change. */
export const lock = (tx: Tx, purpose: SigningPurpose): Promise<number> =>
  tx.run(sql`/* kernel.signing_keys.lock */
    select pg_advisory_xact_lock(hashtextextended('kernel.signing_keys/' || ${purpose}::text, 0))`);

export const findCurrent = (query: Query, purpose: SigningPurpose) =>
  keys.findWhere(query, 'findCurrent', sql`purpose = ${purpose} and valid_until is null`);

export const find = (query: Query, keyId: string) => keys.findWhere(query, 'find', sql`key_id = ${keyId}`);

/** Every key of a purpose, the newest first. */
export const list = (query: Query, purpose: SigningPurpose): Promise<SigningKeyRow[]> =>
  keys.listWhere(
    query,
    'list',
    sql`purpose = ${purpose}
    order by valid_until is not null, valid_from desc, valid_until desc, key_id`,
  );

/** Ends the key that currently signs, if there is one. */
export const end = (tx: Tx, purpose: SigningPurpose): Promise<number> =>
  tx.run(sql`/* kernel.signing_keys.end */
    update kernel.signing_keys
    set valid_until = date_trunc('second', kernel.now()) + make_interval(secs => ${OVERLAP_SECONDS})
    where purpose = ${purpose} and valid_until is null`);

/** Inserts a key with its start time in whole seconds, since signatures have times in whole seconds (proofs 0). */
export const insert = (tx: Tx, key: NewSigningKey): Promise<SigningKeyRow> =>
  tx.get(
    keys,
    sql`/* kernel.signing_keys.insert */
    insert into kernel.signing_keys (key_id, purpose, algorithm, spki, kept, sealed_private, valid_from)
    values (${key.keyId}, ${key.purpose}, ${key.algorithm}, ${key.spki}, ${key.kept}, ${key.sealedPrivate},
      date_trunc('second', kernel.now()))
    returning ${keys.columns}`,
  );
