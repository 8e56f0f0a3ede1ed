import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { isCve, normalizeAdvisoryId, normalizeAdvisoryIds } from './advisory-id.ts';
import {
  createReport,
  type Fields,
  fields,
  isFields,
  list,
  type Problem,
  parseJsonObject,
  refuseUnstorable,
  textOf,
  textsOf,
  timeOf,
  UnreadableDocument,
} from './document-fields.ts';
import { readAffected, severityIn } from './osv-affected.ts';
import type { OsvAffected, OsvRecord } from './osv-record.ts';

/** Records of Linux distributions that announce something else than security, by the prefix of their ids. */
const ANNOUNCEMENTS: readonly (readonly [prefix: RegExp, kind: string])[] = [
  [/^(?:AL|RH|RL|EL)BA-/, 'bugfix'],
  [/^(?:AL|RH|RL|EL)EA-/, 'enhancement'],
  [/^(?:open)?SUSE-(?:RU|FU|OU)-/, 'update'],
];

/** CWE-506 is embedded malicious code; OpenSSF's records of malicious packages name their origins. */
const saysMalware = (record: Fields): boolean => {
  const specific = fields(record.database_specific);
  return textsOf(specific.cwe_ids).includes('CWE-506') || 'malicious-packages-origins' in specific;
};

const informationalOf = (id: string, others: readonly string[], affected: readonly OsvAffected[]): string | null => {
  const [kinds, first] = [affected.map(({ informational }) => informational), affected[0]?.informational ?? null];
  if (first !== null && kinds.every((kind) => kind !== null)) return first;
  // A bug fix that names a CVE is about security after all.
  return others.some(isCve) ? null : (ANNOUNCEMENTS.find(([prefix]) => prefix.test(id))?.[1] ?? null);
};

/** Errata of the Red Hat family put their rating before the summary, and nowhere else. */
const errataWordOf = (id: string, summary: string | null): readonly string[] => {
  const [, word] = (/^(?:AL|RH|RL|EL)SA-/.test(id) && /^(Critical|Important|Moderate|Low):/.exec(summary ?? '')) || [];
  return word === undefined ? [] : [word];
};

const severityOfRecord = (record: Fields, id: string) => {
  const { cvssVectors, vendorWords } = severityIn(record.severity, [fields(record.database_specific)]);
  return { cvssVectors, vendorWords: [...vendorWords, ...errataWordOf(id, textOf(record.summary))] };
};

/**
 * Reads a record of the OSV format leniently: whatever is not of the schema is reported and left out.
 * Throws UnreadableDocument where there is no id or `affected` is no list.
 */
export const readOsvRecord = (
  value: unknown,
): { readonly record: OsvRecord; readonly problems: readonly Problem[] } => {
  const written = fields(value);
  const id = textOf(written.id);
  if (id === null) throw new UnreadableDocument('no OSV record: id is missing');
  if (!['modified', 'affected', 'schema_version'].some((name) => name in written))
    throw new UnreadableDocument('no OSV record: modified, affected and schema_version are missing');
  refuseUnstorable(written);
  if (written.affected !== undefined && written.affected !== null && !Array.isArray(written.affected))
    throw new UnreadableDocument('affected is not a list');
  const { problems, report } = createReport();
  const affected = list(written.affected).map((entry, index) => readAffected(entry, `affected[${index}]`, report));
  const [related, upstream] = [
    normalizeAdvisoryIds(textsOf(written.related)),
    normalizeAdvisoryIds(textsOf(written.upstream)),
  ];
  const aliases = normalizeAdvisoryIds(textsOf(written.aliases));
  const withdrawn = textOf(written.withdrawn);
  if (withdrawn !== null && timeOf(withdrawn) === null) report('withdrawn', `${withdrawn} is no time`);
  const record = {
    id: normalizeAdvisoryId(id),
    modified: timeOf(written.modified),
    published: timeOf(written.published),
    withdrawn: timeOf(withdrawn),
    aliases,
    related,
    upstream,
    summary: textOf(written.summary),
    details: textOf(written.details),
    severity: severityOfRecord(written, id),
    affected,
    isMalicious: [id, ...aliases].some((name) => name.startsWith('MAL-')) || saysMalware(written),
    informational: informationalOf(id, [...aliases, ...related, ...upstream], affected),
  };
  return { record, problems };
};

/** Parses YAML with numbers as they are written: `1.10` is a version, not 1.1. Throws UnreadableDocument. */
const parseYamlObject = (text: string): Fields => {
  const document = parseDocument(text, { lineCounter: new LineCounter(), logLevel: 'silent', prettyErrors: true });
  const [error] = document.errors;
  if (error) throw new UnreadableDocument(`not YAML: ${error.message.split('\n')[0]}`);
  visit(document, {
    Scalar: (_, node) => {
      if (isScalar(node) && typeof node.value === 'number' && node.source !== undefined) node.value = node.source;
    },
  });
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (isFields(value)) return value;
  throw new UnreadableDocument('the document is not a YAML mapping');
};

/** Reads a file of a database in the OSV format, by the end of its name YAML or JSON. Throws UnreadableDocument. */
export const readOsvFile = (name: string, text: string) =>
  readOsvRecord(/\.ya?ml$/i.test(name) ? parseYamlObject(text) : parseJsonObject(text));
