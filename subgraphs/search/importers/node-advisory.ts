import type { Chunk } from '../corpus/chunk.ts';
import { chunkOf, firstSentence } from './chunk-builder.ts';
import { canonicalId, isCve, normalizeId, purlOf } from './identifiers.ts';
import type { Origin, Reader } from './reader.ts';
import { Unreadable } from './reader.ts';
import { type Rated, rate } from './severity.ts';
import { type Fields, instant, list, textOf, textsOf, unique } from './values.ts';

const isPackage = (record: Fields): boolean =>
  textOf(record.module_name) !== undefined && record.vulnerable_versions !== undefined;

const isCore = (record: Fields): boolean =>
  [record.vulnerable, record.patched, record.overview].every((member) => typeof member === 'string');

/** Detects advisories of the Node.js security working group, for npm packages or Node.js itself. */
export const isNodeAdvisory = (record: Fields): boolean => isPackage(record) || isCore(record);

interface Advisory {
  readonly id: string;
  readonly package: string;
  readonly ecosystem: string | undefined;
  readonly cves: readonly string[];
  readonly title: string | undefined;
  readonly vulnerable: string | undefined;
  readonly patched: string | undefined;
  readonly rated: Rated;
}

/** The number in a file's name: records of Node.js itself have no other. */
const numberOf = ({ path }: Origin): string => /([^/]+?)\.\w+$/.exec(path)?.[1] ?? path;

const namesIn = (value: unknown): string[] =>
  textsOf(value)
    .flatMap((one) => one.split(/[\s,]+/))
    .map(normalizeId)
    .filter(isCve);

const advisoryOf = (record: Fields, origin: Origin): Advisory => {
  const rated = rate({ vector: record.cvss_vector, score: record.cvss_score }, { word: record.severity });
  const name = textOf(record.module_name);
  if (name !== undefined)
    return {
      id: `NSWG-ECO-${textOf(record.id) ?? numberOf(origin)}`,
      package: name,
      ecosystem: 'npm',
      cves: namesIn(record.cves),
      title: textOf(record.title),
      vulnerable: textOf(record.vulnerable_versions),
      patched: textOf(record.patched_versions),
      rated,
    };
  return {
    id: `NSWG-COR-${numberOf(origin)}`,
    package: 'node',
    ecosystem: 'Node.js',
    cves: namesIn(record.cve),
    title: textOf(record.title) ?? textOf(record.description),
    vulnerable: textOf(record.vulnerable),
    patched: textOf(record.patched),
    rated,
  };
};

const advisoryChunk = (record: Fields, advisory: Advisory, cve: string | undefined, source: string): Chunk => {
  const { id, ecosystem, title, vulnerable, patched, rated } = advisory;
  const overview = textOf(record.overview);
  const name = canonicalId(id, cve === undefined ? [] : [cve]);
  const references = unique([
    textOf(record.ref),
    ...textsOf(list(record.references)),
    ...(textOf(record.references) ?? '').split('\n'),
  ]);
  return chunkOf('vulnerability', name, {
    domain: 'findings',
    source,
    documentKey: cve === undefined || advisory.cves.length < 2 ? id : `${id}/${cve}`,
    title: `${title ?? (overview === undefined ? id : firstSentence(overview))}${title === undefined || title.includes(advisory.package) ? '' : ` in ${advisory.package}`}`,
    body: [
      overview,
      title === textOf(record.description) ? undefined : textOf(record.description),
      textOf(record.recommendation),
      `Affected: ${advisory.package} ${vulnerable ?? 'in every version'}; patched: ${patched ?? 'none'}.`,
    ],
    identifiers: [name, id, ...(cve === undefined ? [] : [cve]), purlOf(ecosystem, advisory.package)],
    packages: [advisory.package],
    severity: rated.severity,
    ecosystem,
    uri: references.find((one) => /^https?:\/\//.test(one)),
    occurredAt: instant(record.publish_date) ?? instant(record.created_at),
    attributes: {
      fixed: patched === undefined ? [] : [patched],
      vulnerable,
      cvss: rated.score,
      cvssVector: rated.vector,
      references: references.slice(0, 10),
    },
  });
};

/** Reads an advisory of the Node.js security working group, one document for each of its CVEs. */
export const readNodeAdvisory: Reader = (record, origin) => {
  if (!isNodeAdvisory(record))
    throw new Unreadable('it has neither module_name with vulnerable_versions nor vulnerable, patched and overview');
  const advisory = advisoryOf(record, origin);
  const cves = advisory.cves.length === 0 ? [undefined] : advisory.cves;
  return cves.map((cve) => advisoryChunk(record, advisory, cve, origin.source ?? 'nodejs'));
};
