import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { canonical, parsePurl, spelt, vulnerabilityKey } from '../importers/identifiers.ts';
import { severityOfScore, severityOfWord } from '../importers/severity.ts';
import { lines, short } from '../platform/phrases.ts';
import type { Adapter } from './adapter.ts';
import { type Maybe, maybe, said } from './item-values.ts';

/** A finding of GET /api/v2/security/findings (rulings, "Exact shapes"), as far as it is told. */
const finding = Compile(
  Type.Object({
    findingId: Type.String({ minLength: 1 }),
    vulnId: Type.String({ minLength: 1 }),
    purl: maybe(Type.String()),
    imageDigest: maybe(Type.String()),
    scanId: maybe(Type.String()),
    severity: maybe(Type.String()),
    cvss: maybe(Type.Number()),
    epss: maybe(Type.Number()),
    kev: maybe(Type.Boolean()),
    reachability: maybe(Type.Unknown()),
    exposure: maybe(Type.Unknown()),
    vex: maybe(Type.Unknown()),
    score: maybe(Type.Number()),
  }),
);

const told = (label: string, value: Maybe<unknown>): string | undefined =>
  typeof value === 'string' && value !== '' ? `${label}: ${value.replaceAll('_', ' ')}.` : undefined;

const figures = (cvss: Maybe<number>, epss: Maybe<number>): string =>
  [
    typeof cvss === 'number' ? `CVSS ${cvss.toFixed(1)}.` : '',
    typeof epss === 'number' ? `EPSS ${(epss * 100).toFixed(1)} %.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');

/** What the scanner found, image by image. Findings of one vulnerability are one card. */
export const findings: Adapter = {
  name: 'findings',
  domain: 'findings',
  target: '/api/v2/security/findings',
  chunkOf(item) {
    if (!finding.Check(item)) return undefined;
    const { findingId, vulnId, purl, imageDigest, scanId, cvss, epss, kev, reachability, exposure, vex, score } = item;
    const name = canonical(vulnId, []);
    const found = parsePurl(purl);
    const pack = found?.name ?? purl ?? 'a package';
    const where = imageDigest ? ` of ${short(imageDigest)}` : '';
    const severity = severityOfWord(item.severity) ?? (typeof cvss === 'number' ? severityOfScore(cvss) : undefined);
    return {
      domain: 'findings',
      source: 'findings',
      documentKey: findingId,
      part: 0,
      entityType: 'vulnerability',
      entityKey: vulnerabilityKey(name),
      title: `${name} in ${pack}${where}`,
      body: lines(
        `${name} is in ${pack}${found?.version === undefined ? '' : ` ${found.version}`}${where}.`,
        figures(cvss, epss),
        kev === true && 'It is known to be exploited.',
        told('Reachability', reachability),
        told('Exposure', exposure),
        told('VEX', vex),
      ),
      identifiers: [name, spelt(vulnId), ...said(purl), ...said(found?.base), ...said(imageDigest)],
      packages: found ? [found.name] : [],
      severity,
      ecosystem: found?.ecosystem,
      ref: { type: 'Finding', id: findingId },
      attributes: { scanId, imageDigest, cvss, epss, kev, reachability, exposure, status: vex, score },
    };
  },
};
