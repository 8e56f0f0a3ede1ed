import { toTenantId } from '@landfall/kernel/core/ids';
import { type Chunk, SHARED } from '../corpus/chunk.ts';
import { createFeed } from '../corpus/feed.ts';
import { createLane } from '../fts/threaded-lane.ts';
import {
  aDeployment,
  anEstate,
  aRelease,
  entry,
  finished,
  idOf,
  type NewStoryEvent,
  storyApp,
} from '../platform/story.fixture.ts';
import { importText } from '../testing/import-text.ts';
import { queryModule } from './query.fixture.ts';

const stage = (name: string, orderIndex: number): NewStoryEvent =>
  entry('environment.create', 'Environment', name, {
    name,
    stageKind: name,
    orderIndex,
    rules: { name, stageKind: name, requiredApprovals: 1, separationOfDuties: 'author', requiredEvidence: [] },
  });

const failing: readonly NewStoryEvent[] = [
  entry('deployment.advance', 'Deployment', 'second', {
    state: 'failed',
    category: 'HealthCheckFailed',
    reason: 'probe-failed',
    plainReason: 'The new version started but never passed its health check.',
    action: 'Read its log below and mend the release.',
  }),
  entry('promotion.failed', 'Promotion', 'promotion of second', { deployment: idOf('second') }),
];

/** Events of a shop: 1.0.0 runs, 1.1.0 failed, 1.2.0 waits for approval. */
const storyEvents: readonly NewStoryEvent[] = [
  entry('user.create', 'User', 'rosa', { username: 'rosa', roles: [] }),
  entry('user.create', 'User', 'amir', { username: 'amir', roles: [] }),
  ...anEstate,
  stage('staging', 20),
  stage('dev', 10),
  ...aRelease('one', '1.0.0'),
  ...finished('amir', aDeployment('first', 'one')),
  ...aRelease('two', '1.1.0'),
  ...aDeployment('second', 'two', failing),
  ...aRelease('three', '1.2.0'),
  entry('promotion.request', 'Promotion', 'next', {
    state: 'pending',
    reason: 'A basket that remembers',
    releaseId: idOf('three'),
    environmentId: idOf('staging'),
    gatedDigestSet: idOf('set'),
  }),
];

/** Identifier, alias, ecosystem, package, severity, mended in, title, text. */
const ADVISORIES: readonly (readonly [string, string, string, string, string, string, string, string])[] = [
  [
    'GHSA-jfh8-c2jp-5v3q',
    'CVE-2021-44228',
    'Maven',
    'org.apache.logging.log4j:log4j-core',
    'CRITICAL',
    '2.15.0',
    'Log4j 2 runs code that a logged text names by JNDI',
    'A text that reaches the log may name an address, and Log4j fetches and runs what it finds there.',
  ],
  [
    'GHSA-xvch-5gv4-984h',
    'CVE-2021-44906',
    'npm',
    'minimist',
    'CRITICAL',
    '1.2.6',
    'Prototype pollution in minimist',
    'Arguments with the name of a constructor or prototype change every object of the program.',
  ],
  [
    'GHSA-jf85-cpcp-j695',
    'CVE-2019-10744',
    'npm',
    'lodash',
    'CRITICAL',
    '4.17.12',
    'Prototype pollution in lodash defaultsDeep',
    'The function can be made to change properties of Object.prototype.',
  ],
  [
    'GHSA-35jh-r3h4-6jhm',
    'CVE-2021-23337',
    'npm',
    'lodash',
    'HIGH',
    '4.17.21',
    'Command injection in lodash',
    'The function template runs what it is given.',
  ],
  [
    'GHSA-9wv6-86v2-598j',
    'CVE-2024-45296',
    'npm',
    'path-to-regexp',
    'HIGH',
    '0.1.10',
    'path-to-regexp makes regular expressions that backtrack',
    'Two parameters in one segment take exponential time and hold the whole server.',
  ],
  [
    'GHSA-h5c8-rqwp-cp95',
    'CVE-2024-22195',
    'PyPI',
    'jinja2',
    'MODERATE',
    '3.1.3',
    'Keys of xmlattr can add attributes in Jinja',
    'Keys that come from a user can bring a script into the page.',
  ],
  [
    'GHSA-qppj-fm5r-hxr3',
    'CVE-2023-44487',
    'Go',
    'golang.org/x/net',
    'HIGH',
    '0.17.0',
    'HTTP/2 rapid reset keeps a server busy',
    'A client that opens streams and cancels them at once makes the server work.',
  ],
];

const advisories = ADVISORIES.map(([id, alias, ecosystem, name, severity, fixed, summary, details]) =>
  JSON.stringify({
    schema_version: '1.6.0',
    id,
    aliases: [alias],
    modified: '2026-01-01T00:00:00Z',
    summary,
    details,
    affected: [
      { package: { ecosystem, name }, ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }] },
    ],
    database_specific: { severity },
  }),
).join('\n');

