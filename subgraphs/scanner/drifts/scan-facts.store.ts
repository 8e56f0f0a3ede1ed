import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { integer, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

export type ScanId = Id<'Scan'>;

const scans = table('scanner.scans.facts', {
  status: oneOf('queued', 'running', 'completed', 'failed'),
  version: integer,
});

const noScan = (scanId: ScanId): Fault => new Fault('RES_NOT_FOUND', `There is no scan ${scanId}.`, { id: scanId });

/** Status of a scan. @throws Fault RES_NOT_FOUND */
export const getScan = async (query: Query, tenant: TenantId, scanId: ScanId) => {
  const scan = await scans.findWhere(query, 'findFacts', sql`tenant = ${tenant} and id = ${scanId}`);
  if (!scan) throw noScan(scanId);
  return scan;
};

/** Locks a scan, so that it is not frozen again until the transaction ends. */
export const lockScan = (tx: Tx, tenant: TenantId, scanId: ScanId) =>
  scans.findWhere(tx, 'lockFacts', sql`tenant = ${tenant} and id = ${scanId} for update`);

/** Locks a scan and raises its version, which the events of its call graphs and jobs carry. @throws Fault RES_NOT_FOUND */
export const advanceScan = async (tx: Tx, tenant: TenantId, scanId: ScanId) => {
  const scan = await tx.find(
    scans,
    sql`/* scanner.scans.advance */
    update scanner.scans set version = version + 1 where tenant = ${tenant} and id = ${scanId}
    returning status, version`,
  );
  if (!scan) throw noScan(scanId);
  return scan;
};

const findings = table('scanner.findings.subjects', {
  findingId: text,
  purl: text,
  vulnId: text,
  aliases: textArray,
});

/** Findings of a scan whose packages have one of the purl types. */
export const listFindings = (query: Query, tenant: TenantId, scanId: ScanId, purlTypes: readonly string[]) =>
  findings.listWhere(
    query,
    'listSubjects',
    sql`tenant = ${tenant} and scan_id = ${scanId}
      and split_part(split_part(purl, '/', 1), ':', 2) = any(${purlTypes})
    order by finding_id`,
  );

const severities = table('scanner.findings.severities', {
  vulnId: text,
  aliases: textArray,
  severityTenths: integer.nullable(),
});

/** Severities of the vulnerabilities of some scans. */
export const listSeverities = (query: Query, tenant: TenantId, scanIds: readonly ScanId[]) =>
  severities.listWhere(query, 'listSeverities', sql`tenant = ${tenant} and scan_id = any(${scanIds}::uuid[])`);

const packages = table('scanner.components.packages', { purl: text.nullable() });

/** Canonical purls of the Go modules of a scan. */
export const listGoModules = async (query: Query, tenant: TenantId, scanId: ScanId): Promise<readonly string[]> => {
  const rows = await query.list(
    packages,
    sql`/* scanner.components.listGoModules */
    select distinct purl from scanner.components
    where tenant = ${tenant} and scan_id = ${scanId} and purl like 'pkg:golang/%'
    order by purl`,
  );
  return rows.flatMap(({ purl }) => purl ?? []);
};
