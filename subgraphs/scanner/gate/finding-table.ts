import { exclusionOf, type ReportedCoverage, type ReportedFinding, type ScanReport } from './scan-report.ts';

/** Findings of a table; the others are counted. */
const ROWS = 50;

const HEAD = ['SEVERITY', 'VULNERABILITY', 'PACKAGE', 'FIXED', 'KEV'];

/** Other characters than printable ones come from documents of strangers and could control a terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '?');

const severityOf = ({ class: kind, severity, malicious }: ReportedFinding): string => {
  if (malicious) return 'malicious';
  if (kind === 'INFORMATIONAL') return 'notice';
  return severity?.toLowerCase() ?? 'unrated';
};

const excluded = (finding: ReportedFinding): string => {
  const exclusion = exclusionOf(finding);
  return exclusion === undefined ? '' : ` (${exclusion})`;
};

const cellsOf = (finding: ReportedFinding): string[] => [
  `${severityOf(finding)}${excluded(finding)}`,
  finding.vulnId,
  finding.purl,
  finding.fixedVersions.join(', ') || '-',
  finding.kev ? 'yes' : '-',
];

/** Coverage of a scan in one line, with the components that could not be evaluated by their reason. */
export const coverageLine = (coverage: ReportedCoverage): string => {
  const { components, evaluated, noPurl, unknownEcosystem, badVersion, inconclusive } = coverage;
  const reasons = [
    noPurl > 0 ? `${noPurl} without a package URL` : undefined,
    unknownEcosystem > 0 ? `${unknownEcosystem} of an ecosystem without advisories` : undefined,
    badVersion > 0 ? `${badVersion} without a readable version` : undefined,
  ].filter((reason) => reason !== undefined);
  const rest = reasons.length > 0 ? ` (not evaluated: ${reasons.join(', ')})` : '';
  const doubt = inconclusive > 0 ? `, ${inconclusive} of them not against every advisory` : '';
  return `${evaluated} of ${components} components evaluated${doubt}${rest}`;
};

/** Table of the findings of a scan for people, with its coverage and score. */
export const findingTable = ({ scanId, coverage, score, findings }: ScanReport): string[] => {
  const rows = [HEAD, ...findings.slice(0, ROWS).map(cellsOf)].map((cells) => cells.map(printable));
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    ...(findings.length > 0 ? rows.map(line) : []),
    ...(findings.length > ROWS ? [`… and ${findings.length - ROWS} more; --format json has all.`] : []),
    ...(findings.length > 0 ? [''] : []),
    `Scan ${scanId}: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}, score ${score ?? 'none'}; ${coverageLine(coverage)}.`,
  ];
};