const exploited = JSON.stringify({
  title: 'CISA Catalog of Known Exploited Vulnerabilities',
  catalogVersion: '2026.01.01',
  vulnerabilities: [
    {
      cveID: 'CVE-2021-44228',
      vendorProject: 'Apache',
      product: 'Log4j2',
      vulnerabilityName: 'Apache Log4j2 Remote Code Execution Vulnerability',
      dateAdded: '2021-12-10',
      shortDescription: 'Apache Log4j2 lets a logged text run code.',
      requiredAction: 'Apply updates',
      dueDate: '2021-12-24',
      knownRansomwareCampaignUse: 'Known',
    },
    {
      cveID: 'CVE-2023-4863',
      vendorProject: 'Google',
      product: 'Chromium WebP',
      vulnerabilityName: 'Google Chromium WebP Heap-Based Buffer Overflow Vulnerability',
      dateAdded: '2023-09-13',
      shortDescription: 'Google Chromium WebP writes beyond its buffer.',
      requiredAction: 'Apply mitigations',
      dueDate: '2023-10-04',
      knownRansomwareCampaignUse: 'Unknown',
    },
  ],
});

const statements = JSON.stringify({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://acme.example/vex/1',
  author: 'Acme product security',
  timestamp: '2026-01-10T09:00:00Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: 'CVE-2021-44228' },
      products: [{ '@id': 'pkg:oci/shop-api' }],
      status: 'not_affected',
      justification: 'component_not_present',
      impact_statement: 'The api is written in Go. No image of the shop holds Log4j.',
    },
    {
      vulnerability: { name: 'CVE-2024-45296' },
      products: [{ '@id': 'pkg:oci/shop-web' }],
      status: 'affected',
      action_statement: 'Update path-to-regexp to 0.1.10 with the next version of the web.',
    },
  ],
});

const policies = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: images-by-digest
  annotations:
    policies.kyverno.io/title: Images by digest
    policies.kyverno.io/severity: high
    policies.kyverno.io/description: A tag can be moved after it was approved. Every container names its image by digest.
spec:
  rules: [{ name: require-digest, match: { any: [{ resources: { kinds: [Pod] } }] }, validate: { message: Name the image by its digest. } }]
`;

/** Page of the installation's documents, which are shared by all tenants. */
const page = (key: string, title: string, body: string, identifiers: readonly string[] = []): Chunk => ({
  domain: 'knowledge',
  source: key.startsWith('doctor') ? 'doctor' : 'docs',
  documentKey: key,
  part: 0,
  entityType: key.startsWith('doctor') ? 'check' : 'document',
  entityKey: `document:${key}`,
  title,
  body,
  identifiers,
  packages: [],
});

const documents: readonly Chunk[] = [
  page(
    'README.md#the-first-five-minutes',
    'Landfall › The first five minutes',
    'Sign in as Rosa. *shop 1.1.0 → staging* failed its health probe; ask *why did shop 1.1.0 fail*. Promotions such as shop 1.2.0 into staging wait for approval: who approved them is told. *log4j* finds the advisory that the shop imported, and that it is not affected. Is shop affected by log4j? What runs in prod is under Environments.',
  ),
  page(
    'docs/search.md#import',
    'Search › Import',
    'Import advisories of npm, PyPI and Maven: critical and high vulnerabilities, known exploited ones of CISA, what needs approval and what is pending. Misspelt words are found: prototipe polution.',
    ['landfall search import'],
  ),
  page(
    'docs/policies.md#images',
    'Policies › Images',
    'An image policy names images by digest. A policy is imported.',
    [],
  ),
  page(
    'docs/keys.md#rotate',
    'Keys that sign › Rotating',
    'Rotate the signing key with landfall keys rotate; the old key stays in the log.',
    ['landfall keys rotate'],
  ),
  page('README.md#settings/LANDFALL_DRAIN', 'LANDFALL_DRAIN (Settings)', 'How long requests may go on when it stops.', [
    'LANDFALL_DRAIN',
  ]),
  page(
    'docs/approvals.md#how',
    'Approvals › How a promotion is approved',
    'An approver opens the inbox and approves the promotion of a release.',
  ),
  page(
    'doctor:disk-space',
    'There is room on the disk (landfall doctor: disk-space)',
    'The disk is not full. What to do: free some room.',
    ['disk-space'],
  ),
];

/**
 * Starts an installation with the events and imports of a shop, and its own documents, for questions about them.
 * @param others further shared documents
 */
export const questionsApp = async (others: readonly Chunk[] = []) => {
  const app = await storyApp();
  const lane = await createLane({ directory: undefined, log: app.deps.log });
  const feed = createFeed({ ...app.deps, lane, pollMs: 50 });
  const feeding = feed.start();
  const module = queryModule(app.deps, { lane });
  const files = {
    'advisories.ndjson': advisories,
    'kev.json': exploited,
    'shop.openvex.json': statements,
    'policies.yaml': policies,
  };
  for (const [name, content] of Object.entries(files)) {
    const { chunks, refusals } = await importText(name, content);
    if (refusals.length > 0) throw new Error(JSON.stringify(refusals));
    await module.put('acme', chunks);
  }
  await module.put(SHARED, [...documents, ...others]);
  await app.happen(storyEvents);
  await app.project();
  await feed.settled();
  return {
    ...app,
    query: module.query,
    tenant: toTenantId('acme'),
    async [Symbol.asyncDispose]() {
      await feeding[Symbol.asyncDispose]();
      await lane[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
};
