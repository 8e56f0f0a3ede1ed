import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { bigint, json, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';
import { findHorizon } from '@landfall/kernel/events/horizon';
import Type from 'typebox';

const feeds = table('evidence.event_feed', { xid: text, eventId: bigint });

type Feed = RowOf<typeof feeds>;

const events = table('evidence.platform_events', {
  tenant: tenantId,
  xid: text,
  id: bigint,
  type: text,
  entityId: text,
  correlationId: text,
  data: json(Type.Record(Type.String(), Type.Unknown())),
});

/** Position of the feed. Role `landfall_system`. */
const getFeed = (query: Query): Promise<Feed> =>
  query.get(
    feeds,
    sql`/* evidence.event_feed.get */
    select xid::text as xid, event_id from evidence.event_feed`,
  );

/** Events of some types after the position and below the horizon, oldest first, with both positions. */
export const listNext = async (query: Query, types: readonly string[], limit: number) => {
  const from = await getFeed(query);
  // Looked up once: a later look could pass over what this one hides.
  const horizon = String(await findHorizon(query));
  const found = await query.list(
    events,
    sql`/* evidence.platform_events.listNext */
    select tenant, xid::text as xid, id, type, entity_id, correlation_id, data from kernel.events e
    where (e.xid, e.id) > (${from.xid}::xid8, ${String(from.eventId)}::bigint) and e.xid < ${horizon}::xid8
      and type = any(${types}::text[])
    order by e.xid, e.id limit ${limit}`,
  );
  const last = found.length < limit ? undefined : found.at(-1);
  return { from, events: found, next: last ? { xid: last.xid, eventId: last.id } : { xid: horizon, eventId: 0n } };
};

/** Moves the position, unless another process did. */
export const moveFeed = (tx: Tx, from: Feed, next: Feed): Promise<number> =>
  tx.run(sql`/* evidence.event_feed.move */
    update evidence.event_feed set xid = ${next.xid}::xid8, event_id = ${String(next.eventId)}::bigint
    where xid = ${from.xid}::xid8 and event_id = ${String(from.eventId)}::bigint`);
