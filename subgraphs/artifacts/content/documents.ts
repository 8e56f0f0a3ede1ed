import { isJsonObject, type JsonObject } from '@landfall/kernel/core/json';
import type { ContentFacts } from './facts.ts';
import { objectsIn, type Subject, subjectOf, subjectOfPurl, textIn } from './subject.ts';

/** Digests of a component of CycloneDX: its hashes, and that of an image's package URL. */
const componentSubjects = (component: JsonObject): readonly Subject[] => [
  ...objectsIn(component.hashes).flatMap(({ alg, content }) => subjectOf(alg, content)),
  ...subjectOfPurl(component.purl),
];

/** Facts of a CycloneDX document: a bill of materials, or VEX where it has vulnerabilities and no components. */
export const readCycloneDx = (document: JsonObject): ContentFacts | undefined => {
  if (document.bomFormat !== 'CycloneDX') return undefined;
  const { metadata } = document;
  const root = isJsonObject(metadata) && isJsonObject(metadata.component) ? metadata.component : {};
  const isVex = objectsIn(document.vulnerabilities).length > 0 && objectsIn(document.components).length === 0;
  return {
    type: isVex ? 'Vex' : 'Sbom',
    contentType: 'application/vnd.cyclonedx+json',
    subjects: componentSubjects(root),
    bomRef: textIn(root['bom-ref']) ?? textIn(root.purl),
    serialNumber: textIn(document.serialNumber),
  };
};

/** Digests of a package of SPDX 2: its checksums, and that of an image's package URL. */
const packageSubjects = (described: JsonObject): readonly Subject[] => [
  ...objectsIn(described.checksums).flatMap(({ algorithm, checksumValue }) => subjectOf(algorithm, checksumValue)),
  ...objectsIn(described.externalRefs).flatMap(({ referenceLocator }) => subjectOfPurl(referenceLocator)),
];

/** Ids of the packages that an SPDX 2 document describes. */
const describedIds = (document: JsonObject): ReadonlySet<unknown> =>
  new Set([
    ...(Array.isArray(document.documentDescribes) ? document.documentDescribes : []),
    ...objectsIn(document.relationships).flatMap(({ relationshipType, relatedSpdxElement }) =>
      relationshipType === 'DESCRIBES' ? [relatedSpdxElement] : [],
    ),
  ]);

/** Facts of an SPDX 2 document. */
export const readSpdx = (document: JsonObject): ContentFacts | undefined => {
  if (!/^SPDX-2\./.test(textIn(document.spdxVersion) ?? '')) return undefined;
  const ids = describedIds(document);
  const described = objectsIn(document.packages).filter(({ SPDXID }) => ids.has(SPDXID));
  return {
    type: 'Sbom',
    contentType: 'application/spdx+json',
    subjects: described.flatMap(packageSubjects),
    bomRef: textIn(described[0]?.name),
    serialNumber: textIn(document.documentNamespace),
  };
};

/** Facts of an SPDX 3 document: the elements of its graph that the document names as its roots. */
export const readSpdx3 = (document: JsonObject): ContentFacts | undefined => {
  if (!/spdx\.org\/rdf\/3\./.test(textIn(document['@context']) ?? '')) return undefined;
  const elements = objectsIn(document['@graph']);
  const head = elements.find(({ type }) => type === 'SpdxDocument');
  const roots = new Set(Array.isArray(head?.rootElement) ? head.rootElement : []);
  const described = elements.filter(({ spdxId }) => roots.has(spdxId));
  return {
    type: 'Sbom',
    contentType: 'application/spdx+json',
    subjects: described.flatMap(({ verifiedUsing, software_packageUrl: purl }) => [
      ...objectsIn(verifiedUsing).flatMap(({ algorithm, hashValue }) => subjectOf(algorithm, hashValue)),
      ...subjectOfPurl(purl),
    ]),
    bomRef: textIn(described[0]?.name),
    serialNumber: textIn(head?.spdxId),
  };
};

/** Digests of a product of OpenVEX. */
const openVexProduct = (product: JsonObject): readonly Subject[] => [
  ...(isJsonObject(product.hashes)
    ? Object.entries(product.hashes).flatMap(([algorithm, value]) => subjectOf(algorithm, value))
    : []),
  ...subjectOfPurl(product['@id']),
  ...(isJsonObject(product.identifiers) ? subjectOfPurl(product.identifiers.purl) : []),
];

/** Facts of an OpenVEX document. */
export const readOpenVex = (document: JsonObject): ContentFacts | undefined => {
  if (!/^https:\/\/openvex\.dev\/ns/.test(textIn(document['@context']) ?? '')) return undefined;
  const products = objectsIn(document.statements).flatMap((statement) => objectsIn(statement.products));
  return {
    type: 'Vex',
    contentType: 'application/vnd.openvex+json',
    subjects: products.flatMap(openVexProduct),
    serialNumber: textIn(document['@id']),
  };
};

/** Branches of a CSAF product tree, of every level. */
function* branchesOf(tree: JsonObject): Generator<JsonObject> {
  for (const branch of objectsIn(tree.branches)) {
    yield branch;
    yield* branchesOf(branch);
  }
}

/** Digests of a product of CSAF, by its identification helper. */
const csafProduct = (product: unknown): readonly Subject[] => {
  const helper = isJsonObject(product) ? product.product_identification_helper : undefined;
  if (!isJsonObject(helper)) return [];
  const hashes = objectsIn(helper.hashes).flatMap(({ file_hashes: files }) => objectsIn(files));
  return [...hashes.flatMap(({ algorithm, value }) => subjectOf(algorithm, value)), ...subjectOfPurl(helper.purl)];
};

/** Facts of a CSAF advisory. */
export const readCsaf = ({ document, product_tree: tree }: JsonObject): ContentFacts | undefined => {
  if (!isJsonObject(document) || textIn(document.csaf_version) === undefined) return undefined;
  const products = isJsonObject(tree)
    ? [...[...branchesOf(tree)].map(({ product }) => product), ...objectsIn(tree.full_product_names)]
    : [];
  const tracking = isJsonObject(document.tracking) ? document.tracking : {};
  return {
    type: 'Vex',
    contentType: 'application/json',
    subjects: products.flatMap(csafProduct),
    serialNumber: textIn(tracking.id),
  };
};
