import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { disappearedCount, type FindingChanges } from './finding-changes.ts';
import type { NewFinding } from './finding-freeze.ts';
import type { Scan } from './scans.store.ts';
import { severityLabel } from './severity-label.ts';

/** Findings of one event, as its readers accept. */
const PAGE = 200;

const bodyOf = ({ id, version }: Scan) => ({ entity: 'Scan', id, version });

/** Members without those that are null: readers take an absent one for unknown. */
const present = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

const subjectOf = ({ imageDigest, subjectName: image }: Scan) => present({ imageDigest, image });

/** Ids of findings that a triage decision suppresses: they notify nobody. */
type Suppressed = ReadonlySet<string>;

const findingData = ({ finding, aliases, title, fixedVersions }: NewFinding, suppressed: Suppressed) =>
  present({
    findingId: finding.findingId,
    purl: finding.purl,
    vulnId: finding.vulnId,
    aliases,
    title: title?.slice(0, 500),
    severity: severityLabel(finding.cvssTenths),
    cvss: finding.severitySource === 'cvss' && finding.cvssTenths !== null ? finding.cvssTenths / 10 : null,
    epss: finding.epss === null ? null : Number(finding.epss),
    kev: finding.kev,
    reachability: finding.reachability,
    exposure: finding.exposure,
    vex: finding.vex,
    fixedVersion: fixedVersions[0],
    suppressed: suppressed.has(finding.findingId) ? true : null,
  });

const countSeverities = (findings: readonly NewFinding[], suppressed: Suppressed): Record<string, number> => {
  const labels = findings
    .filter(({ finding }) => !suppressed.has(finding.findingId))
    .map(({ finding }) => severityLabel(finding.cvssTenths))
    .filter((label) => label !== null);
  return Object.fromEntries([...Map.groupBy(labels, (label) => label)].map(([label, all]) => [label, all.length]));
};

/** Publishes the request of a scan. */
export const publishCreation = (tx: Tx, who: Who, scan: Scan): Promise<void> =>
  event(tx, who, 'scan.create', { ...bodyOf(scan), data: { ...subjectOf(scan), sbomDigest: scan.sbomDigest } });

interface FoundVulnerabilities {
  readonly findings: readonly NewFinding[];
  readonly suppressed: Suppressed;
}

/** Publishes findings of a scan in pages. Findings of an image only are searched. */
const publishFindings = async (
  tx: Tx,
  who: Who,
  scan: Scan,
  { findings, suppressed }: FoundVulnerabilities,
): Promise<void> => {
  for (let at = 0; scan.imageDigest !== null && at < findings.length; at += PAGE)
    await event(tx, who, 'scan.findings', {
      ...bodyOf(scan),
      data: {
        ...subjectOf(scan),
        findings: findings.slice(at, at + PAGE).map((each) => findingData(each, suppressed)),
      },
    });
};

/** Score and root of a scan, the severities of its findings that are not suppressed, and the number of the others. */
const resultData = ({ scorePpm, rootHash }: Scan, { findings, suppressed }: FoundVulnerabilities) => ({
  ...present({ score: scorePpm === null ? null : scorePpm / 1_000_000, rootHash }),
  severities: countSeverities(findings, suppressed),
  ...present({ suppressedCount: suppressed.size === 0 ? null : suppressed.size }),
});

/** Publishes the findings of a completed scan, then its completion. */
export const publishCompletion = async (tx: Tx, who: Who, scan: Scan, found: FoundVulnerabilities): Promise<void> => {
  await publishFindings(tx, who, scan, found);
  await event(tx, who, 'scan.complete', {
    ...bodyOf(scan),
    data: { ...subjectOf(scan), ...resultData(scan, found) },
  });
};

/** New freeze of a scan beside the one before. */
interface Rescoring extends FoundVulnerabilities {
  readonly changes: FindingChanges;
  /** Roles of the inputs that changed. */
  readonly causes: readonly string[];
  readonly scorePpmBefore: number | null;
  /** Whether the scan is the newest one of its image, so that what appeared is searched. */
  readonly isNewestOfImage: boolean;
}

/** Publishes the findings that a new freeze found first, then the new freeze. The lists are cut, their counts are not. */
export const publishRescore = async (tx: Tx, who: Who, scan: Scan, rescoring: Rescoring): Promise<void> => {
  const { suppressed, changes, causes, scorePpmBefore, isNewestOfImage } = rescoring;
  const { appeared, successors, disappeared } = changes;
  if (isNewestOfImage) await publishFindings(tx, who, scan, { findings: [...appeared, ...successors], suppressed });
  const appearedData = appeared.slice(0, PAGE).map(({ finding: { findingId, vulnId, purl } }) => ({
    findingId,
    vulnId,
    purl,
    ...(suppressed.has(findingId) && { suppressed: true }),
  }));
  await event(tx, who, 'scan.rescore', {
    ...bodyOf(scan),
    data: {
      ...subjectOf(scan),
      ...resultData(scan, rescoring),
      ...present({ scoreBefore: scorePpmBefore === null ? null : scorePpmBefore / 1_000_000 }),
      freeze: scan.freezeNumber,
      causes,
      appeared: appearedData,
      appearedCount: appeared.length,
      disappeared: disappeared.slice(0, PAGE),
      disappearedCount: disappearedCount(changes),
    },
  });
};

export const publishFailure = (tx: Tx, who: Who, scan: Scan): Promise<void> =>
  event(tx, who, 'scan.fail', { ...bodyOf(scan), data: { ...subjectOf(scan), error: scan.error } });
