import { isCve, normalizeAdvisoryId } from './advisory-id.ts';
import {
  type Fields,
  feedDateOf,
  fields,
  objects,
  refuseUnstorable,
  textOf,
  UnreadableDocument,
} from './document-fields.ts';

/** Decision points of CISA's Stakeholder-Specific Vulnerability Categorization, in lower case. */
interface SsvcPoints {
  readonly cveId: string;
  readonly exploitation: 'none' | 'poc' | 'active';
  readonly automatable: 'no' | 'yes';
  readonly technicalImpact: 'partial' | 'total';
  readonly version: string | null;
  /** Date of CISA's container in whole seconds. */
  readonly publishedAt: string | null;
}

/** Value of a decision point; options are objects of one key, whose values differ in letter case. */
const pointOf = <T extends string>(options: readonly Fields[], name: string, values: readonly T[]): T => {
  const written = options.map((option) => textOf(option[name])).find((value) => value !== null) ?? null;
  const point = values.find((value) => value === written?.toLowerCase());
  if (point === undefined)
    throw new UnreadableDocument(`SSVC ${name} is ${written ?? 'missing'}, none of ${values.join(', ')}`);
  return point;
};

const isCisa = (container: Fields): boolean =>
  /^CISA ADP Vulnrichment$/i.test(textOf(container.title) ?? '') ||
  textOf(fields(container.providerMetadata).shortName) === 'CISA-ADP';

/**
 * Reads the SSVC points of CISA's container of a CVE record (CVE JSON 5); null where there are none, as in rejected records.
 * Throws UnreadableDocument.
 */
export const parseSsvc = (value: unknown): SsvcPoints | null => {
  const record = fields(value);
  const cveId = textOf(fields(record.cveMetadata).cveId);
  if (cveId === null || !isCve(cveId)) throw new UnreadableDocument(`no CVE record: cveId is ${cveId ?? 'missing'}`);
  refuseUnstorable(value);
  const found = objects(fields(record.containers).adp)
    .filter(isCisa)
    .flatMap((container) => objects(container.metrics).map((metric) => ({ container, other: fields(metric.other) })))
    .find(({ other }) => textOf(other.type)?.toLowerCase() === 'ssvc');
  if (found === undefined) return null;
  const content = fields(found.other.content);
  const options = objects(content.options);
  return {
    cveId: normalizeAdvisoryId(cveId),
    exploitation: pointOf(options, 'Exploitation', ['none', 'poc', 'active']),
    automatable: pointOf(options, 'Automatable', ['no', 'yes']),
    technicalImpact: pointOf(options, 'Technical Impact', ['partial', 'total']),
    version: textOf(content.version),
    publishedAt: feedDateOf(fields(found.container.providerMetadata).dateUpdated) ?? feedDateOf(content.timestamp),
  };
};
