import {
  type Fields,
  fields,
  list,
  objects,
  type Report,
  textOf,
  timeOf,
  UnreadableDocument,
} from './document-fields.ts';
import { hashOf, readEntries, referenceOf, reportUnmatchable, vulnerabilityIdsOf } from './vex-reference.ts';
import type { VexContent, VexProduct, VexReference, VexStatus } from './vex-statement.ts';

const STATUSES: ReadonlyMap<string, VexStatus> = new Map([
  ['exploitable', 'affected'],
  ['in_triage', 'under_investigation'],
  ['resolved', 'fixed'],
  ['resolved_with_pedigree', 'fixed'],
  ['false_positive', 'not_affected'],
  ['not_affected', 'not_affected'],
]);

const DEEPEST = 64;

const nested = (components: unknown, depth = 0): readonly Fields[] =>
  depth > DEEPEST ? [] : objects(components).flatMap((one) => [one, ...nested(one.components, depth + 1)]);

const componentsOf = (bom: Fields): ReadonlyMap<string, VexReference> => {
  const components = [...nested([fields(bom.metadata).component]), ...nested(bom.components), ...objects(bom.services)];
  return new Map(
    components.map((component) => [
      textOf(component['bom-ref']) ?? '',
      referenceOf({
        names: [textOf(component.purl), textOf(component.name)],
        hashes: objects(component.hashes).map(({ alg, content }) => hashOf(textOf(alg), textOf(content))),
      }),
    ]),
  );
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Component of another document: after `#` of a BOM-Link stands its reference, which often is a package URL. */
const linked = (ref: string | null): VexReference => {
  const fragment = ref?.startsWith('urn:cdx:') ? ref.slice(ref.indexOf('#') + 1) : ref;
  return { ...referenceOf({ names: fragment === null ? [] : [fragment, decoded(fragment)] }), name: ref };
};

/** Statuses of `affects[].versions[]` that a status of VEX is about. */
const VERSION_STATUSES: Readonly<Record<VexStatus, string>> = {
  affected: 'affected',
  under_investigation: 'affected',
  fixed: 'unaffected',
  not_affected: 'unaffected',
};

/** Products of an entry of `affects`: one for each version that it lists with the entry's status. */
const productsOf = (affected: Fields, status: VexStatus, byRef: ReadonlyMap<string, VexReference>): VexProduct[] => {
  const ref = textOf(affected.ref);
  const product = { ...(byRef.get(ref ?? '') ?? linked(ref)), subcomponents: [] };
  const versions = objects(affected.versions);
  if (versions.length === 0) return [product];
  return versions
    .filter((one) => [null, 'unknown', VERSION_STATUSES[status]].includes(textOf(one.status)))
    .map(({ version, range }) => {
      const stated = textOf(version);
      // A range that is not evaluated matches nothing.
      if (stated === null) return { ...product, name: `${product.name} ${textOf(range)}`, purl: null, hashes: [] };
      return { ...product, purl: product.purl && { ...product.purl, version: stated } };
    });
};

/** Reads the analyses of a CycloneDX document's vulnerabilities; one without a state is no statement. Throws UnreadableDocument. */
export const readCycloneDxVex = (bom: Fields, report: Report): VexContent => {
  if (bom.vulnerabilities !== undefined && !Array.isArray(bom.vulnerabilities))
    throw new UnreadableDocument('vulnerabilities is not a list');
  const issuedAt = timeOf(fields(bom.metadata).timestamp);
  const byRef = componentsOf(bom);
  const statements = readEntries(
    list(bom.vulnerabilities),
    { path: 'vulnerabilities', report },
    (entry, index, path) => {
      const vulnerability = fields(entry);
      const analysis = fields(vulnerability.analysis);
      const state = textOf(analysis.state);
      if (state === null) return [];
      const status = STATUSES.get(state);
      if (status === undefined) throw new UnreadableDocument(`the state ${state} is none of CycloneDX`);
      const references = objects(vulnerability.references).map(({ id }) => textOf(id));
      const vulnerabilityIds = vulnerabilityIdsOf([textOf(vulnerability.id), ...references]);
      const products = objects(vulnerability.affects).flatMap((affected) => productsOf(affected, status, byRef));
      reportUnmatchable(products, path, report);
      const statedAt = timeOf(analysis.lastUpdated) ?? timeOf(analysis.firstIssued) ?? issuedAt;
      const [justification, impactStatement] = [textOf(analysis.justification), textOf(analysis.detail)];
      return [{ index, vulnerabilityIds, status, justification, impactStatement, statedAt, products }];
    },
  );
  return { issuedAt, statements };
};
