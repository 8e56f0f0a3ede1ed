import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { bigint, json, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';
import { findHorizon } from '@landfall/kernel/events/horizon';
import Type from 'typebox';

const feeds = table('airgap.event_feed', { xid: text, eventId: bigint });

type Feed = RowOf<typeof feeds>;

const events = table('airgap.platform_events', {
  tenant: tenantId,
  xid: text,
  id: bigint,
  entityId: text,
  correlationId: text,
  data: json(Type.Record(Type.String(), Type.Unknown())),
});

/** Events of a type after the position and below the horizon, oldest first, with both positions. Role `landfall_system`. */
export const listNext = async (query: Query, type: string, limit: number) => {
  const from = await query.get(
    feeds,
    sql`/* airgap.event_feed.get */ select xid::text as xid, event_id from airgap.event_feed`,
  );
  // Looked up once: a later look could pass over what this one hides.
  const horizon = String(await findHorizon(query));
  const found = await query.list(
    events,
    sql`/* airgap.platform_events.listNext */
    select tenant, xid::text as xid, id, entity_id, correlation_id, data from kernel.events e
    where (e.xid, e.id) > (${from.xid}::xid8, ${String(from.eventId)}::bigint) and e.xid < ${horizon}::xid8
      and type = ${type}
    order by e.xid, e.id limit ${limit}`,
  );
  const last = found.length < limit ? undefined : found.at(-1);
  return { from, events: found, next: last ? { xid: last.xid, eventId: last.id } : { xid: horizon, eventId: 0n } };
};

/** Moves the position, unless another process did. */
export const moveFeed = (tx: Tx, from: Feed, next: Feed): Promise<number> =>
  tx.run(sql`/* airgap.event_feed.move */
    update airgap.event_feed set xid = ${next.xid}::xid8, event_id = ${String(next.eventId)}::bigint
    where xid = ${from.xid}::xid8 and event_id = ${String(from.eventId)}::bigint`);
