import { attributesOf, chunkOf, firstSentence, listed, MAX_NAMES } from './chunk-builder.ts';
import { canonicalId, ecosystemOf, normalizeId, parsePurl, purlOf } from './identifiers.ts';
import { type Reader, Unreadable } from './reader.ts';
import { type Rated, type Rating, rate } from './severity.ts';
import { type Fields, fields, instant, isFields, list, objects, required, textOf, textsOf, unique } from './values.ts';

const MAX_AFFECTED = 50;

interface Affected {
  readonly name: string | undefined;
  readonly ecosystem: string | undefined;
  readonly purl: string | undefined;
  readonly introduced: readonly string[];
  readonly fixed: readonly string[];
  readonly lastAffected: readonly string[];
  readonly symbols: readonly string[];
}

/** Names of functions: Go's imports, RustSec's affects, and what other databases call symbols or functions. */
const symbolsOf = (affected: Fields): string[] => {
  const specific = [fields(affected.ecosystem_specific), fields(affected.database_specific)];
  return unique(
    specific.flatMap((of) => [
      ...objects(of.imports).flatMap((imported) => textsOf(imported.symbols)),
      ...textsOf(fields(of.affects).functions),
      ...textsOf(of.functions),
      ...textsOf(of.symbols),
    ]),
  );
};

const affectedOf = (affected: Fields): Affected => {
  const named = fields(affected.package);
  const ecosystem = ecosystemOf(named.ecosystem);
  const name = textOf(named.name);
  // A range of commits contains nothing that a person would search for.
  const events = objects(affected.ranges)
    .filter((range) => range.type !== 'GIT')
    .flatMap((range) => objects(range.events));
  return {
    name,
    ecosystem,
    purl: parsePurl(named.purl)?.base ?? (name === undefined ? undefined : purlOf(ecosystem, name)),
    introduced: unique(events.map((event) => textOf(event.introduced))),
    fixed: unique(events.map((event) => textOf(event.fixed))),
    lastAffected: unique(events.map((event) => textOf(event.last_affected))),
    symbols: symbolsOf(affected),
  };
};

const ratingsOf = (record: Fields): Rating[] => {
  const affected = objects(record.affected);
  const severities = [...objects(record.severity), ...affected.flatMap((one) => objects(one.severity))];
  const newest = (type: string): Rating[] =>
    severities.filter((one) => one.type === type).map((one) => ({ vector: one.score, score: one.score }));
  const specific = fields(record.database_specific);
  const words = [specific.severity, ...affected.map((one) => fields(one.ecosystem_specific).severity)];
  return [
    ...newest('CVSS_V3'),
    { vector: newest('CVSS_V4')[0]?.vector, word: words.find((word) => textOf(word) !== undefined) },
    ...newest('CVSS_V2').map((rating) => ({ ...rating, isVersion2: true })),
    ...severities.map((one) => ({ word: one.score })),
  ];
};

const rangeText = ({ name, introduced, fixed, lastAffected }: Affected): string | undefined => {
  if (name === undefined) return undefined;
  const since = introduced.filter((version) => version !== '0');
  const parts = [
    since.length > 0 ? `since ${listed(since, 5)}` : '',
    fixed.length > 0 ? `fixed in ${listed(fixed, 5)}` : '',
    lastAffected.length > 0 ? `up to ${listed(lastAffected, 5)}` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? `${name}: ${parts.join(', ')}` : name;
};

const bodyOf = (record: Fields, affected: readonly Affected[], summary: string | undefined) => {
  const withdrawn = textOf(record.withdrawn);
  const details = textOf(record.details);
  const ranges = unique(affected.map(rangeText));
  return [
    withdrawn && `Withdrawn on ${withdrawn.slice(0, 10)}.`,
    details ?? summary,
    // Without details, the affected ranges describe the advisory.
    details === undefined && ranges.length > 0 ? `Affected: ${listed(ranges, 10)}.` : undefined,
  ];
};

const uriOf = (record: Fields): string | undefined => {
  const references = objects(record.references);
  const best = references.find((one) => one.type === 'ADVISORY') ?? references.find((one) => one.type === 'WEB');
  return textOf((best ?? references[0])?.url);
};

const attributesFor = (record: Fields, affected: readonly Affected[], rated: Rated): Fields => ({
  fixed: unique(affected.flatMap(({ fixed }) => fixed)).slice(0, MAX_NAMES),
  affected: affected
    .slice(0, MAX_AFFECTED)
    .map(({ name, ecosystem, introduced, fixed, lastAffected }) =>
      attributesOf({ package: name, ecosystem, introduced, fixed, lastAffected }),
    ),
  symbols: unique(affected.flatMap(({ symbols }) => symbols)).slice(0, MAX_NAMES),
  cvss: rated.score,
  cvssVector: rated.vector,
  cwes: textsOf(fields(record.database_specific).cwe_ids),
  ecosystems: unique(affected.map(({ ecosystem }) => ecosystem)),
  published: textOf(record.published),
  modified: textOf(record.modified),
  withdrawn: textOf(record.withdrawn),
  references: unique(objects(record.references).map(({ url }) => textOf(url))).slice(0, 10),
});

const upstreamOf = (record: Fields): readonly string[] => {
  const upstream = textsOf(record.upstream).map(normalizeId);
  return upstream.length === 1 ? upstream : [];
};

export const readOsv: Reader = (record, { source = 'osv' }) => {
  const id = normalizeId(required(record.id, 'id'));
  if (record.affected !== undefined && !Array.isArray(record.affected)) throw new Unreadable('affected is not a list');
  const aliases = textsOf(list(record.aliases)).map(normalizeId);
  const name = canonicalId(id, [...aliases, ...upstreamOf(record)]);
  const affected = list(record.affected).filter(isFields).map(affectedOf);
  const summary = textOf(record.summary);
  const details = textOf(record.details);
  const rated = rate(...ratingsOf(record));
  const others = [...aliases, ...textsOf(list(record.upstream)).map(normalizeId)];
  return [
    chunkOf('vulnerability', name, {
      domain: 'findings',
      source,
      documentKey: id,
      title: summary ?? (details === undefined ? id : firstSentence(details)),
      body: bodyOf(record, affected, summary),
      identifiers: [name, id, ...others, ...affected.map(({ purl }) => purl)],
      packages: unique(affected.map((one) => one.name)).slice(0, MAX_NAMES),
      severity: rated.severity,
      ecosystem: affected.find(({ ecosystem }) => ecosystem !== undefined)?.ecosystem,
      uri: uriOf(record),
      occurredAt: instant(record.published) ?? instant(record.modified),
      attributes: attributesFor(record, affected, rated),
    }),
  ];
};
