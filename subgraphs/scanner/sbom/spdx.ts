import { ComponentGraph, hashOf } from './component-graph.ts';
import {
  listOf,
  NON_EMPTY,
  objectOf,
  recordsOf,
  type SbomRecord,
  type Shape,
  TEXT,
  textOf,
  textsOf,
} from './record-shape.ts';
import type { Sbom, SbomComponent, SbomLimits } from './sbom.ts';
import { SbomError } from './sbom-error.ts';

const VERSION = /^SPDX-(2\.[123])(?:\.\d+)?$/;
const DOCUMENT = 'SPDXRef-DOCUMENT';

/** Relationship types that say what a package depends on or contains, from the first element to the second. */
const FORWARD = new Set(['DEPENDS_ON', 'CONTAINS', 'DYNAMIC_LINK', 'STATIC_LINK', 'HAS_PREREQUISITE']);

/** The same from the second element to the first, with the scope of the first. */
const BACKWARD: ReadonlyMap<string, SbomComponent['scope']> = new Map([
  ['DEPENDENCY_OF', null],
  ['RUNTIME_DEPENDENCY_OF', null],
  ['PROVIDED_DEPENDENCY_OF', null],
  ['OPTIONAL_DEPENDENCY_OF', 'optional'],
  ['BUILD_DEPENDENCY_OF', 'excluded'],
  ['DEV_DEPENDENCY_OF', 'excluded'],
  ['TEST_DEPENDENCY_OF', 'excluded'],
  ['CONTAINED_BY', null],
  ['PREREQUISITE_FOR', null],
  ['PACKAGE_OF', null],
]);

/** Text of a member; null where SPDX writes that nothing is known. */
const known = (record: SbomRecord, name: string): string | null => {
  const text = textOf(record, name);
  return text === 'NOASSERTION' || text === 'NONE' ? null : text;
};

const purlOf = (record: SbomRecord): string | null => {
  const reference = recordsOf(record, 'externalRefs').find(({ referenceType }) =>
    /(?:^|\/)purl$/.test(typeof referenceType === 'string' ? referenceType : ''),
  );
  return textOf(reference, 'referenceLocator');
};

/** Reads the records of one SPDX 2 document. */
export class SpdxReader {
  readonly members: Readonly<Record<string, Shape>>;
  readonly #graph: ComponentGraph;
  readonly #described = new Set<string>();

  constructor(limits: SbomLimits) {
    this.#graph = new ComponentGraph(limits);
    this.members = this.#createMembers();
  }

  addPackage(record: SbomRecord): void {
    const ref = textOf(record, 'SPDXID');
    this.#graph.add({
      // Generators write packages of one id twice; relations then mean the first.
      ref: ref !== null && this.#graph.has(ref) ? null : ref,
      group: null,
      name: textOf(record, 'name') ?? '',
      version: known(record, 'versionInfo'),
      purl: purlOf(record),
      type: known(record, 'primaryPackagePurpose')?.toLowerCase().replaceAll('_', '-') ?? null,
      scope: null,
      hashes: recordsOf(record, 'checksums').map((checksum) =>
        hashOf(textOf(checksum, 'algorithm') ?? '', textOf(checksum, 'checksumValue') ?? ''),
      ),
    });
  }

  addRelationship(from: string, type: string, to: string): void {
    const kind = type.toUpperCase();
    const scope = BACKWARD.get(kind);
    if (kind === 'DESCRIBES' && from === DOCUMENT) this.#described.add(to);
    else if (kind === 'DESCRIBED_BY' && to === DOCUMENT) this.#described.add(from);
    else if (FORWARD.has(kind)) this.#graph.relate(from, to);
    else if (scope !== undefined) {
      this.#graph.relate(to, from);
      this.#graph.restrict(from, scope);
    }
  }

  /** Contents of the document, whose root is given. Throws unsupported_version. */
  result(root: SbomRecord, encoding: 'json' | 'tag-value'): Sbom {
    const written = textOf(root, 'spdxVersion') ?? '';
    const specVersion = VERSION.exec(written)?.[1];
    if (specVersion === undefined)
      throw new SbomError('unsupported_version', `${written || 'SPDX without a version'} is not read: 2.1 to 2.3 are`);
    for (const ref of textsOf(root, 'documentDescribes')) this.#described.add(ref);
    const described = [...this.#described].filter((ref) => this.#graph.has(ref));
    // SPDX 2.3, 6.2: a document of one package need not say that it describes it.
    const only = this.#described.size === 0 ? this.#graph.onlyRef : null;
    const subject = (described.length === 1 ? described[0] : only) ?? null;
    return {
      format: 'spdx',
      specVersion,
      encoding,
      serialNumber: textOf(root, 'documentNamespace'),
      subject: subject === null ? null : this.#graph.subject(subject),
      ...this.#graph.result(subject),
    };
  }

  #createMembers(): Readonly<Record<string, Shape>> {
    return {
      spdxVersion: TEXT,
      documentNamespace: TEXT,
      documentDescribes: listOf(TEXT),
      packages: listOf(
        objectOf(
          {
            SPDXID: NON_EMPTY,
            name: TEXT,
            versionInfo: TEXT,
            primaryPackagePurpose: TEXT,
            externalRefs: listOf(objectOf({ referenceType: TEXT, referenceLocator: TEXT })),
            checksums: listOf(objectOf({ algorithm: TEXT, checksumValue: TEXT })),
          },
          { required: ['SPDXID', 'name'], end: (record) => this.addPackage(record) },
        ),
      ),
      relationships: listOf(
        objectOf(
          { spdxElementId: TEXT, relationshipType: TEXT, relatedSpdxElement: TEXT },
          {
            required: ['spdxElementId', 'relationshipType', 'relatedSpdxElement'],
            end: (record) => this.#endRelationship(record),
          },
        ),
      ),
    };
  }

  #endRelationship(record: SbomRecord): void {
    const [from, to] = [textOf(record, 'spdxElementId') ?? '', textOf(record, 'relatedSpdxElement') ?? ''];
    // After the packages of a JSON document, a relation to anything else is one of a file and not read.
    const isRead = this.#graph.size === 0 || [from, to].every((ref) => ref === DOCUMENT || this.#graph.has(ref));
    if (isRead) this.addRelationship(from, textOf(record, 'relationshipType') ?? '', to);
  }
}
