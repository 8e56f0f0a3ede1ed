import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { type FrozenFinding, findingSchema } from '../score/finding.ts';

const scans = table(
  'scanner.scans.frozen',
  { id: id('Scan'), freezeNumber: integer, createdAt: instant, version: integer },
  { noun: 'scan' },
);

export type FrozenScanRow = RowOf<typeof scans>;

export const { get } = scans;

/** Scan of an image that was completed last. */
export const findByImage = (query: Query, tenant: TenantId, imageDigest: string): Promise<FrozenScanRow | undefined> =>
  scans.findWhere(
    query,
    'findByImage',
    sql`tenant = ${tenant} and image_digest = ${imageDigest} and status = 'completed'
      order by completed_at desc, id desc limit 1`,
  );

/** Keeps a scan from being frozen again until the transaction ends. */
export const lock = (tx: Tx, tenant: TenantId, scanId: Id<'Scan'>): Promise<FrozenScanRow | undefined> =>
  scans.findWhere(tx, 'lockForReplay', sql`tenant = ${tenant} and id = ${scanId} for share`);

const kept = table('scanner.manifests.kept', { freezeNumber: integer });

/** Whether the manifest of a freeze is stored. */
export const hasFreeze = (query: Query, tenant: TenantId, scanId: Id<'Scan'>, freezeNumber: number): Promise<boolean> =>
  kept.existsWhere(
    query,
    'hasFreeze',
    sql`tenant = ${tenant} and scan_id = ${scanId} and freeze_number = ${freezeNumber}`,
  );

const frozen = table('scanner.findings.frozen', {
  findings: json(Type.Array(Type.Omit(findingSchema, ['evidenceAgeSeconds']))).nullable(),
});

/**
 * Findings of a freeze as they were frozen, in no order; undefined where the freeze is not stored any more. One statement,
 * so that a scan which is being frozen again shows the findings of one freeze.
 */
export const findFindings = async (
  query: Query,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  freezeNumber: number,
): Promise<readonly FrozenFinding[] | undefined> => {
  const found = await query.find(
    frozen,
    sql`/* scanner.findings.findFrozen */
    select case when s.freeze_number = ${freezeNumber}
      then (select coalesce(jsonb_agg(f.finding), '[]') from scanner.findings f
        where f.tenant = ${tenant} and f.scan_id = ${scanId})
      else (select r.findings from scanner.frozen_findings r
        where r.tenant = ${tenant} and r.scan_id = ${scanId} and r.freeze_number = ${freezeNumber}) end as findings
    from scanner.scans s where s.tenant = ${tenant} and s.id = ${scanId}`,
  );
  return found?.findings ?? undefined;
};
