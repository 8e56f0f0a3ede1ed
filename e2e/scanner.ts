// Scans of a small program, as an operator and its build would make them: feeds are imported beside the running server,
// bills of materials and call graphs are sent over REST. Everything may be repeated: the same bill is the same scan.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@landfall/kernel/testing/until';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { type Client, clientOf } from './clients.ts';
import type { Product } from './product.ts';
import { mutate, requestField } from './test-environment.ts';

/** Long enough for a scan on two busy cores. */
const TIMEOUT_MS = 60_000;

const CRITICAL = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
const MEDIUM = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:L/A:N';

const advisory = (id: string, packageName: string, fixed: string, more: object = {}) => ({
  id,
  modified: '2026-11-01T00:00:00Z',
  affected: [
    {
      package: { ecosystem: 'npm', name: packageName },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
    },
  ],
  ...more,
});

const FILES: Readonly<Record<string, string>> = {
  'gate.json': JSON.stringify(
    advisory('GHSA-2c2c-3f3f-4g4g', 'quay-gate', '1.2.0', {
      aliases: ['CVE-2026-91000'],
      summary: 'The gate opens for a crafted header',
      severity: [{ type: 'CVSS_V3', score: CRITICAL }],
    }),
  ),
  'fence.json': JSON.stringify(
    advisory('CVE-2026-92000', 'quay-fence', '1.0.4', {
      summary: 'Timing of the fence reveals its height',
      severity: [{ type: 'CVSS_V3', score: MEDIUM }],
    }),
  ),
  'latch.json': JSON.stringify(advisory('GHSA-5h5h-6j6j-7m7m', 'quay-latch', '3.0.0')),
  'kev.json': JSON.stringify({
    dateReleased: '2026-11-02T00:00:00Z',
    vulnerabilities: [{ cveID: 'CVE-2026-91000', dateAdded: '2026-11-02', dueDate: '2026-11-23' }],
  }),
  'epss.csv':
    '#model_version:v1,score_date:2026-11-02\ncve,epss,percentile\nCVE-2026-91000,0.87500,0.99\nCVE-2026-92000,0.00420,0.3\n',
};

/** Imports advisories, KEV and EPSS as the operator of the installation does. */
const importFeeds = async ({ dataDir }: Product): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-e2e-feeds-'));
  try {
    for (const [name, content] of Object.entries(FILES)) await writeFile(join(directory, name), content);
    const env = { ...process.env, LANDFALL_DATA_DIR: dataDir };
    const args = ['gateway/cli/landfall.ts', 'scanner', 'import', directory];
    await promisify(execFile)(process.execPath, args, { cwd: join(import.meta.dirname, '..'), env });
  } finally {
    await rm(directory, { recursive: true });
  }
};

const library = (name: string, version: string) => ({
  'bom-ref': name,
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
});

/** Bill of a program whose packages reach `quay-gate` through `quay-wall`; three of its parts cannot be matched. */
const bill = (name: string, version: string) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  metadata: { component: { 'bom-ref': 'app', type: 'application', name, version } },
  components: [
    library('quay-wall', '2.0.0'),
    library('quay-gate', '1.1.0'),
    library('quay-fence', '1.0.0'),
    library('quay-latch', '2.5.1'),
    library('quay-odd', 'latest'),
    { 'bom-ref': 'bare', type: 'library', name: 'vendored', version: '1.0.0' },
    { 'bom-ref': 'gem', type: 'library', name: 'rigging', version: '1.0.0', purl: 'pkg:gem/rigging@1.0.0' },
  ],
  dependencies: [
    { ref: 'app', dependsOn: ['quay-wall', 'quay-latch'] },
    { ref: 'quay-wall', dependsOn: ['quay-gate', 'quay-fence'] },
  ],
});

/** Bill in which no component can be matched. */
const opaqueBill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  metadata: { component: { 'bom-ref': 'app', type: 'firmware', name: 'tide-gauge', version: '7' } },
  components: [{ 'bom-ref': 'blob', type: 'library', name: 'blob', version: '1' }],
};

const Submitted = Type.Object({ scanId: Type.String() });
const Status = Type.Object({ status: Type.String() });

/** Sends a bill and waits until it is scanned. @returns the scan’s id */
export const scanBill = async (client: Client, document: object, query = ''): Promise<string> => {
  const { body } = await client.post(`/api/v1/scans${query}`, JSON.stringify(document));
  const { scanId } = Parse(Submitted, body);
  const question = 'query ($id: ID!) { it: scan(id: $id) { status } }';
  await until(
    async () =>
      (await requestField(client, question, { id: scanId }, Status)).status === 'COMPLETED' ? scanId : undefined,
    { withinMs: TIMEOUT_MS, everyMs: 200 },
  );
  return scanId;
};

const FUNCTIONS = ['main', 'serve', 'parse', 'open', 'compare'] as const;

