import type { Who } from '../core/caller.ts';
import { markEvent, type Tx } from '../db/query.ts';
import { jsonb, sql } from '../db/sql.ts';
import { isNotDenied, type TokenNames, tokenRevoked } from '../identity/denylist.ts';

interface EventBody {
  /** GraphQL typename, as `/changes` sends it. */
  readonly entity: string;
  readonly id: string;
  /** The entity's version after this write. */
  readonly version: number;
  /** Facts for auditors and other modules. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Publishes an unaudited change, such as growth of a log, in the one notice row of its entity. */
export const notice = async (tx: Tx, caller: Who, type: string, body: Omit<EventBody, 'data'>): Promise<void> => {
  await tx.run(sql`/* kernel.notices.upsert */
    insert into kernel.notices (tenant, entity, entity_id, type, version, actor)
    values (${caller.tenant}, ${body.entity}, ${body.id}, ${type}, ${body.version}, ${caller.subject})
    on conflict (tenant, entity, entity_id) do update set
      xid = excluded.xid, id = excluded.id, type = excluded.type, version = excluded.version, actor = excluded.actor,
      at = excluded.at`);
  markEvent(tx, body.entity);
};

/** Names of a caller that the denylist may contain; none for a caller without a token, such as a worker. */
export const namesOf = ({ tokenId: jti, tenant, clientId, subject }: Who): TokenNames =>
  jti === undefined ? {} : { jti, tenant, clientId, subject };

/**
 * Writes the audit row, outbox row and change notice of a write, in its transaction. The same statement asks the
 * denylist, so that a write by a revoked token or a stopped principal never commits; asking costs no round trip.
 * @throws Fault AUTH_TOKEN_REVOKED
 */
export const event = async (tx: Tx, caller: Who, type: string, body: EventBody): Promise<void> => {
  const written = await tx.run(sql`/* kernel.events.insert */
    insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
    select ${caller.tenant}, ${type}, ${body.entity}, ${body.id}, ${body.version}::integer, ${caller.subject},
      ${caller.correlationId}, ${jsonb(body.data ?? {})}::jsonb
    where ${isNotDenied(namesOf(caller))}`);
  if (written === 0) throw tokenRevoked();
  markEvent(tx, body.entity);
};

/** Writer of the events of one kind of entity. An entity without a version has the version 1. */
export const eventsOf =
  (entity: string) =>
  (
    tx: Tx,
    caller: Who,
    type: string,
    { id, version = 1 }: { readonly id: string; readonly version?: number },
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<void> =>
    event(tx, caller, type, { entity, id, version, data });
