import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { policySchema } from '../score/policy.ts';

const manifests = table('scanner.manifests', {
  scanId: id('Scan'),
  freezeNumber: integer,
  manifest: text,
  envelope: text,
  manifestHash: text,
  manifestDigest: text,
  policy: json(policySchema),
  vexSetHash: text,
  capturedAt: instant.nullable(),
  createdAt: instant,
});

export type StoredManifest = RowOf<typeof manifests>;

export const { insert } = manifests;

type ScanId = Id<'Scan'>;

const orRefuse = (found: StoredManifest | undefined, scanId: ScanId, named = ''): StoredManifest => {
  if (found) return found;
  throw new Fault('RES_NOT_FOUND', `The scan ${scanId} has no manifest${named}.`, { id: scanId });
};

/** Manifest of the newest freeze of a scan. @throws Fault RES_NOT_FOUND for a scan that has none */
export const getNewest = async (query: Query, tenant: TenantId, scanId: ScanId): Promise<StoredManifest> =>
  orRefuse(
    await manifests.findWhere(
      query,
      'findNewest',
      sql`tenant = ${tenant} and scan_id = ${scanId} order by freeze_number desc limit 1`,
    ),
    scanId,
  );

/** Newest stored manifest of a scan over some inputs. @throws Fault RES_NOT_FOUND */
export const getByHash = async (
  query: Query,
  tenant: TenantId,
  scanId: ScanId,
  manifestHash: string,
): Promise<StoredManifest> =>
  orRefuse(
    await manifests.findWhere(
      query,
      'findByHash',
      sql`tenant = ${tenant} and scan_id = ${scanId} and manifest_hash = ${manifestHash} order by freeze_number desc limit 1`,
    ),
    scanId,
    ` ${manifestHash}`,
  );

/** Manifest of one freeze. @throws Fault RES_NOT_FOUND */
export const getOfFreeze = async (
  query: Query,
  tenant: TenantId,
  scanId: ScanId,
  freezeNumber: number,
): Promise<StoredManifest> =>
  orRefuse(
    await manifests.findWhere(
      query,
      'findOfFreeze',
      sql`tenant = ${tenant} and scan_id = ${scanId} and freeze_number = ${freezeNumber}`,
    ),
    scanId,
    ` of freeze ${freezeNumber}`,
  );

/** Manifests of the newest freezes of scans, in no order. */
export const listByScans = (query: Query, tenant: TenantId, scanIds: readonly ScanId[]): Promise<StoredManifest[]> =>
  query.list(
    manifests,
    sql`/* scanner.manifests.listByScans */
    select distinct on (scan_id) ${manifests.columns} from scanner.manifests
    where tenant = ${tenant} and scan_id = any(${scanIds}::uuid[])
    order by scan_id, freeze_number desc`,
  );
