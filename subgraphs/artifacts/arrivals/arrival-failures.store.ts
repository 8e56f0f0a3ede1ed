import { id, instant, integer, json, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

const FIRST_PAUSE = '1 minute';
const LONGEST_PAUSE = '1 day';

const failures = table('evidence.arrival_failures', {
  id: id('EvidenceArrival'),
  type: text,
  entityId: text,
  attempts: integer,
  reason: text,
  failedAt: instant,
  retryAt: instant,
});

/** Document of the platform that could not be put yet. */
export type ArrivalFailure = RowOf<typeof failures>;

export const { listPage } = failures;

const due = table('evidence.arrival_failures due', {
  tenant: tenantId,
  type: text,
  entityId: text,
  correlationId: text,
  data: json(Type.Record(Type.String(), Type.Unknown())),
});

export type AnnouncedDocument = RowOf<typeof due>;

/** Key of a document among those of its entity: events of one entity may announce several, each with its digest. */
const keyOf = ({ entityId, data: { digest } }: Pick<AnnouncedDocument, 'entityId' | 'data'>): string =>
  typeof digest === 'string' ? `${entityId} ${digest}` : entityId;

/** Documents that are to be put again. Role `landfall_system`. */
export const listDue = (query: Query, limit: number): Promise<AnnouncedDocument[]> =>
  query.list(
    due,
    sql`/* evidence.arrival_failures.listDue */
    select tenant, type, split_part(entity_id, ' ', 1) as entity_id, correlation_id, data
    from evidence.arrival_failures where retry_at <= kernel.now() order by retry_at limit ${limit}`,
  );

/** Notes that a document could not be put, for the first time or again: each pause is twice the last. Role `landfall_system`. */
export const note = (
  tx: Tx,
  { tenant, type, entityId, correlationId, data }: AnnouncedDocument,
  { id: newId, reason }: { readonly id: string; readonly reason: string },
): Promise<number> =>
  tx.run(sql`/* evidence.arrival_failures.note */
    insert into evidence.arrival_failures as known (tenant, id, type, entity_id, correlation_id, data, reason, retry_at)
    values (${tenant}, ${newId}, ${type}, ${keyOf({ entityId, data })}, ${correlationId}, ${jsonb(data)}::jsonb, ${reason},
      kernel.now() + ${FIRST_PAUSE}::interval)
    on conflict (tenant, type, entity_id) do update set attempts = known.attempts + 1, reason = excluded.reason,
      correlation_id = excluded.correlation_id, data = excluded.data,
      retry_at = kernel.now() + least(${FIRST_PAUSE}::interval * 2 ^ least(known.attempts, 11), ${LONGEST_PAUSE}::interval)`);

/** Forgets the failure of a document that was put. Role `landfall_system`. */
export const remove = (
  tx: Tx,
  { tenant, type, ...document }: Pick<AnnouncedDocument, 'tenant' | 'type' | 'entityId' | 'data'>,
): Promise<number> =>
  tx.run(sql`/* evidence.arrival_failures.remove */
    delete from evidence.arrival_failures where tenant = ${tenant} and type = ${type} and entity_id = ${keyOf(document)}`);
