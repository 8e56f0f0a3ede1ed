import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const scans = table('scanner.scans.triage', {
  imageDigest: text.nullable(),
  subjectName: text.nullable(),
  subjectVersion: text.nullable(),
  subjectPurl: text.nullable(),
});

/** Subject of a scan. @throws Fault RES_NOT_FOUND */
export const getTriagedScan = async (query: Query, tenant: TenantId, scanId: Id<'Scan'>) => {
  const found = await scans.findWhere(query, 'findTriaged', sql`tenant = ${tenant} and id = ${scanId}`);
  if (!found) throw new Fault('RES_NOT_FOUND', `There is no scan ${scanId}.`, { id: scanId });
  return found;
};

const findings = table('scanner.findings.triage', {
  findingId: text,
  vulnId: text,
  aliases: textArray,
  purl: text,
  componentHashes: textArray,
});

/** Vulnerabilities and components of some findings of a scan. */
export const listTriagedFindings = (query: Query, tenant: TenantId, scanId: Id<'Scan'>, ids: readonly string[]) =>
  findings.listWhere(
    query,
    'listTriaged',
    sql`tenant = ${tenant} and scan_id = ${scanId} and finding_id = any(${ids}::text[])`,
  );
