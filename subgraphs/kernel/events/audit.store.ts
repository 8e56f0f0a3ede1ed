import { bigint, boolean, bytes, count, integer, text } from '../db/columns.ts';
import type { Query } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { type RowOf, table } from '../db/table.ts';
import { belowHorizon } from './horizon.ts';
import type { Cursor } from './read.ts';
import { utc } from './seal.store.ts';

const present = table('kernel.event_seals present', { isPresent: boolean });

/** Whether the database has the seal tables of this version. */
export const hasSeals = async (query: Query): Promise<boolean> =>
  (
    await query.get(
      present,
      sql`/* kernel.audit.hasSeals */ select exists (select from pg_attribute
        where attrelid = to_regclass('kernel.event_seals') and attname = 'log_origin') as is_present`,
    )
  ).isPresent;

// The audit reads any value that a column may hold, so that it can name it: hence text and whole bigints.
const seals = table('kernel.event_seals audited', {
  sequence: bigint,
  previous: bytes.nullable(),
  firstXid: text,
  firstId: text,
  lastXid: text,
  lastId: text,
  count: integer,
  root: bytes,
  leaves: bytes,
  cursors: bytes,
  sealedAt: text,
  hash: bytes,
});

/** Lists the seals after one, in order. */
export const listSeals = (query: Query, after: bigint, limit: number) =>
  query.list(
    seals,
    sql`/* kernel.audit.listSeals */
    select sequence, previous, first_xid::text as first_xid, first_id::text as first_id, last_xid::text as last_xid,
      last_id::text as last_id, count, root, leaves, cursors, ${utc('sealed_at')} as sealed_at, hash
    from kernel.event_seals
    where sequence > ${String(after)}::bigint
    order by event_seals.sequence
    limit ${limit}`,
  );

export type SealRow = Awaited<ReturnType<typeof listSeals>>[number];

const waiting = table('kernel.audit waiting', { count, since: text.nullable(), isLate: boolean });

/** Backlog of a worker: its size, the age of the oldest, and whether that is too old. */
export type Waiting = RowOf<typeof waiting>;

/** Age from which an unsealed or unlogged row is late: a server seals within a second and logs soon after. */
const LATE = sql`interval '1 minute'`;

/**
 * Measures the backlog of events after a position that are not sealed. Those above the horizon cannot be sealed yet,
 * and are not late.
 */
export const findUnsealed = (query: Query, { xid, id }: Cursor): Promise<Waiting> =>
  query.get(
    waiting,
    sql`/* kernel.audit.findUnsealed */
    select count(*) as count, ${utc('min(at)')} as since, coalesce(
      min(at) filter (where ${belowHorizon('xid')}) < kernel.now() - ${LATE}, false) as is_late
    from kernel.events where (xid, id) > (${String(xid)}::xid8, ${String(id)}::bigint)`,
  );

/** Measures the backlog of seals without a recorded log index. */
export const findUnlogged = (query: Query): Promise<Waiting> =>
  query.get(
    waiting,
    sql`/* kernel.audit.findUnlogged */
    select count(*) as count, ${utc('min(sealed_at)')} as since,
      coalesce(min(sealed_at) < kernel.now() - ${LATE}, false) as is_late
    from kernel.event_seals where log_index is null`,
  );

const logPosition = { logIndex: bigint.nullable(), logOrigin: text.nullable() };

const logged = table('kernel.event_seals logged', { sequence: bigint, hash: bytes, ...logPosition });

/** Lists seals by their sequence numbers, with what is recorded of the log. */
export const listLogged = (query: Query, sequences: readonly bigint[]) =>
  query.list(
    logged,
    sql`/* kernel.audit.listLogged */
    select sequence, hash, log_index, log_origin from kernel.event_seals where sequence = any(${sequences.map(String)}::bigint[])`,
  );

const noted = table('kernel.event_seals noted', { sequence: bigint, ...logPosition });

/** Lists seals after a given one whose index in the transparency log was recorded, in order. */
export const listNoted = (query: Query, after: bigint, limit: number) =>
  query.list(
    noted,
    sql`/* kernel.audit.listNoted */
    select sequence, log_index, log_origin from kernel.event_seals
    where log_index is not null and sequence > ${String(after)}::bigint
    order by sequence
    limit ${limit}`,
  );

const gaps = table('kernel.event_seals gaps', { sequence: bigint });

/**
 * Lists seals without a log index although a later seal has one. A single statement, so that none is about to be
 * recorded.
 */
export const listGaps = (query: Query, limit: number) =>
  query.list(
    gaps,
    sql`/* kernel.audit.listGaps */
    select sequence from kernel.event_seals
    where log_index is null
      and sequence < (select sequence from kernel.event_seals where log_index is not null order by sequence desc limit 1)
    order by sequence
    limit ${limit}`,
  );
