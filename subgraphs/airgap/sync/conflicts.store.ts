import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { isNamed, type JobName } from './jobs.store.ts';
import { STORED_KINDS } from './kinds.ts';

export const CONFLICT_STATES = ['open', 'resolved'] as const;

const conflicts = table(
  'airgap.sync_conflicts',
  {
    id: id('SyncConflict'),
    kind: oneOf(...STORED_KINDS),
    key: text,
    state: oneOf(...CONFLICT_STATES),
    chosenDigest: text.nullable(),
    reason: text.nullable(),
    resolvedBy: text.nullable(),
    resolvedAt: instant.nullable(),
    foundAt: instant,
    version: integer,
  },
  { noun: 'conflict' },
);

/** Key under which sites say different things. */
export type SyncConflict = RowOf<typeof conflicts>;

export const { getLocked, insert, update } = conflicts;

export const list = (
  query: Query,
  tenant: TenantId,
  { isOpen, limit }: { readonly isOpen: boolean; readonly limit: number },
): Promise<SyncConflict[]> =>
  conflicts.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and (not ${isOpen}::boolean or state = 'open') order by id desc limit ${limit}`,
  );

export const countOpen = (query: Query, tenant: TenantId): Promise<number> =>
  conflicts.countWhere(query, 'countOpen', sql`tenant = ${tenant} and state = 'open'`);

export const listByNames = (query: Query, tenant: TenantId, names: readonly JobName[]): Promise<SyncConflict[]> =>
  conflicts.listWhere(query, 'listByNames', sql`tenant = ${tenant} and ${isNamed(names)} for update`);