/** Call graph whose `open` of `quay-gate` is a vulnerable function; `calls` are pairs of positions in `FUNCTIONS`. */
const callGraph = (calls: readonly (readonly [number, number])[], isComplete: boolean) => ({
  schema: 'landfall.callgraph/v1',
  language: 'node',
  tool: 'quay-graph 1.0',
  coverage: isComplete
    ? { complete: true }
    : { complete: false, limitations: ['Modules that are loaded by a computed name are not followed.'] },
  symbols: FUNCTIONS.map((name, at) => ({
    purl: ['pkg:npm/quay-shop', 'pkg:npm/quay-shop', 'pkg:npm/quay-wall', 'pkg:npm/quay-gate', 'pkg:npm/quay-fence'][
      at
    ],
    name,
  })),
  edges: calls,
  entries: [0],
  sinks: [
    { symbol: 3, kind: 'vuln-symbol', vulnerabilityIds: ['CVE-2026-91000'] },
    { symbol: 4, kind: 'vuln-symbol', vulnerabilityIds: ['CVE-2026-92000'] },
  ],
});

const importGraph = async (client: Client, scanId: string, document: object): Promise<void> => {
  const { status, body } = await client.post(`/api/v1/scans/${scanId}/callgraphs/node`, JSON.stringify(document));
  if (status !== 202) throw new Error(JSON.stringify(body));
};

const Drift = Type.Object({ drift: Type.Object({ id: Type.String() }) });
const Findings = Type.Object({
  findings: Type.Object({ edges: Type.Array(Type.Object({ node: Type.Object({ findingId: Type.String() }) })) }),
});
const Release = Type.Object({ components: Type.Array(Type.Object({ digest: Type.String() })) });

const COMPARE =
  'query ($id: ID!, $base: ID!) { it: scan(id: $id) { drift(baseScanId: $base, language: "node") { id } } }';

const DECISIONS =
  '{ it: triageDecisions(vulnerabilityId: "GHSA-5h5h-6j6j-7m7m", inForce: true) { edges { node { id } } } }';
const Decisions = Type.Object({ edges: Type.Array(Type.Object({ node: Type.Object({ id: Type.String() }) })) });
const Id = Type.Object({ id: Type.String() });

/** Decides about the vulnerability of `quay-latch`, unless it is decided. @returns the decision's id */
const decideLatch = async (client: Client): Promise<string> => {
  const [known] = (await requestField(client, DECISIONS, {}, Decisions)).edges;
  if (known) return known.node.id;
  const { id } = await mutate(
    client,
    'decideFinding',
    {
      vulnerabilityId: 'GHSA-5h5h-6j6j-7m7m',
      scope: 'COMPONENT',
      component: 'pkg:npm/quay-latch@2.5.1',
      status: 'FIXING',
      reason: 'The latch is replaced by another one in the release after the next, which is being tested.',
    },
    Id,
  );
  return id;
};

/** Registers a source of VEX with a document about no package of the bills, unless it is registered. @returns its id */
const registerHarbour = async (client: Client): Promise<string> => {
  const sources = Type.Array(Type.Object({ id: Type.String(), name: Type.String() }));
  const known = (await requestField(client, '{ it: vexSources { id name } }', {}, sources)).find(
    ({ name }) => name === 'harbour',
  );
  if (known) return known.id;
  const { id } = await mutate(client, 'createVexSource', { name: 'harbour', rank: 20, trust: 'TRUSTED' }, Id);
  const statements = ['not_affected', 'perhaps'].map((status) => ({
    vulnerability: { name: 'CVE-2026-95000' },
    products: [{ '@id': 'pkg:npm/harbour-crane' }],
    status,
    justification: 'vulnerable_code_not_present',
  }));
  const document = JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://harbour.example/vex/1',
    author: 'Harbour',
    timestamp: '2026-11-01T00:00:00Z',
    version: 1,
    statements,
  });
  await mutate(client, 'importVexDocument', { source: 'harbour', document }, Id);
  return id;
};

/** Scans of two versions of a program, of which the newer one is the image of a release of the demo. @returns ids */
export const seedScans = async (product: Product) => {
  const client = await clientOf(product.credentials, 'operator');
  await importFeeds(product);
  const release = '{ it: release(id: "ID") { components { digest } } }'.replace(
    'ID',
    product.credentials.ids.releaseId ?? '',
  );
  const { components } = await requestField(client, release, {}, Release);
  const baseScanId = await scanBill(client, bill('quay-shop', '1.0.0'));
  const scanId = await scanBill(client, bill('quay-shop', '1.1.0'), `?imageDigest=${components[0]?.digest}`);
  const opaqueScanId = await scanBill(client, opaqueBill);
  await importGraph(
    client,
    baseScanId,
    callGraph(
      [
        [0, 1],
        [1, 2],
        [2, 4],
      ],
      false,
    ),
  );
  await importGraph(
    client,
    scanId,
    callGraph(
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      true,
    ),
  );
  const { drift } = await requestField(client, COMPARE, { id: scanId, base: baseScanId }, Drift);
  const first = 'query ($id: ID!) { it: scan(id: $id) { findings(first: 1) { edges { node { findingId } } } } }';
  const { findings } = await requestField(client, first, { id: scanId }, Findings);
  const findingId = findings.edges[0]?.node.findingId ?? '';
  const decided = { decisionId: await decideLatch(client), vexSourceId: await registerHarbour(client) };
  return { client, ids: { scanId, baseScanId, opaqueScanId, findingId, driftId: drift.id, ...decided } };
};
