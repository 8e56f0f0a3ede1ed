import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { coverageOf } from './coverage.ts';
import { findingConnection } from './finding-connection.ts';
import { scoreOf } from './scan-score.ts';
import { severityLabel } from './severity-label.ts';

export const scanResolvers = {
  Query: {
    scan: (_, args, { caller, scans }) => scans.get(caller, args),
    scans: async (_, args, { caller, scans }) => connectionOf(await scans.list(caller, args)),
    affected: (_, args, { caller, scans }) => scans.affected(caller, args),
  },
  Scan: {
    __resolveReference: (scan, { caller, scans }) => scans.get(caller, scan),
    subject: ({ subjectName, subjectVersion, subjectPurl }) =>
      subjectName === null ? null : { name: subjectName, version: subjectVersion, purl: subjectPurl },
    coverage: coverageOf,
    score: scoreOf,
    requestedBy: ({ requestedBy }) => ({ id: requestedBy }),
    findings: async ({ id }, page, { caller, scans }) =>
      findingConnection(await scans.findings.ofScan(caller, { ...page, scanId: id })),
  },
  ScanFinding: {
    severity: ({ severityTenths }) => severityLabel(severityTenths),
    cvss: ({ finding }) =>
      finding.severitySource === 'cvss' && finding.cvssTenths !== null ? finding.cvssTenths / 10 : null,
    score: ({ scorePpm }) => scorePpm / 1_000_000,
    severitySource: ({ finding }) => finding.severitySource,
    cvssVector: ({ finding }) => finding.cvssVector,
    vendorSeverity: ({ finding }) => finding.vendorSeverity,
    epss: ({ finding }) => (finding.epss === null ? null : Number(finding.epss)),
    kev: ({ finding }) => finding.kev,
    malicious: ({ finding }) => finding.malicious,
    class: ({ finding }) => finding.class,
    reachability: ({ finding }) => finding.reachability,
    exposure: ({ finding }) => finding.exposure,
    vex: ({ finding }) => finding.vex,
  },
  AffectingAdvisory: {
    severity: ({ severityTenths }) => severityLabel(severityTenths),
  },
} satisfies Resolvers;
