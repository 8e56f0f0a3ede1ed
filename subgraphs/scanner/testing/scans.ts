import { type Id, type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import type { Deps } from '@landfall/kernel/module';
import { frozenFinding } from './frozen-scan.ts';

interface TestFinding {
  readonly purl: string;
  readonly vulnId: string;
  readonly aliases?: readonly string[];
  readonly severityTenths?: number;
}

interface TestScan {
  readonly tenant?: TenantId;
  readonly status?: 'queued' | 'completed';
  readonly findings?: readonly TestFinding[];
  /** Canonical purls of components without findings. */
  readonly components?: readonly string[];
}

interface TestFindings {
  readonly tenant?: TenantId;
  readonly scan: Id<'Scan'>;
  readonly findings: readonly TestFinding[];
}

/** Inserts findings of a scan, as its completion does. */
export const insertFindings = (
  { database }: Pick<Deps, 'database'>,
  { tenant = toTenantId('acme'), scan, findings }: TestFindings,
): Promise<void> =>
  database.write(tenant, async (tx) => {
    for (const { purl, vulnId, aliases = [], severityTenths = null } of findings) {
      const finding = frozenFinding({ purl, vulnId });
      await tx.run(sql`
        insert into scanner.findings (tenant, scan_id, finding_id, finding, vuln_id, purl, component_key, class,
          alias_group, aliases, severity_tenths)
        values (${tenant}, ${scan}, ${finding.findingId}, ${jsonb(finding)}, ${vulnId}, ${purl},
          ${purl}, ${finding.class}, 1, ${aliases}, ${severityTenths})`);
    }
  });

/** Inserts a scan with findings, without a bill of materials. */
export const insertScan = async (
  { database, ids }: Pick<Deps, 'database' | 'ids'>,
  { tenant = toTenantId('acme'), status = 'completed', findings = [], components = [] }: TestScan = {},
): Promise<Id<'Scan'>> => {
  const id = toId(ids.uuid(), 'Scan');
  const count = status === 'completed' ? 0 : null;
  await database.write(tenant, async (tx) => {
    await tx.run(sql`
      insert into scanner.scans (tenant, id, identity, status, sbom_digest, sbom_format, components, evaluated, no_purl,
        unknown_ecosystem, bad_version, finding_count, requested_by, completed_at)
      values (${tenant}, ${id}, ${id}, ${status}, ${sha256(id)}, 'cyclonedx', ${count}, ${count}, ${count}, ${count},
        ${count}, ${count}, 'tester', case when ${status} = 'completed' then kernel.now() end)`);
    for (const [n, purl] of components.entries())
      await tx.run(sql`
        insert into scanner.components (tenant, scan_id, n, name, purl, outcome)
        values (${tenant}, ${id}, ${n}, ${purl}, ${purl}, 'evaluated')`);
  });
  await insertFindings({ database }, { tenant, scan: id, findings });
  return id;
};
