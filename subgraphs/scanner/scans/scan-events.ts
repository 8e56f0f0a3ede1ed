import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
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

const findingData = ({ finding, aliases, title, fixedVersions }: NewFinding) =>
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
  });

const countSeverities = (findings: readonly NewFinding[]): Record<string, number> => {
  const labels = findings.map(({ finding }) => severityLabel(finding.cvssTenths)).filter((label) => label !== null);
  return Object.fromEntries([...Map.groupBy(labels, (label) => label)].map(([label, all]) => [label, all.length]));
};

/** Publishes the request of a scan. */
export const publishCreation = (tx: Tx, who: Who, scan: Scan): Promise<void> =>
  event(tx, who, 'scan.create', { ...bodyOf(scan), data: { ...subjectOf(scan), sbomDigest: scan.sbomDigest } });

/** Publishes the findings of a completed scan in pages, then its completion. Findings of an image only are searched. */
export const publishCompletion = async (
  tx: Tx,
  who: Who,
  scan: Scan,
  findings: readonly NewFinding[],
): Promise<void> => {
  const subject = subjectOf(scan);
  for (let at = 0; scan.imageDigest !== null && at < findings.length; at += PAGE)
    await event(tx, who, 'scan.findings', {
      ...bodyOf(scan),
      data: { ...subject, findings: findings.slice(at, at + PAGE).map(findingData) },
    });
  const { scorePpm, rootHash } = scan;
  await event(tx, who, 'scan.complete', {
    ...bodyOf(scan),
    data: {
      ...subject,
      ...present({ score: scorePpm === null ? null : scorePpm / 1_000_000, rootHash }),
      severities: countSeverities(findings),
    },
  });
};

export const publishFailure = (tx: Tx, who: Who, scan: Scan): Promise<void> =>
  event(tx, who, 'scan.fail', { ...bodyOf(scan), data: { ...subjectOf(scan), error: scan.error } });
