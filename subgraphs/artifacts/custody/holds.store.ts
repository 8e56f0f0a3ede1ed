import type { TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

const holds = table(
  'evidence.holds',
  {
    id: id('EvidenceHold'),
    artifactId: id('Artifact'),
    reason: text,
    placedBy: text,
    placedAt: instant,
    endedBy: text.nullable(),
    endedAt: instant.nullable(),
    endReason: text.nullable(),
    version: integer,
  },
  { noun: 'hold' },
);

export type Hold = RowOf<typeof holds>;

export const { insert, getLocked, update } = holds;

/** Page of the holds of a tenant, the newest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  isInForce: boolean,
  bounds: { readonly after: string | undefined; readonly limit: number },
): Promise<Hold[]> => holds.listPage(query, tenant, bounds, sql`(not ${isInForce}::boolean or ended_at is null)`);

/** Holds of some artifacts, the newest first. */
export const listByArtifacts = (query: Query, tenant: TenantId, ids: readonly ArtifactId[]): Promise<Hold[]> =>
  holds.listWhere(
    query,
    'listByArtifacts',
    sql`tenant = ${tenant} and artifact_id = any(${ids}::uuid[]) order by id desc`,
  );

/** Whether an artifact has a hold that was not ended. */
export const isHeld = (query: Query, tenant: TenantId, artifactId: ArtifactId): Promise<boolean> =>
  holds.existsWhere(query, 'isHeld', sql`tenant = ${tenant} and artifact_id = ${artifactId} and ended_at is null`);

/** Removes the holds of an artifact that have ended, before the artifact itself goes. */
export const removeEnded = (tx: Tx, tenant: TenantId, artifactId: ArtifactId): Promise<number> =>
  holds.removeWhere(
    tx,
    'removeEnded',
    sql`tenant = ${tenant} and artifact_id = ${artifactId} and ended_at is not null`,
  );
