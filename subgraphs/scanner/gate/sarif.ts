import type { FailRule } from './fail-rule.ts';
import { exclusionOf, type ReportedFinding, type ScanReport } from './scan-report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** Level of a result (SARIF 2.1.0, 3.27.10). What nothing rates is a warning: it is not known to be harmless. */
const levelOf = ({ severity, malicious, class: kind }: ReportedFinding): 'error' | 'warning' | 'note' => {
  if (kind === 'INFORMATIONAL') return 'note';
  if (malicious || severity === 'CRITICAL' || severity === 'HIGH') return 'error';
  return severity === 'LOW' || severity === 'NONE' ? 'note' : 'warning';
};

/** Page about a vulnerability: OSV has one of every id that it knows, CVEs among them. */
const helpUriOf = (vulnId: string): string => `https://osv.dev/vulnerability/${encodeURIComponent(vulnId)}`;

/** Score by which readers of SARIF rank a rule, as text: CVSS, otherwise 9.8 for malicious packages. */
const securitySeverity = ({ cvss, malicious }: ReportedFinding): string | undefined => {
  if (cvss !== null) return cvss.toFixed(1);
  return malicious ? '9.8' : undefined;
};

const titleOf = ({ title, vulnId }: ReportedFinding): string => title ?? vulnId;

/** Rule of a vulnerability (SARIF 2.1.0, 3.49). */
const ruleOf = (finding: ReportedFinding) => {
  const severity = securitySeverity(finding);
  return {
    id: finding.vulnId,
    shortDescription: { text: titleOf(finding) },
    helpUri: helpUriOf(finding.vulnId),
    help: { text: `${titleOf(finding)}\n${[finding.vulnId, ...finding.aliases].join(', ')}` },
    properties: {
      tags: ['security', 'vulnerability', ...(finding.malicious ? ['malicious'] : [])],
      ...(severity !== undefined && { 'security-severity': severity }),
    },
  };
};

const messageOf = ({ vulnId, purl, fixedVersions, kev, malicious }: ReportedFinding): string => {
  const facts = [
    malicious ? 'The package is malicious.' : undefined,
    kev ? 'It is known to be exploited.' : undefined,
    fixedVersions.length > 0 ? `Fixed in ${fixedVersions.join(', ')}.` : 'No fixed version is known.',
  ];
  return [`${purl} is affected by ${vulnId}.`, ...facts.filter((fact) => fact !== undefined)].join(' ');
};

/** URI of the bill of materials, relative where it is a path; the standard input has a name of its own. */
const artifactUri = (sbom: string): string =>
  sbom === '-' ? 'sbom' : sbom.split(/[\\/]/).map(encodeURIComponent).join('/');

/** Suppression of a result (SARIF 2.1.0, 3.35) that meets no rule, with the reason of the person who decided. */
const suppressionsOf = (finding: ReportedFinding) => {
  const exclusion = exclusionOf(finding);
  if (exclusion === undefined) return {};
  const justification = exclusion.startsWith('VEX') ? exclusion : `${exclusion}: ${finding.decision?.reason}`;
  return { suppressions: [{ kind: 'external', status: 'accepted', justification }] };
};

const resultOf = (finding: ReportedFinding, ruleIndex: number, { sbom }: ScanReport, rule: FailRule | undefined) => ({
  ruleId: finding.vulnId,
  ruleIndex,
  level: levelOf(finding),
  message: { text: messageOf(finding) },
  locations: [
    {
      physicalLocation: { artifactLocation: { uri: artifactUri(sbom), index: 0 }, region: { startLine: 1 } },
      logicalLocations: [{ fullyQualifiedName: finding.purl, kind: 'module' }],
    },
  ],
  partialFingerprints: { 'findingId/v1': finding.findingId },
  properties: {
    purl: finding.purl,
    score: finding.score,
    kev: finding.kev,
    malicious: finding.malicious,
    reachability: finding.reachability.toLowerCase(),
    vex: finding.vex.toLowerCase(),
    ...(finding.epss !== null && { epss: finding.epss }),
    ...(finding.lowestCleanVersion !== null && { lowestCleanVersion: finding.lowestCleanVersion }),
    ...(rule && { meetsFailRule: rule.isMet(finding) }),
  },
  ...suppressionsOf(finding),
});

/** A scan as a log of the Static Analysis Results Interchange Format (SARIF 2.1.0). */
export const sarifOf = (report: ScanReport, rule?: FailRule) => {
  const { scanId, sbomDigest, sbom, score, rootHash, coverage, findings } = report;
  const byVulnerability = [...Map.groupBy(findings, ({ vulnId }) => vulnId)];
  const indexes = new Map(byVulnerability.map(([vulnId], index) => [vulnId, index]));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Landfall',
            rules: byVulnerability.flatMap(([, [first]]) => (first ? [ruleOf(first)] : [])),
          },
        },
        automationDetails: { id: `scan/${scanId}` },
        artifacts: [
          {
            location: { uri: artifactUri(sbom) },
            hashes: { 'sha-256': sbomDigest.replace(/^sha256:/, '') },
          },
        ],
        results: findings.map((finding) => resultOf(finding, indexes.get(finding.vulnId) ?? -1, report, rule)),
        columnKind: 'utf16CodeUnits',
        properties: { scanId, score, rootHash, coverage },
      },
    ],
  };
};
