import { type Fields, fields, list, objects, type Report, textOf, textsOf, unique } from './document-fields.ts';
import {
  EVENT_KINDS,
  type OsvAffected,
  type OsvEvent,
  type OsvRange,
  type OsvSymbols,
  type PublishedSeverity,
} from './osv-record.ts';

const RANGE_TYPES: readonly OsvRange['type'][] = ['SEMVER', 'ECOSYSTEM', 'GIT'];

/** Events of one object. The schema allows one; older records write several, in the order of the kinds. */
const eventsOf = (event: unknown, path: string, report: Report): OsvEvent[] => {
  const written = fields(event);
  const events = EVENT_KINDS.flatMap((kind) => {
    const version = textOf(written[kind]);
    return version === null ? [] : [{ kind, version }];
  });
  if (events.length === 0) report(path, 'the event has no version');
  return events;
};

const rangesOf = (value: unknown, path: string, report: Report): OsvRange[] =>
  list(value).flatMap((item, index) => {
    const at = `${path}[${index}]`;
    const written = fields(item);
    const type = RANGE_TYPES.find((one) => one === written.type);
    const events = list(written.events).flatMap((event, nth) => eventsOf(event, `${at}.events[${nth}]`, report));
    if (type === undefined)
      report(at, `the type is ${JSON.stringify(written.type)}, none of ${RANGE_TYPES.join(', ')}`);
    else if (!events.some(({ kind }) => kind === 'introduced')) report(at, 'no event is introduced');
    else return [{ type, repo: textOf(written.repo), events }];
    return [];
  });

/** Go lists functions by package, RustSec by full path; other databases use `functions` or `symbols`. */
const symbolsOf = (specific: readonly Fields[]): OsvSymbols[] =>
  specific.flatMap((of) => {
    const names = unique([...textsOf(fields(of.affects).functions), ...textsOf(of.functions), ...textsOf(of.symbols)]);
    const imports = objects(of.imports).map((one) => ({ importPath: textOf(one.path), names: textsOf(one.symbols) }));
    return [
      ...imports.filter(({ importPath }) => importPath !== null),
      ...(names.length > 0 ? [{ importPath: null, names }] : []),
    ];
  });

/** Scores of `severity[]`: vectors by their types `CVSS_*`, words such as Ubuntu's priority by any other. */
export const severityIn = (value: unknown, specific: readonly Fields[]): PublishedSeverity => {
  const scores = objects(value);
  const isCvss = ({ type }: Fields): boolean => /^CVSS_/i.test(textOf(type) ?? '');
  return {
    cvssVectors: unique([
      ...scores.filter(isCvss).map(({ score }) => textOf(score)),
      // RustSec's own field, a vector or an object with one.
      ...specific.map(({ cvss }) => textOf(cvss) ?? textOf(fields(cvss).vector) ?? textOf(fields(cvss).vectorString)),
    ]),
    vendorWords: unique([
      ...scores.filter((score) => !isCvss(score)).map(({ score }) => textOf(score)),
      ...specific.flatMap(({ severity, urgency }) => [textOf(severity), textOf(urgency)]),
    ]),
  };
};

/** Reads an entry of `affected`; a range or event that is not of the schema is reported and left out. */
export const readAffected = (value: unknown, path: string, report: Report): OsvAffected => {
  const written = fields(value);
  const named = fields(written.package);
  const specific = [fields(written.ecosystem_specific), fields(written.database_specific)];
  const customRanges = fields(written.ecosystem_specific).custom_ranges;
  const versions = textsOf(written.versions);
  if (versions.length < new Set(list(written.versions)).size) report(`${path}.versions`, 'a version is not a text');
  return {
    ecosystem: textOf(named.ecosystem),
    packageName: textOf(named.name),
    purl: textOf(named.purl),
    ranges: rangesOf(written.ranges, `${path}.ranges`, report),
    customRanges: rangesOf(customRanges, `${path}.ecosystem_specific.custom_ranges`, report),
    versions,
    severity: severityIn(written.severity, specific),
    symbols: symbolsOf(specific),
    informational: specific.map(({ informational }) => textOf(informational)).find((word) => word !== null) ?? null,
  };
};
