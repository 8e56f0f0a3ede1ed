import { type CurrentFinding, type Scanner, severityLabel } from '@landfall/scanner';
import { projection } from './projection.ts';
import { affected, finding } from './scanner.schemas.ts';

const project = projection(finding);

/** Finding of a scan as REST shows it (rulings, exact shapes). */
export const findingView = ({ finding: frozen, ...stored }: CurrentFinding) =>
  project({
    ...frozen,
    scanId: stored.scanId,
    imageDigest: stored.imageDigest,
    severity: severityLabel(stored.severityTenths),
    cvss: frozen.severitySource === 'cvss' && frozen.cvssTenths !== null ? frozen.cvssTenths / 10 : null,
    epss: frozen.epss === null ? null : Number(frozen.epss),
    score: stored.scorePpm / 1_000_000,
  });

const projectAffected = projection(affected);

/** Advisories that affect a version of a package, as REST shows them. */
export const affectedView = ({ advisories, ...found }: Awaited<ReturnType<Scanner['scans']['affected']>>) =>
  projectAffected({
    ...found,
    advisories: advisories.map((advisory) => ({ ...advisory, severity: severityLabel(advisory.severityTenths) })),
  });
