import { integer } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

/** Attempts without a wait, and the longest wait after them. */
export interface Allowance {
  readonly free: number;
  readonly longestWaitMs: number;
}

const attempts = table('authority.sign_in_attempts', { failures: integer });
const waits = table('authority.sign_in_attempts wait', { waitMs: integer });

/** Age after which failures are ignored. */
const RESET_INTERVAL = sql`interval '1 hour'`;

/** Counts a failure and sets the resulting wait, doubling by seconds; undefined while a wait is running. */
export const count = async (tx: Tx, key: Buffer, { free, longestWaitMs }: Allowance): Promise<number | undefined> => {
  const failures = sql`(case when known.last_at < kernel.now() - ${RESET_INTERVAL} then 1 else known.failures + 1 end)`;
  const row = await tx.find(
    attempts,
    sql`/* authority.sign_in_attempts.count */
    insert into authority.sign_in_attempts as known (key_hash, failures, last_at, blocked_until)
    values (${key}, 1, kernel.now(), kernel.now())
    on conflict (key_hash) do update set
      failures = ${failures},
      last_at = kernel.now(),
      blocked_until = kernel.now() + make_interval(secs => case
        when ${failures} < ${free}::integer then 0
        else least(${longestWaitMs / 1000}::float8, power(2, least(${failures} - ${free}::integer, 30))) end)
    where known.blocked_until <= kernel.now()
    returning ${attempts.columns}`,
  );
  return row?.failures;
};

export const waitMs = async (tx: Tx, key: Buffer): Promise<number> =>
  (
    await tx.find(
      waits,
      sql`/* authority.sign_in_attempts.wait */
      select (extract(epoch from blocked_until - kernel.now()) * 1000)::integer as wait_ms
      from authority.sign_in_attempts where key_hash = ${key}`,
    )
  )?.waitMs ?? 0;

export const forget = (tx: Tx, key: Buffer): Promise<number> =>
  attempts.removeWhere(tx, 'forget', sql`key_hash = ${key}`);

/** Time that a network stays known after a successful sign-in. */
const KNOWN_FOR = sql`interval '30 days'`;

/** Whether this name signed in from this network lately. */
export const isKnown = (tx: Tx, key: Buffer): Promise<boolean> =>
  attempts.existsWhere(tx, 'isKnown', sql`key_hash = ${key} and known_until > kernel.now()`);

/** Clears failures and marks the network as known. */
export const know = (tx: Tx, key: Buffer): Promise<number> =>
  tx.run(sql`/* authority.sign_in_attempts.know */
    insert into authority.sign_in_attempts (key_hash, failures, last_at, blocked_until, known_until)
    values (${key}, 0, kernel.now(), kernel.now(), kernel.now() + ${KNOWN_FOR})
    on conflict (key_hash) do update set failures = 0, blocked_until = excluded.blocked_until,
      known_until = excluded.known_until`);

export const discount = (tx: Tx, key: Buffer): Promise<number> =>
  tx.run(sql`/* authority.sign_in_attempts.discount */
    update authority.sign_in_attempts set failures = greatest(failures - 1, 0), blocked_until = kernel.now()
    where key_hash = ${key}`);

export const prune = (query: Query): Promise<number> =>
  attempts.removeWhere(
    query,
    'prune',
    sql`last_at < kernel.now() - ${RESET_INTERVAL} and blocked_until < kernel.now()
      and coalesce(known_until < kernel.now(), true)`,
  );
