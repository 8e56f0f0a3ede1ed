import type { Chunk } from '../corpus/chunk.ts';
import { isIndexableName } from '../corpus/size-limits.ts';
import { chunkOf, firstSentence, listed } from './chunk-builder.ts';
import { canonicalId, normalizeId, parsePurl } from './identifiers.ts';
import { packageChunk } from './package-chunk.ts';
import { type Origin, type Reader, readEach, readOne, Unreadable } from './reader.ts';
import { rate } from './severity.ts';
import { type Fields, fields, instant, list, objects, required, textOf, textsOf, unique } from './values.ts';

const MAX_DEPTH = 32;

const flattened = (components: unknown, depth = 0): readonly Fields[] =>
  depth > MAX_DEPTH
    ? []
    : objects(components).flatMap((component) => [component, ...flattened(component.components, depth + 1)]);

const licencesOf = (component: Fields): string[] =>
  unique(
    objects(component.licenses).map(
      (choice) => textOf(choice.expression) ?? textOf(fields(choice.license).id) ?? textOf(fields(choice.license).name),
    ),
  );

const fullName = (component: Fields): string | undefined => {
  const [group, name] = [textOf(component.group), textOf(component.name)];
  return name === undefined || group === undefined ? name : `${group}/${name}`;
};

interface Bill {
  readonly key: string;
  readonly source: string;
  readonly subject: string | undefined;
  readonly at: Date | undefined;
}

const componentChunk = (component: Fields, { key, source, subject, at }: Bill): Chunk => {
  required(component.name, 'the name of a component');
  return packageChunk({
    source,
    documentKey: `${key}/${textOf(component['bom-ref']) ?? textOf(component.purl) ?? fullName(component)}`,
    name: fullName(component),
    version: textOf(component.version),
    purl: textOf(component.purl),
    names: [textOf(component.cpe), ...objects(component.hashes).map((hash) => textOf(hash.content))],
    description: textOf(component.description),
    licences: licencesOf(component),
    supplier: textOf(fields(component.supplier).name) ?? textOf(component.publisher) ?? textOf(component.author),
    kind: textOf(component.type),
    subject,
    occurredAt: at,
  });
};

const STATUSES: ReadonlyMap<string, string> = new Map([
  ['resolved', 'fixed'],
  ['resolved_with_pedigree', 'fixed'],
  ['exploitable', 'affected'],
  ['in_triage', 'under_investigation'],
  ['false_positive', 'not_affected'],
  ['not_affected', 'not_affected'],
]);

const statusOf = (analysis: Fields): string | undefined => STATUSES.get(textOf(analysis.state) ?? '');

const affectedOf = (vulnerability: Fields, byRef: ReadonlyMap<string, Fields>): string[] =>
  unique(
    objects(vulnerability.affects).map((affected) => {
      const ref = textOf(affected.ref);
      const component = byRef.get(ref ?? '');
      return textOf(component?.purl) ?? (component && fullName(component)) ?? ref;
    }),
  ).filter(isIndexableName);

const vulnerabilityChunk = (vulnerability: Fields, byRef: ReadonlyMap<string, Fields>, bill: Bill): Chunk => {
  const id = normalizeId(required(vulnerability.id, 'the id of a vulnerability'));
  const aliases = unique(objects(vulnerability.references).map((reference) => textOf(reference.id))).map(normalizeId);
  const name = canonicalId(id, aliases);
  const affected = affectedOf(vulnerability, byRef);
  const analysis = fields(vulnerability.analysis);
  const status = statusOf(analysis);
  const description = textOf(vulnerability.description) ?? textOf(vulnerability.detail);
  const rated = rate(
    ...objects(vulnerability.ratings).map((rating) => ({
      vector: rating.vector,
      score: rating.score,
      word: rating.severity,
      isVersion2: rating.method === 'CVSSv2',
    })),
  );
  const purls = affected.flatMap((one) => parsePurl(one) ?? []);
  return chunkOf('vulnerability', name, {
    // A vulnerability with an analysis is a VEX statement; one without is a finding.
    domain: status === undefined ? 'findings' : 'vex',
    source: bill.source,
    documentKey: `${bill.key}/${id}`,
    title:
      description === undefined
        ? `${name} in ${listed(
            purls.map((purl) => purl.name),
            3,
          )}`
        : firstSentence(description),
    body: [
      description,
      status && `${status.replaceAll('_', ' ')}: ${textOf(analysis.detail) ?? textOf(analysis.justification) ?? ''}`,
      textOf(vulnerability.recommendation),
      affected.length > 0
        ? `Affected${bill.subject === undefined ? '' : ` in ${bill.subject}`}: ${listed(affected)}.`
        : undefined,
    ],
    identifiers: [name, id, ...aliases, ...affected],
    packages: unique(purls.map((purl) => purl.name)),
    severity: rated.severity,
    ecosystem: purls.find(({ ecosystem }) => ecosystem !== undefined)?.ecosystem,
    uri: textOf(fields(vulnerability.source).url),
    occurredAt: instant(vulnerability.published) ?? bill.at,
    attributes: {
      status,
      justification: textOf(analysis.justification),
      cvss: rated.score,
      cvssVector: rated.vector,
      cwes: textsOf(list(vulnerability.cwes)).map((cwe) => `CWE-${cwe}`),
      subject: bill.subject,
    },
  });
};

const billOf = (record: Fields, { path, source = 'cyclonedx' }: Origin): Bill => {
  const metadata = fields(record.metadata);
  const root = fields(metadata.component);
  const name = fullName(root);
  return {
    key: textOf(record.serialNumber) ?? path,
    source,
    subject:
      name === undefined ? undefined : `${name}${root.version === undefined ? '' : ` ${textOf(root.version) ?? ''}`}`,
    at: instant(metadata.timestamp),
  };
};

/** Reads a CycloneDX bill of materials: its components as packages, its vulnerabilities as findings or statements. */
export const readCycloneDx: Reader = (record, origin) => {
  if (record.components !== undefined && !Array.isArray(record.components))
    throw new Unreadable('components is not a list');
  const bill = billOf(record, origin);
  const root = fields(record.metadata).component;
  const components = flattened(record.components);
  const byRef = new Map(
    [...components, ...objects([root])].flatMap((component) => {
      const ref = textOf(component['bom-ref']);
      return ref === undefined ? [] : [[ref, component] as const];
    }),
  );
  return [
    ...list(record.components).flatMap((top, index) =>
      flattened([top]).map((one) => readOne(() => componentChunk(one, bill), 'components', index)),
    ),
    ...readEach(list(record.vulnerabilities), 'vulnerabilities', (one) => vulnerabilityChunk(fields(one), byRef, bill)),
  ];
};
