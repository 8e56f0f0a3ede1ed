import type { TenantId } from '@landfall/kernel/core/ids';
import { instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export const MIRROR_KINDS = ['feeds', 'vex'] as const;

/** `queued`: a worker takes it next. `imported`: its content is in force, and the event is not written yet. */
const MIRROR_STATES = ['queued', 'imported', 'complete', 'failed'] as const;

const sources = table(
  'airgap.mirror_sources',
  {
    sourceId: text,
    kind: oneOf(...MIRROR_KINDS),
    folder: text,
    vexSource: text.nullable(),
    state: oneOf(...MIRROR_STATES),
    sequence: integer,
    records: integer,
    rejected: integer,
    startedAt: instant.nullable(),
    finishedAt: instant.nullable(),
    errorCode: text.nullable(),
    errorMessage: text.nullable(),
    requestedBy: text,
    requestedThrough: text,
    version: integer,
  },
  { noun: 'mirror', key: 'sourceId', writes: { leaseUntil: instant.nullable() } },
);

/** Mirror of an advisory source, with its newest import. */
export type MirrorSource = RowOf<typeof sources>;

export const MAX_SOURCES = 200;

export const { find, get, getLocked, insert } = sources;

/** Mirrors by the ids of their sources. */
export const list = (query: Query, tenant: TenantId): Promise<MirrorSource[]> =>
  sources.listWhere(query, 'list', sql`tenant = ${tenant} order by source_id limit ${MAX_SOURCES}`);

/** Mirror whose import was requested last. */
export const findNewest = (query: Query, tenant: TenantId): Promise<MirrorSource | undefined> =>
  sources.findWhere(
    query,
    'findNewest',
    sql`tenant = ${tenant} order by coalesce(finished_at, started_at, 'infinity') desc, source_id limit 1`,
  );

type Changes = Partial<Omit<MirrorSource, 'sourceId' | 'version'>>;

/** Changes a mirror and ends its lease. */
export const update = (tx: Tx, tenant: TenantId, sourceId: string, changes: Changes): Promise<MirrorSource> =>
  sources.update(tx, tenant, sourceId, {
    ...changes,
    leaseUntil: null,
    ...((changes.state === 'complete' || changes.state === 'failed') && { finishedAt: sql`kernel.now()` }),
  });

const due = table('airgap.mirror_sources due', { tenant: tenantId, sourceId: text });

/** Leases a mirror whose import is due. Role `landfall_system`. */
export const leaseDue = (tx: Tx, leaseSeconds: number) =>
  tx.find(
    due,
    sql`/* airgap.mirror_sources.leaseDue */
    update airgap.mirror_sources set started_at = coalesce(started_at, kernel.now()),
      lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    where (tenant, source_id) = (
      select tenant, source_id from airgap.mirror_sources
      where state in ('queued', 'imported') and (lease_until is null or lease_until <= kernel.now())
      order by tenant, source_id limit 1 for update skip locked)
    returning tenant, source_id`,
  );
