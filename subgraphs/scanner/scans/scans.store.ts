import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { id, instant, integer, oneOf, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';
import type { FrozenState } from './freeze.ts';
import { SBOM_FORMATS } from './sboms.store.ts';

const scans = table(
  'scanner.scans',
  {
    id: id('Scan'),
    status: oneOf('queued', 'running', 'completed', 'failed'),
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
    /** Number of the newest freeze. */
    freezeNumber: integer,
    version: integer,
  },
  { noun: 'scan', writes: { identity: text } },
);

const open = table('scanner.scans open', { tenant: tenantId, id: id('Scan') });

export type ScanId = Id<'Scan'>;
export type Scan = RowOf<typeof scans>;

export const { get, findLocked, insertIfAbsent } = scans;

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

export const getByIdentity = (query: Query, tenant: TenantId, identity: string): Promise<Scan> =>
  query.get(
    scans,
    sql`/* scanner.scans.getByIdentity */
    select ${scans.columns} from scanner.scans where tenant = ${tenant} and identity = ${identity}`,
  );

/** Oldest scans that are not complete, of any tenant. Role `landfall_system`. */
export const listOpen = (query: Query, limit: number) =>
  query.list(
    open,
    sql`/* scanner.scans.listOpen */
    select tenant, id from scanner.scans where status in ('queued', 'running') order by id limit ${limit}`,
  );

export const setRunning = (tx: Tx, tenant: TenantId, scan: ScanId): Promise<Scan> =>
  scans.update(tx, tenant, scan, { status: 'running' });

export const setFailed = (tx: Tx, tenant: TenantId, scan: ScanId, error: string): Promise<Scan> =>
  scans.update(tx, tenant, scan, { status: 'failed', error, completedAt: sql`kernel.now()` });

/** Completes a scan with its frozen state. */
export const setCompleted = (
  tx: Tx,
  tenant: TenantId,
  scan: ScanId,
  findingCount: number,
  { coverage, scorePpm, rootHash, inputs }: FrozenState,
): Promise<Scan> =>
  tx.get(
    scans,
    sql`/* scanner.scans.setCompleted */
    update scanner.scans set status = 'completed', components = ${coverage.components}, evaluated = ${coverage.evaluated},
      no_purl = ${coverage.noPurl}, unknown_ecosystem = ${coverage.unknownEcosystem}, bad_version = ${coverage.badVersion},
      finding_count = ${findingCount}, score_ppm = ${scorePpm}, root_hash = ${rootHash}, inputs = ${jsonb(inputs)},
      completed_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${scan}
    returning ${scans.columns}`,
  );
