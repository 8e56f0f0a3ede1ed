import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { id, instant, json, type RowOf, table, text } from '@landfall/kernel/db/table';
import { policySchema } from '../score/policy.ts';

const manifests = table(
  'scanner.manifests',
  {
    scanId: id('Scan'),
    manifest: text,
    envelope: text,
    manifestHash: text,
    manifestDigest: text,
    policy: json(policySchema),
    vexSetHash: text,
    capturedAt: instant.nullable(),
    createdAt: instant,
  },
  {
    key: 'scanId',
    notFound: (scanId) => new Fault('RES_NOT_FOUND', `The scan ${scanId} has no manifest.`, { id: scanId }),
  },
);

export type StoredManifest = RowOf<typeof manifests>;

export const { get, find, insert, insertIfAbsent } = manifests;

/** Manifests of scans, in no order. */
export const listByScans = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
): Promise<StoredManifest[]> =>
  manifests.listWhere(query, 'listByScans', sql`tenant = ${tenant} and scan_id = any(${scanIds}::uuid[])`);
