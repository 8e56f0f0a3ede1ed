// Scan that is complete and frozen, without its bill of materials and its feeds.
import type { Who } from '@landfall/kernel/core/caller';
import { type Id, toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import type { SeedContext } from '@landfall/kernel/operation/seed';
import { type Manifests, storeFreeze } from '../manifests/manifests.ts';
import { type FrozenFinding, findingIdOf } from '../score/finding.ts';
import { plainFinding } from '../score/golden-scan.fixture.ts';
import { createManifest } from '../score/manifest.ts';
import { DEFAULT_POLICY, type Policy } from '../score/policy.ts';
import { replay } from '../score/replay.ts';
import type { Coverage } from '../score/scan-score.ts';
import { vexSetHash } from '../score/vex-set.ts';

/** Facts of the scan; each has a default. */
export interface GivenScan {
  /** Text of which the digest of the image is made. */
  readonly image?: string;
  readonly findings?: readonly FrozenFinding[];
  readonly coverage?: Coverage;
  readonly policy?: Policy;
  /** Flag of the manifest. */
  readonly deterministic?: boolean;
}

interface Writer {
  readonly manifests: Manifests;
  readonly deps: SeedContext['deps'];
  readonly who: Who;
}

/** Finding of a package of npm, with the given changes. */
export const frozenFinding = (changes: Partial<FrozenFinding> = {}): FrozenFinding => {
  const finding = plainFinding(changes);
  const { purl, vulnId } = finding;
  return { ...finding, findingId: findingIdOf({ purl, vulnId, componentPath: purl }) };
};

const FINDINGS: readonly FrozenFinding[] = [
  frozenFinding({ vulnId: 'CVE-2026-0001', epss: '0.0123456' }),
  frozenFinding({ vulnId: 'CVE-2026-0002', kev: true, reachability: 'unknown', exposure: 'internal' }),
];

const HOUR_MS = 3_600_000;

const secondsText = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const manifestOf = (scanId: string, createdAtUtc: string, deterministic: boolean) => {
  const feed = (name: string) => ({ role: `feed:${name}`, hash: sha256(name), publishedAt: createdAtUtc });
  return createManifest({
    scanId,
    createdAtUtc,
    deterministic,
    scannerVersion: '1.0.0',
    inputs: [
      ...['osv:npm', 'epss', 'kev'].map(feed),
      { role: 'sbom', hash: sha256('sbom') },
      { role: 'vex', hash: vexSetHash([]) },
    ],
  });
};

/** Stores a frozen scan whose inputs were captured an hour ago. @returns its id */
export const insertFrozenScan = async (
  { manifests, deps, who }: Writer,
  given: GivenScan = {},
): Promise<Id<'Scan'>> => {
  const { image = 'image', findings = FINDINGS, policy = DEFAULT_POLICY, deterministic = true } = given;
  const found = findings.length;
  const { coverage = { components: found, evaluated: found, noPurl: 0, unknownEcosystem: 0, badVersion: 0 } } = given;
  const id = toId(deps.ids.uuid(), 'Scan');
  const now = deps.clock.now();
  const capturedAt = new Date(now.getTime() - HOUR_MS);
  const freezeTimestamp = secondsText(now);
  const manifest = manifestOf(id, freezeTimestamp, deterministic);
  const sealed = await manifests.freezeScan({ manifest, policy, capturedAt });
  const { findingScores } = replay({ manifest, policy, coverage, findings, freezeTimestamp, vexDocuments: [] });
  const { tenant, subject } = who;
  await deps.database.write(tenant, async (tx) => {
    await tx.run(sql`/* scanner.scans.seed */
      insert into scanner.scans (tenant, id, identity, status, image_digest, subject_name, sbom_digest, sbom_format,
        components, evaluated, no_purl, unknown_ecosystem, bad_version, finding_count, requested_by, created_at,
        completed_at)
      values (${tenant}, ${id}, ${id}, 'completed', ${sha256(image)}, ${image}, ${sha256(image)}, 'cyclonedx',
        ${coverage.components}, ${coverage.evaluated}, ${coverage.noPurl}, ${coverage.unknownEcosystem},
        ${coverage.badVersion}, ${found}, ${subject}, ${capturedAt}, kernel.now())`);
    for (const finding of findings)
      await tx.run(sql`/* scanner.findings.seed */
        insert into scanner.findings (tenant, scan_id, finding_id, finding, vuln_id, purl, component_key, class, alias_group,
          score_ppm)
        values (${tenant}, ${id}, ${finding.findingId}, ${jsonb(finding)}, ${finding.vulnId}, ${finding.purl},
          ${finding.purl}, ${finding.class}, 1, ${findingScores.get(finding.findingId)?.score ?? 0})`);
    await storeFreeze(tx, tenant, sealed, {
      ...coverage,
      scorePpm: null,
      rootHash: null,
      findingCount: found,
      causes: [],
      appearedCount: 0,
      disappearedCount: 0,
      changes: [],
    });
  });
  return id;
};
