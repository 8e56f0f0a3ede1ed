import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { json, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { policySchema } from '../score/policy.ts';

const artifacts = table('scanner.scans.artifact', { imageDigest: text.nullable(), subjectPurl: text.nullable() });

/** Artifact of a scan. @throws Fault RES_NOT_FOUND */
export const getArtifact = async (query: Query, tenant: TenantId, scanId: Id<'Scan'>) => {
  const found = await artifacts.findWhere(query, 'findArtifact', sql`tenant = ${tenant} and id = ${scanId}`);
  if (!found) throw new Fault('RES_NOT_FOUND', `There is no scan ${scanId}.`, { id: scanId });
  return found;
};

const pins = table('scanner.manifests.vex', { vexSetHash: text, policy: json(policySchema) });

/** Newest manifest of a scan: the documents that it pins, and its policy. */
export const findPin = (query: Query, tenant: TenantId, scanId: Id<'Scan'>) =>
  pins.findWhere(query, 'findVex', sql`tenant = ${tenant} and scan_id = ${scanId} order by freeze_number desc limit 1`);

const subjects = table('scanner.findings.vex', {
  findingId: text,
  vulnId: text,
  aliases: textArray,
  purl: text,
  componentHashes: textArray,
});

/** Vulnerabilities and components of some findings of a scan. */
export const listSubjects = (query: Query, tenant: TenantId, scanId: Id<'Scan'>, findingIds: readonly string[]) =>
  subjects.listWhere(
    query,
    'listVex',
    sql`tenant = ${tenant} and scan_id = ${scanId} and finding_id = any(${findingIds}::text[])`,
  );
