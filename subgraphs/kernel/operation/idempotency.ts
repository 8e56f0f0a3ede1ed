import { createHmac } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Who } from '../core/caller.ts';
import { Fault } from '../core/fault.ts';
import { canonicalJson } from '../crypto/jcs.ts';
import type { Secrets } from '../crypto/secrets.ts';
import { bytes } from '../db/columns.ts';
import type { Query, Tx } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { table } from '../db/table.ts';

/** Idempotency key in its scope: operation, subject and input. */
export interface Claim {
  readonly operation: string;
  readonly key: string;
  readonly inputHash: Buffer;
}

const answers = table('kernel.idempotency', { inputHash: bytes, answer: bytes.nullable() });

/** Lifetime of a stored answer, in hours (architecture 5). */
export const RETENTION_HOURS = 24;

const sealName = (caller: Who, claim: Claim): string => `idempotency/${caller.subject}/${claim.operation}/${claim.key}`;

/**
 * Creates the store of idempotent answers. Answers are sealed, since some contain a secret that is shown once; inputs
 * are hashed with a key, since some contain passwords.
 */
export const createIdempotency = (secrets: Secrets) => ({
  /** @throws Fault VAL_INVALID_FORMAT */
  claim(operation: string, key: string, input: unknown): Claim {
    if (key.length > 255 || !/^[\x21-\x7e]+$/.test(key))
      throw new Fault('VAL_INVALID_FORMAT', 'An idempotency key is 1 to 255 visible ASCII characters.', undefined, [
        { field: 'idempotencyKey', message: 'must be 1 to 255 visible ASCII characters', code: 'VAL_INVALID_FORMAT' },
      ]);
    const inputHash = createHmac('sha256', secrets.derive('idempotency')).update(canonicalJson(input)).digest();
    return { operation, key, inputHash };
  },

  /** The stored answer of an earlier, finished call. Another input under the same key is refused. */
  async find(query: Query, caller: Who, claim: Claim): Promise<{ readonly value: unknown } | undefined> {
    const row = await query.find(
      answers,
      sql`/* kernel.idempotency.find */
      select input_hash, answer from kernel.idempotency
      where tenant = ${caller.tenant} and subject = ${caller.subject} and operation = ${claim.operation}
        and key = ${claim.key} and at > kernel.now() - make_interval(hours => ${RETENTION_HOURS})`,
    );
    if (!row) return undefined;
    if (!row.inputHash.equals(claim.inputHash))
      throw new Fault('RES_CONFLICT', 'This idempotency key was used with another input. Choose a new one.', {
        idempotencyKey: claim.key,
        operation: claim.operation,
      });
    if (!row.answer) return undefined;
    const value: unknown = deserialize(secrets.open(caller.tenant, sealName(caller, claim), row.answer));
    return { value };
  },

  /** Claims the key in this transaction. A second caller waits until the first has ended and then gets false. */
  async reserve(tx: Tx, caller: Who, claim: Claim): Promise<boolean> {
    const result = await tx.run(sql`/* kernel.idempotency.insert */
      insert into kernel.idempotency as known (tenant, subject, operation, key, input_hash)
      values (${caller.tenant}, ${caller.subject}, ${claim.operation}, ${claim.key}, ${claim.inputHash})
      on conflict (tenant, subject, operation, key) do update
        set input_hash = excluded.input_hash, answer = null, at = kernel.now()
        where known.at <= kernel.now() - make_interval(hours => ${RETENTION_HOURS})`);
    return result === 1;
  },

  async keep(tx: Tx, caller: Who, claim: Claim, value: unknown): Promise<void> {
    const answer = secrets.seal(caller.tenant, sealName(caller, claim), serialize(value));
    await tx.run(sql`/* kernel.idempotency.answer */
      update kernel.idempotency set answer = ${answer}
      where tenant = ${caller.tenant} and subject = ${caller.subject} and operation = ${claim.operation}
        and key = ${claim.key}`);
  },
});

/** Deletes expired answers. Role `landfall_system`. */
export const prune = (query: Query): Promise<number> =>
  query.run(sql`/* kernel.idempotency.prune */
    delete from kernel.idempotency where at <= kernel.now() - make_interval(hours => ${RETENTION_HOURS})`);
