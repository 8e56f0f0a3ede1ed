import type { ReportedFinding, ScanReport } from './scan-report.ts';

/** Finding as the graph shows it, with the changes of a test. */
export const reported = (changes: Partial<ReportedFinding> = {}): ReportedFinding => ({
  findingId: 'f'.repeat(32),
  vulnId: 'CVE-2026-1000',
  aliases: ['GHSA-2c2c-3f3f-4g4g'],
  title: 'About gate',
  purl: 'pkg:npm/gate@1.1.0',
  class: 'VULNERABILITY',
  severity: 'HIGH',
  cvss: 7.5,
  cvssVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
  epss: 0.01,
  kev: false,
  malicious: false,
  reachability: 'UNKNOWN',
  vex: 'NONE',
  fixedVersions: [],
  lowestCleanVersion: null,
  path: [],
  score: 0.5,
  isSuppressed: false,
  decision: null,
  ...changes,
});

/** Report of a scan with these findings. */
export const reportOf = (...findings: readonly ReportedFinding[]): ScanReport => ({
  scanId: '01900000-0000-7000-8000-000000000001',
  sbomDigest: `sha256:${'a'.repeat(64)}`,
  sbom: 'build/bom 1.json',
  score: 0.5,
  rootHash: `sha256:${'b'.repeat(64)}`,
  coverage: { components: 3, evaluated: 2, noPurl: 1, unknownEcosystem: 0, badVersion: 0, inconclusive: 0 },
  findings,
});
