import Type, { type Static } from 'typebox';

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const;

const nullable = Type.Union([Type.String(), Type.Null()]);

/** Finding of a scan as the graph shows it. */
export const reportedFinding = Type.Object({
  findingId: Type.String(),
  vulnId: Type.String(),
  aliases: Type.Array(Type.String()),
  title: nullable,
  purl: Type.String(),
  class: Type.Enum(['VULNERABILITY', 'INFORMATIONAL']),
  severity: Type.Union([Type.Enum(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'NONE']), Type.Null()]),
  cvss: Type.Union([Type.Number(), Type.Null()]),
  cvssVector: nullable,
  epss: Type.Union([Type.Number(), Type.Null()]),
  kev: Type.Boolean(),
  malicious: Type.Boolean(),
  reachability: Type.Enum(['REACHABLE', 'POTENTIALLY_REACHABLE', 'UNKNOWN', 'UNREACHABLE']),
  vex: Type.Enum(['NONE', 'AFFECTED', 'UNDER_INVESTIGATION', 'FIXED', 'NOT_AFFECTED']),
  fixedVersions: Type.Array(Type.String()),
  lowestCleanVersion: nullable,
  path: Type.Array(Type.String()),
  score: Type.Number(),
  /** Whether a triage decision in force suppresses it. */
  isSuppressed: Type.Boolean(),
  decision: Type.Union([
    Type.Object({
      status: Type.Enum(['NOT_AFFECTED', 'ACCEPTED', 'FALSE_POSITIVE', 'FIXING']),
      reason: Type.String(),
    }),
    Type.Null(),
  ]),
});

export type ReportedFinding = Static<typeof reportedFinding>;

/** Fields of a finding, as a query of the graph selects them. */
export const FINDING_FIELDS = Object.keys(reportedFinding.properties)
  .map((name) => (name === 'decision' ? 'decision { status reason }' : name))
  .join(' ');

const wordsOf = (name: string): string => name.toLowerCase().replaceAll('_', ' ');

/** Why a finding meets no rule although it is a vulnerability: a VEX statement or a triage decision; undefined if it counts. */
export const exclusionOf = ({
  vex,
  isSuppressed,
  decision,
}: Pick<ReportedFinding, 'vex' | 'isSuppressed' | 'decision'>): string | undefined => {
  if (vex === 'NOT_AFFECTED' || vex === 'FIXED') return `VEX: ${wordsOf(vex)}`;
  return isSuppressed && decision ? `triage: ${wordsOf(decision.status)}` : undefined;
};

/** Components of a scan by outcome: the four from `evaluated` sum to the first, and `inconclusive` is a part of `evaluated`. */
export const reportedCoverage = Type.Object({
  components: Type.Integer(),
  evaluated: Type.Integer(),
  noPurl: Type.Integer(),
  unknownEcosystem: Type.Integer(),
  badVersion: Type.Integer(),
  /** Components of which an advisory could not be evaluated. */
  inconclusive: Type.Integer(),
});

export type ReportedCoverage = Static<typeof reportedCoverage>;

/** Completed scan with all of its findings, the highest score first. */
export interface ScanReport {
  readonly scanId: string;
  readonly sbomDigest: string;
  /** Name of the bill of materials as the caller wrote it; `-` for the standard input. */
  readonly sbom: string;
  readonly score: number | null;
  readonly rootHash: string | null;
  readonly coverage: ReportedCoverage;
  readonly findings: readonly ReportedFinding[];
}
