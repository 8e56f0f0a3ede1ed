import { canonicalId, normalizeId, parsePurl, vulnerabilityKey } from '../importers/identifiers.ts';
import { SEVERITIES, type Severity } from '../shared/domains.ts';
import { documentBuilder } from './document-format.ts';
import { joinLines, shortDigest } from './phrases.ts';

const severityOf = (word: string | undefined): Severity | undefined => SEVERITIES.find((known) => known === word);

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Builds the document of a scan finding, on the card of its vulnerability with advisories and VEX statements. */
export const findingDocument = documentBuilder('Finding', 'findings', 'vulnerability', (finding) => {
  const { purl, vulnId, aliases, imageDigest, image, cvss, epss, reachability, exposure, vex, fixedVersion } = finding;
  const name = canonicalId(vulnId, aliases);
  const found = parsePurl(purl);
  const [pack, version] = [found?.name ?? purl, found?.version];
  const severity = severityOf(finding.severity);
  const location = image ?? shortDigest(imageDigest);
  const body = joinLines(
    `${name} is in ${pack}${version === undefined ? '' : ` ${version}`}, in ${location} at ${shortDigest(imageDigest)}.`,
    finding.title,
    fixedVersion !== undefined && `Fixed in ${fixedVersion}.`,
    (cvss !== undefined || epss !== undefined) &&
      [cvss === undefined ? '' : `CVSS ${cvss.toFixed(1)}.`, epss === undefined ? '' : `EPSS ${percent(epss)}.`]
        .filter((part) => part !== '')
        .join(' '),
    finding.kev === true && 'It is known to be exploited.',
    reachability !== undefined && `Reachability: ${reachability}.`,
    exposure !== undefined && `Exposure: ${exposure}.`,
    vex !== undefined && `VEX: ${vex.replaceAll('_', ' ')}.`,
    finding.suppressed === true && 'A triage decision suppresses it.',
  );
  return {
    entityKey: vulnerabilityKey(name),
    title: `${name} in ${pack} of ${location}`,
    body,
    identifiers: [
      name,
      normalizeId(vulnId),
      ...aliases.map(normalizeId),
      purl,
      ...(found ? [found.base] : []),
      imageDigest,
    ],
    packages: [pack, ...(image === undefined ? [] : [image])],
    ...(severity !== undefined && { severity }),
    ...(found?.ecosystem !== undefined && { ecosystem: found.ecosystem }),
    attributes: {
      ...(fixedVersion !== undefined && { fixed: fixedVersion }),
      ...(vex !== undefined && { status: vex }),
      ...(finding.kev !== undefined && { kev: finding.kev }),
    },
    at: finding.at,
  };
});
