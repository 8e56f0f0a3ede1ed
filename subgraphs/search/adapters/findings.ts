import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { canonicalId, normalizeId, parsePurl, vulnerabilityKey } from '../importers/identifiers.ts';
import { severityOfLabel, severityOfScore } from '../importers/severity.ts';
import { joinLines, shortDigest } from '../platform/phrases.ts';
import type { Adapter } from './adapter.ts';
import { listOf, type Nullish, nullish } from './item-values.ts';

/** A finding of GET /api/v2/security/findings (rulings, "Exact shapes"), with the fields in use. */
const finding = Compile(
  Type.Object({
    findingId: Type.String({ minLength: 1 }),
    vulnId: Type.String({ minLength: 1 }),
    purl: nullish(Type.String()),
    imageDigest: nullish(Type.String()),
    scanId: nullish(Type.String()),
    severity: nullish(Type.String()),
    cvss: nullish(Type.Number()),
    epss: nullish(Type.Number()),
    kev: nullish(Type.Boolean()),
    reachability: nullish(Type.Unknown()),
    exposure: nullish(Type.Unknown()),
    vex: nullish(Type.Unknown()),
    score: nullish(Type.Number()),
  }),
);

const labelled = (label: string, value: Nullish<unknown>): string | undefined =>
  typeof value === 'string' && value !== '' ? `${label}: ${value.replaceAll('_', ' ')}.` : undefined;

const figures = (cvss: Nullish<number>, epss: Nullish<number>): string =>
  [
    typeof cvss === 'number' ? `CVSS ${cvss.toFixed(1)}.` : '',
    typeof epss === 'number' ? `EPSS ${(epss * 100).toFixed(1)} %.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');

export const findings: Adapter = {
  name: 'findings',
  domain: 'findings',
  target: '/api/v2/security/findings',
  chunkOf(item) {
    if (!finding.Check(item)) return undefined;
    const { findingId, vulnId, purl, imageDigest, scanId, cvss, epss, kev, reachability, exposure, vex, score } = item;
    const name = canonicalId(vulnId, []);
    const found = parsePurl(purl);
    const pack = found?.name ?? purl ?? 'a package';
    const location = imageDigest ? ` of ${shortDigest(imageDigest)}` : '';
    const severity = severityOfLabel(item.severity) ?? (typeof cvss === 'number' ? severityOfScore(cvss) : undefined);
    return {
      domain: 'findings',
      source: 'findings',
      documentKey: findingId,
      part: 0,
      entityType: 'vulnerability',
      entityKey: vulnerabilityKey(name),
      title: `${name} in ${pack}${location}`,
      body: joinLines(
        `${name} is in ${pack}${found?.version === undefined ? '' : ` ${found.version}`}${location}.`,
        figures(cvss, epss),
        kev === true && 'It is known to be exploited.',
        labelled('Reachability', reachability),
        labelled('Exposure', exposure),
        labelled('VEX', vex),
      ),
      identifiers: [name, normalizeId(vulnId), ...listOf(purl), ...listOf(found?.base), ...listOf(imageDigest)],
      packages: found ? [found.name] : [],
      severity,
      ecosystem: found?.ecosystem,
      ref: { type: 'Finding', id: findingId },
      attributes: { scanId, imageDigest, cvss, epss, kev, reachability, exposure, status: vex, score },
    };
  },
};
