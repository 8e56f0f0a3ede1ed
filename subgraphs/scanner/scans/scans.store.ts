import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, instant, integer, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';

const SCAN_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
const SBOM_FORMATS = ['cyclonedx', 'spdx'] as const;

const scans = table(
  'scanner.scans',
  {
    id: id('Scan'),
    status: oneOf(...SCAN_STATUSES),
    imageDigest: text.nullable(),
    subjectName: text.nullable(),
    subjectVersion: text.nullable(),
    subjectPurl: text.nullable(),
    sbomDigest: text,
    sbomFormat: oneOf(...SBOM_FORMATS),
    components: integer.nullable(),
    evaluated: integer.nullable(),
    noPurl: integer.nullable(),
    unknownEcosystem: integer.nullable(),
    badVersion: integer.nullable(),
    findingCount: integer.nullable(),
    /** Newest score, in parts per million. */
    scorePpm: integer.nullable(),
    rootHash: text.nullable(),
    error: text.nullable(),
    requestedBy: text,
    createdAt: instant,
    completedAt: instant.nullable(),
    version: integer,
  },
  { noun: 'scan' },
);

export type Scan = RowOf<typeof scans>;

export const { get } = scans;

export interface ScanFilter {
  readonly imageDigest?: string | undefined;
}

/** Scans, newest first; one more than the page if there are more. `after` is the last id of the previous page. */
export const list = (
  query: Query,
  tenant: TenantId,
  { imageDigest }: ScanFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<Scan[]> =>
  scans.listWhere(
    query,
    'list',
    sql`tenant = ${tenant}
        and (${imageDigest ?? null}::text is null or image_digest = ${imageDigest ?? null})
        and (${page.after ?? null}::uuid is null or id < ${page.after ?? null})
      order by id desc
      limit ${page.limit}`,
  );
