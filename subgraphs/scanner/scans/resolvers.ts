import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from '../generated.ts';
import { componentConnection } from './component-list.ts';
import { coverageOf } from './coverage.ts';
import { findingConnection } from './finding-connection.ts';
import { artifactOf, imageDigestsOf } from './image-digests.ts';
import { scoreOf } from './scan-score.ts';
import { severityLabel } from './severity-label.ts';
import { locationConnection } from './vulnerability-locations.ts';

interface ScanPage {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

const pageArguments = ({ first, after }: ScanPage) => ({ first: first ?? 10, after: after ?? undefined });

export const scanResolvers = {
  Query: {
    scan: (_, args, { caller, scans }) => scans.get(caller, args),
    scans: async (_, args, { caller, scans }) => connectionOf(await scans.list(caller, args)),
    findingsToTriage: async (_, page, { caller, scans }) =>
      findingConnection(await scans.findings.undecided(caller, page)),
    affected: (_, args, { caller, scans }) => scans.affected(caller, args),
    vulnerabilityLocations: async (_, args, { caller, scans }) =>
      locationConnection(await scans.locations(caller, args)),
  },
  VulnerabilityLocation: {
    artifact: ({ scan }) => artifactOf(scan.imageDigest),
  },
  ArtifactDigest: {
    __resolveReference: ({ digest }) => ({ digest }),
    scans: async ({ digest }, page, { loaders }) =>
      connectionOf(await loaders.scansOfImages({ ...pageArguments(page), imageDigests: [digest] })),
  },
  Release: {
    scans: async (release, page, { loaders }) =>
      connectionOf(await loaders.scansOfImages({ ...pageArguments(page), imageDigests: imageDigestsOf(release) })),
  },
  Scan: {
    artifact: ({ imageDigest }) => artifactOf(imageDigest),
    __resolveReference: (scan, { caller, scans }) => scans.get(caller, scan),
    subject: ({ subjectName, subjectVersion, subjectPurl }) =>
      subjectName === null ? null : { name: subjectName, version: subjectVersion, purl: subjectPurl },
    coverage: coverageOf,
    score: scoreOf,
    requestedBy: ({ requestedBy }) => ({ id: requestedBy }),
    components: async ({ id }, page, { caller, scans }) =>
      componentConnection(await scans.components.ofScan(caller, { ...page, scanId: id })),
    findings: async ({ id }, page, { caller, scans }) =>
      findingConnection(await scans.findings.ofScan(caller, { ...page, scanId: id })),
  },
  ScanCoverage: {
    inconclusive: ({ scanId }, _args, { loaders }) => loaders.inconclusiveComponents(scanId),
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
