import Type from 'typebox';
import { bigint, instant, json, tenantId, text } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Query } from '../db/query.ts';
import { byName, sql, trusted } from '../db/sql.ts';
import { type RowOf, table } from '../db/table.ts';
import { findHorizon } from './horizon.ts';

/** Transactions after which the position moves although nothing was found, so that nothing is read twice for long. */
const LONGEST_SPAN = 1_000n;

const events = table('kernel.events followed', {
  tenant: tenantId,
  xid: text,
  id: bigint,
  type: text,
  entityId: text,
  actor: text,
  correlationId: text,
  data: json(Type.Record(Type.String(), Type.Unknown())),
  at: instant,
});

/** Event of any tenant, with what a module needs to act on it. */
export type FollowedEvent = RowOf<typeof events>;

const positions = table('kernel.events position', { xid: text, eventId: bigint });

/** Transaction and event after which a follower goes on. */
type Position = RowOf<typeof positions>;

/**
 * Events of some types after a position and below the horizon, oldest first, with the position after them. Role
 * `landfall_system`.
 */
export const listAfter = async (
  query: Query,
  { xid, eventId }: Position,
  types: readonly string[],
  limit: number,
): Promise<{ readonly events: readonly FollowedEvent[]; readonly next: Position }> => {
  // Looked up once: a later look could pass over what this one hides.
  const horizon = String(await findHorizon(query));
  const found = await query.list(
    events,
    sql`/* kernel.events.listAfter */
    select tenant, xid::text as xid, id, type, entity_id, actor, correlation_id, data, at from kernel.events e
    where (e.xid, e.id) > (${xid}::xid8, ${String(eventId)}::bigint) and e.xid < ${horizon}::xid8
      and type = any(${types}::text[])
    order by e.xid, e.id limit ${limit}`,
  );
  const last = found.length < limit ? undefined : found.at(-1);
  return { events: found, next: last ? { xid: last.xid, eventId: last.id } : { xid: horizon, eventId: 0n } };
};

interface FollowerOptions {
  readonly database: Database;
  /** Table with the position in its only row: `(xid xid8, event_id bigint)`, which the role `landfall_system` updates. */
  readonly table: `${string}.${string}`;
  readonly types: readonly string[];
  /** Events of one turn. */
  readonly batch: number;
  /** Acts on an event, again after a crash or a failure: the same event twice changes nothing. */
  readonly follow: (event: FollowedEvent) => Promise<unknown>;
}

/** Creates a turn of a follower of events, in their order and each at least once. @returns the number of events */
export const createFollower = ({ database, table: name, types, batch, follow }: FollowerOptions) => {
  const place = trusted(name);
  const read = (query: Query) =>
    query.get(positions, byName(`${name}.get`, sql`select xid::text as xid, event_id from ${place}`));

  return async (): Promise<number> => {
    const { from, found, next } = await database.system.read(async (query) => {
      const position = await read(query);
      const { events: after, next: end } = await listAfter(query, position, types, batch);
      return { from: position, found: after, next: end };
    });
    for (const event of found) await follow(event);
    const isFarBehind = BigInt(next.xid) - BigInt(from.xid) > LONGEST_SPAN;
    // Unless another process moved it meanwhile.
    if (found.length > 0 || isFarBehind)
      await database.system.write((tx) =>
        tx.run(
          byName(
            `${name}.move`,
            sql`update ${place} set xid = ${next.xid}::xid8, event_id = ${String(next.eventId)}::bigint
              where xid = ${from.xid}::xid8 and event_id = ${String(from.eventId)}::bigint`,
          ),
        ),
      );
    return found.length;
  };
};
