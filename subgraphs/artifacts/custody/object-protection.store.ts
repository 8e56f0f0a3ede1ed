import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';
import { IS_HELD, retentionEnd } from './artifact-custody.store.ts';

/** Pause before the bucket is asked again about an object that it did not protect. */
const RETRY_MS = 3_600_000;

const due = table('evidence.artifact_index unprotected', {
  tenant: tenantId,
  artifactId: id('Artifact'),
  storageKey: text,
  protectionMark: integer,
  /** Null once it is over. */
  retainUntil: instant.nullable(),
  isHeld: boolean,
});

type UnprotectedArtifact = RowOf<typeof due>;

/** Artifacts whose protection changed since the bucket was told. Role `landfall_system`. */
export const listDue = (query: Query, retentionDays: number, limit: number): Promise<UnprotectedArtifact[]> =>
  query.list(
    due,
    sql`/* evidence.artifact_index.listDueForProtection */
    select a.tenant, a.artifact_id, a.storage_key, a.protection_mark,
      case when ended.at > kernel.now() then ended.at end as retain_until,
      ${IS_HELD} as is_held
    from evidence.artifact_index a
    cross join lateral (select ${retentionEnd(retentionDays)} as at) ended
    where a.protection_due_at <= kernel.now() and a.corrupt_at is null order by a.protection_due_at limit ${limit}`,
  );

/** Marks the protection of an artifact as changed. */
export const markDue = (tx: Tx, tenant: TenantId, artifactId: ArtifactId): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.markDueForProtection */
    update evidence.artifact_index set protection_due_at = kernel.now(), protection_mark = protection_mark + 1
    where tenant = ${tenant} and artifact_id = ${artifactId}`);

/** Notes that the bucket was told, unless the protection changed meanwhile. Role `landfall_system`. */
export const settle = (tx: Tx, { tenant, artifactId, protectionMark }: UnprotectedArtifact): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.settleProtection */
    update evidence.artifact_index set protection_due_at = null
    where tenant = ${tenant} and artifact_id = ${artifactId} and protection_mark = ${protectionMark}`);

/** Postpones an artifact that the bucket did not protect. Role `landfall_system`. */
export const postpone = (tx: Tx, { tenant, artifactId }: UnprotectedArtifact): Promise<number> =>
  tx.run(sql`/* evidence.artifact_index.postponeProtection */
    update evidence.artifact_index set protection_due_at = ${fromNow(RETRY_MS)}
    where tenant = ${tenant} and artifact_id = ${artifactId}`);
