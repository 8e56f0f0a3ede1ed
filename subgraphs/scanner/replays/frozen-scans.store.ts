import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, instant, integer, json, type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { type FrozenFinding, findingSchema } from '../score/finding.ts';

const scans = table(
  'scanner.scans.frozen',
  {
    id: id('Scan'),
    components: integer.nullable(),
    evaluated: integer.nullable(),
    noPurl: integer.nullable(),
    unknownEcosystem: integer.nullable(),
    badVersion: integer.nullable(),
    createdAt: instant,
    version: integer,
  },
  { noun: 'scan' },
);

export type FrozenScanRow = RowOf<typeof scans>;

export const { get } = scans;

/** Newest scan of an image that has a manifest. */
export const findByImage = (query: Query, tenant: TenantId, imageDigest: string): Promise<FrozenScanRow | undefined> =>
  scans.findWhere(
    query,
    'findByImage',
    sql`tenant = ${tenant} and image_digest = ${imageDigest}
        and exists (select from scanner.manifests m where m.tenant = ${tenant} and m.scan_id = scans.id)
      order by id desc limit 1`,
  );

const findings = table('scanner.findings.frozen', { finding: json(Type.Omit(findingSchema, ['evidenceAgeSeconds'])) });

/** Findings of a scan as they were frozen. */
export const listFindings = async (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<FrozenFinding[]> =>
  (await findings.listWhere(query, 'listFrozen', sql`tenant = ${tenant} and scan_id = ${scanId}`)).map(
    ({ finding }) => finding,
  );
