import { type Chunk, SHARED } from '../corpus/chunk.ts';

/** A chunk of a finding; a story says what matters to it. */
const finding = (documentKey: string, overrides: Partial<Chunk> = {}): Chunk => ({
  domain: 'findings',
  source: 'test',
  documentKey,
  part: 0,
  entityType: 'vulnerability',
  entityKey: `vulnerability:${documentKey}`,
  title: documentKey,
  body: '',
  identifiers: [documentKey],
  packages: [],
  ...overrides,
});

/** The release that a card of the story leads to. */
export const RELEASE = '01900000-0000-7000-8000-00000000c0de';

const own: readonly Chunk[] = [
  finding('CVE-2031-1001', {
    title: 'Denial of service in templates of lodestar',
    body: 'A crafted template makes the parser of lodestar loop for ever. Upgrade to 4.2.1, which counts its turns.',
    packages: ['lodestar'],
    severity: 'high',
    ecosystem: 'npm',
  }),
  finding('vex-1', {
    domain: 'vex',
    source: 'vexhub',
    entityKey: 'vulnerability:CVE-2031-1001',
    title: 'CVE-2031-1001 in checkout: not affected',
    body: 'The vulnerable code is not in the execute path of checkout.',
    identifiers: ['CVE-2031-1001'],
  }),
  finding('CVE-2031-1002', {
    title: 'Path traversal in uploads of flagstone',
    body: 'A name with dots leaves the folder of templates and reads any file of the server.',
    packages: ['flagstone'],
    severity: 'critical',
    ecosystem: 'PyPI',
  }),
  finding('release-1', {
    domain: 'release',
    source: 'platform',
    entityType: 'release',
    entityKey: `release:${RELEASE}`,
    title: 'Release checkout 1.4.0',
    body: 'Ready since noon. Its notes speak of lodestar and of calmer nights.',
    identifiers: [RELEASE, 'checkout 1.4.0'],
    ref: { type: 'Release', id: RELEASE },
  }),
  finding('disallow-latest', {
    domain: 'policy',
    source: 'kyverno',
    entityType: 'policy',
    entityKey: 'policy:kyverno/disallow-latest',
    title: 'Disallow the tag latest',
    body: 'Images that are named by a moving tag change under a deployment. Pin them by digest. 🚢🚢 שלום',
    identifiers: ['disallow-latest'],
    ref: { type: 'Policy', id: 'disallow-latest' },
  }),
];

const other: readonly Chunk[] = [
  finding('CVE-2031-9009', {
    title: 'Denial of service in templates of lodestar, as globex has it',
    body: 'globexonly lodestar templates',
    severity: 'critical',
    ecosystem: 'npm',
  }),
];

const everybodys: readonly Chunk[] = [
  finding('KEV-7', {
    source: 'kev',
    title: 'Known to be exploited: uploads of flagstone',
    entityKey: 'vulnerability:CVE-2031-1002',
    identifiers: ['CVE-2031-1002'],
    severity: 'critical',
  }),
];

/** Documents of two tenants, and shared ones. */
export const scenario: readonly (readonly [owner: string, chunks: readonly Chunk[]])[] = [
  ['acme', own],
  ['globex', other],
  [SHARED, everybodys],
];
