import {
  listOf,
  NON_EMPTY,
  type ObjectShape,
  objectOf,
  type SbomRecord,
  type Shape,
  TEXT,
  textAmong,
  textMatching,
} from './record-shape.ts';

/** Receiver of what a CycloneDX document lists, in document order; nested components end before their parent. */
export interface CycloneDxListener {
  beginComponent(): void;
  endComponent(component: SbomRecord): void;
  endSubject(component: SbomRecord): void;
  dependency(dependency: SbomRecord): void;
}

// Values of all versions together: a document is not refused for using a word of a later version.
const TYPES = textAmong(
  'application',
  'container',
  'cryptographic-asset',
  'data',
  'device',
  'device-driver',
  'file',
  'firmware',
  'framework',
  'library',
  'machine-learning-model',
  'operating-system',
  'platform',
);

const ALGORITHMS = textAmong(
  'BLAKE2b-256',
  'BLAKE2b-384',
  'BLAKE2b-512',
  'BLAKE3',
  'MD5',
  'SHA-1',
  'SHA-256',
  'SHA-384',
  'SHA-512',
  'SHA3-256',
  'SHA3-384',
  'SHA3-512',
  'Streebog-256',
  'Streebog-512',
);

const HASH_VALUE = /^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{96}|[0-9a-fA-F]{128})$/;
const SERIAL_NUMBER =
  /^(?:urn:uuid:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\{[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\})$/i;
const DATE_TIME = /^-?\d{4,}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?$/;

/** Shape of an object that is checked and not read further. */
const checked = (
  members: Readonly<Record<string, Shape>>,
  options: Pick<ObjectShape, 'required' | 'exclusive'> = {},
): ObjectShape => objectOf(members, { ...options, end: () => undefined });

const PROPERTIES = listOf(checked({ name: TEXT }, { required: ['name'] }));
// Ids of licences are not checked: their list grows. A licence with neither id nor name is invalid, and published.
const LICENSES = listOf(
  objectOf(
    {
      license: objectOf(
        { id: TEXT, name: TEXT, text: checked({ encoding: textAmong('base64') }), properties: PROPERTIES },
        { exclusive: ['id', 'name'] },
      ),
      expression: TEXT,
    },
    { exclusive: ['license', 'expression'], end: () => undefined },
  ),
  { isChoice: true },
);
const PATCHES = listOf(
  checked(
    {
      type: textAmong('unofficial', 'monkey', 'backport', 'cherry-pick'),
      resolves: listOf(checked({ type: textAmong('defect', 'enhancement', 'security') }, { required: ['type'] })),
    },
    { required: ['type'] },
  ),
);

const serviceShape = (): ObjectShape => {
  const service = checked(
    {
      name: TEXT,
      'bom-ref': NON_EMPTY,
      data: listOf(checked({ flow: textAmong('inbound', 'outbound', 'bi-directional', 'unknown') })),
      licenses: LICENSES,
      properties: PROPERTIES,
    },
    { required: ['name'] },
  );
  service.members.set('services', listOf(service));
  return service;
};

const COMPONENT_MEMBERS: Readonly<Record<string, Shape>> = {
  type: TYPES,
  'bom-ref': NON_EMPTY,
  group: TEXT,
  name: TEXT,
  version: TEXT,
  scope: textAmong('required', 'optional', 'excluded'),
  purl: TEXT,
  hashes: listOf(objectOf({ alg: ALGORITHMS, content: textMatching(HASH_VALUE) }, { required: ['alg', 'content'] })),
  licenses: LICENSES,
  swid: checked({ tagId: TEXT, name: TEXT }, { required: ['tagId', 'name'] }),
  pedigree: checked({ patches: PATCHES }),
  properties: PROPERTIES,
};

const xmlDependency = (listener: CycloneDxListener): ObjectShape => {
  const target = objectOf({ ref: NON_EMPTY }, { required: ['ref'], isRepeated: true });
  return objectOf(
    { ref: NON_EMPTY, dependency: target },
    { required: ['ref'], end: (record) => listener.dependency(record) },
  );
};

const jsonDependency = (listener: CycloneDxListener): ObjectShape =>
  objectOf(
    { ref: NON_EMPTY, dependsOn: listOf(NON_EMPTY) },
    { required: ['ref'], end: (record) => listener.dependency(record) },
  );

/**
 * Members of a CycloneDX document (versions 1.0 to 1.7): what a scan reads, and the required fields and closed
 * vocabularies of its neighbourhood, which refuse a document that its generator wrote wrongly.
 */
export const cycloneDxMembers = (
  listener: CycloneDxListener,
  encoding: 'json' | 'xml',
): Readonly<Record<string, Shape>> => {
  const required = ['name', 'type'];
  const component = objectOf(COMPONENT_MEMBERS, {
    required,
    begin: () => listener.beginComponent(),
    end: (record) => listener.endComponent(record),
  });
  const components = listOf(component);
  component.members.set('components', components);
  const subject = objectOf(
    { ...COMPONENT_MEMBERS, components },
    { required, begin: () => listener.beginComponent(), end: (record) => listener.endSubject(record) },
  );
  return {
    bomFormat: textAmong('CycloneDX'),
    specVersion: TEXT,
    serialNumber: textMatching(SERIAL_NUMBER),
    metadata: checked({
      timestamp: textMatching(DATE_TIME),
      component: subject,
      licenses: LICENSES,
      properties: PROPERTIES,
    }),
    components,
    services: listOf(serviceShape()),
    dependencies: listOf(encoding === 'xml' ? xmlDependency(listener) : jsonDependency(listener)),
    properties: PROPERTIES,
  };
};
