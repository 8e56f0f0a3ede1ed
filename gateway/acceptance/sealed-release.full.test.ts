import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@landfall/agent/testing/free-port';
import { operatorKey } from '@landfall/airgap/testing/operator-anchor';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { buildArtifact, tagFor } from '@landfall/kernel/testing/oci-artifact';
import { type DockerRegistry, dockerPrograms, startDockerRegistry } from '@landfall/kernel/testing/oci-docker';
import { buildIndex } from '@landfall/kernel/testing/oci-image';
import { needs } from '@landfall/kernel/testing/programs';
import { until } from '@landfall/kernel/testing/until';
import { agentProcesses, served } from '@landfall/orchestrator/testing/agent-processes';
import { landfall } from '../cli/commands/cli-process.fixture.ts';
import { bearer } from '../testing/people.ts';
import { type Product, startProduct } from '../testing/start.ts';
import { recordedNames } from './recorded-names.fixture.ts';

const run = promisify(execFile);
const TENANT = 'acme';

const skopeo = async ({ host, credentials }: DockerRegistry, command: readonly string[], reference: string) => {
  const login = `${credentials.username}:${credentials.password}`;
  const { stdout } = await run('skopeo', [
    ...['--insecure-policy', ...command, '--tls-verify=false', '--no-tags', '--creds', login],
    `docker://${host}/shop/web${reference}`,
  ]);
  return stdout.trim();
};

const skopeoDigest = (registry: DockerRegistry, digest: string): Promise<string> =>
  skopeo(registry, ['inspect', '--format', '{{.Digest}}'], `@${digest}`);

/** Doors of a running product for a client of the tenant. */
const clientOf = async (product: Product) => {
  const { headers, clientId } = await bearer(product, TENANT);
  const send = async (path: string, body?: object) => {
    const method = body ? 'POST' : 'GET';
    const own = { ...headers, 'content-type': 'application/json' };
    const response = await fetch(product.baseUrl + path, { method, headers: own, body: JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    return JSON.parse(text);
  };
  /** Field of an answer of the graph. */
  const graph = async (query: string, variables: object = {}) => {
    const { data, errors } = await send('/graphql', { query, variables });
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data;
  };
  /** Answer of a mutation that takes one input of its own type. */
  const change = async (field: string, input: object, selection: string) => {
    const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
    const data = await graph(`mutation ($input: ${type}!) { ${field}(input: $input) { ${selection} } }`, { input });
    return data[field];
  };
  return { clientId, send, graph, change };
};

type Client = Awaited<ReturnType<typeof clientOf>>;

interface Finalized {
  readonly id: string;
  readonly version: number;
  readonly gatedDigestSet: string;
}

interface Equipment {
  readonly stack: AsyncDisposableStack;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Client that approves promotions; none is needed without it. */
  readonly approver?: Client;
}

/** Registry of a product, and an agent with a target on which its releases are deployed. */
const equip = async ({ agentUrl }: Product, client: Client, { stack, name, env, approver }: Equipment) => {
  const registry = stack.use(await startDockerRegistry({ isClosed: true }));
  const { origin: baseUrl, credentials } = registry;
  await client.change('createIntegration', { kind: 'REGISTRY', name: 'Docker', baseUrl, ...credentials }, 'id');
  const approvals = { requiredApprovals: approver ? 1 : 0, approvingClientIds: approver ? [approver.clientId] : [] };
  const stage = { name: 'Stage', orderIndex: 10, stageKind: 'STAGE', ...approvals };
  const environment = await client.change('createEnvironment', stage, 'id');
  const { value: token } = await client.change('createRegistrationToken', { name }, 'value');
  const agents = stack.use(await agentProcesses());
  const { id: agentId } = await agents.start(name, { server: agentUrl, token, env });
  const port = await freePort();
  const config = { port, probePath: '/healthz' };
  const target = { environmentId: environment.id, name: 'target', driver: 'PROCESS', config, agentId };
  await client.change('createTarget', target, 'id');

  /** Deploys a finalized release and returns the deployment once it has ended. */
  const deploy = async ({ id, version, gatedDigestSet }: Finalized) => {
    await client.change('markReleaseReady', { id, expectedVersion: version }, 'id');
    const wanted = { releaseId: id, targetEnvironmentId: environment.id, reason: 'Ship it.' };
    const promotion = await client.change('requestPromotion', wanted, 'id');
    const approved = { id: promotion.id, comment: 'Looks right.', seenGatedDigestSet: gatedDigestSet };
    await approver?.change('approvePromotion', approved, 'id');
    const launched = await client.change('launchDeployment', { promotionId: promotion.id }, 'id');
    const query = `query ($id: ID!) { deployment(id: $id) { status failureReason landingVerification
      targets { landing { verdict gatedDigest manifestDigest observedDigest } } } }`;
    return until(async () => {
      const { deployment } = await client.graph(query, { id: launched.id });
      return ['COMPLETED', 'FAILED'].includes(deployment.status) && deployment;
    });
  };
  return { registry, port, deploy };
};

/** Command of `landfall` in an installation, which must succeed. */
const commandOf =
  (env: Readonly<Record<string, string>>, directory: string) =>
  async (...args: string[]): Promise<string> => {
    const { code, out, err } = await landfall(args, { env: { ...env, INIT_CWD: directory } });
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
    return out;
  };

/** Seals the tenant by an operator's anchor; only its own machine may be reached. */
const sealSite = async ({ send }: Client, key: ReturnType<typeof operatorKey>): Promise<void> => {
  const { challenge } = await send('/api/v1/time/status');
  const anchorTime = new Date().toISOString();
  const token = key.state({ tenantId: TENANT, nonce: challenge.nonce, anchorTime });
  await send('/api/v1/time/anchor', { source: 'operator-dsse', token });
  const policy = { allowLoopback: true, allowRules: [] };
  assert.equal((await send('/system/airgap/seal', { reason: 'no network', policy })).mode, 'Sealed');
};

test(
  'a release of one product comes by kit to a sealed one, with equal digests, and lands there as verified',
  await needs(...dockerPrograms),
  async () => {
    await using stack = new AsyncDisposableStack();
    const desk = await mkdtemp(join(tmpdir(), 'landfall-desk-'));
    stack.defer(() => rm(desk, { recursive: true, force: true }));
    const key = operatorKey();
    const rootFile = join(desk, 'trust-roots.pem');
    await writeFile(rootFile, key.pem);
    const record = await recordedNames(desk);
    const home = stack.use(await startProduct('all-in-one'));
    const site = stack.use(
      await startProduct('all-in-one', { ...record.env, LANDFALL_AIRGAP_TRUST_ROOT_FILE: rootFile }),
    );
    const builder = await clientOf(home);
    const receiver = await clientOf(site);
    const origin = await equip(home, builder, { stack, name: 'home', env: {}, approver: await clientOf(home) });
    const place = await equip(site, receiver, { stack, name: 'site', env: record.env });
    await sealSite(receiver, key);

    // The release is made and deployed where there is a network, so that its kit has attestations.
    const own = buildApp({ version: '1.0.0' });
    const index = buildIndex([buildApp({ version: '1.0.0', platform: 'linux/s390x' }), own]);
    await origin.registry.push('shop/web', index, '1.0.0');
    const sbom = buildArtifact({
      layers: [{ mediaType: 'application/spdx+json', content: Buffer.from('{"spdxVersion":"SPDX-2.3"}') }],
    });
    await origin.registry.attach('shop/web', sbom, tagFor(index.digest, '.sbom'));
    const components = [{ name: 'web', repository: origin.registry.repository('shop/web'), tag: '1.0.0' }];
    const draft = await builder.change('createRelease', { name: 'shop', semver: '1.0.0', components }, 'id version');
    const made = await builder.change(
      'finalizeRelease',
      { id: draft.id, expectedVersion: draft.version },
      'id version gatedDigestSet',
    );
    assert.partialDeepStrictEqual(await origin.deploy(made), { status: 'COMPLETED', landingVerification: 'VERIFIED' });
    const statements =
      'query ($id: ID!) { release(id: $id) { custody { steps { statements { attestation { ref } } } } } }';
    await until(async () => {
      const { release } = await builder.graph(statements, { id: made.id });
      return JSON.stringify(release).includes('"attestation":{');
    });
    const trust = await fetch(`${home.baseUrl}/tlog/trust.json`);
    await writeFile(join(desk, 'trust.json'), await trust.text());

    const atHome = commandOf(home.env, desk);
    const atSite = commandOf(site.env, desk);
    const signers = ['--key', 'a.pem', '--key', 'b.pem'];
    for (const name of ['a.pem', 'b.pem']) await atHome('kit', 'root', 'key', name);
    const rootKeys = ['--threshold', '2', '--key', 'a.pem.pub', '--key', 'b.pem.pub'];
    const created = await atHome(
      'kit',
      'root',
      'new',
      'root.json',
      '--version',
      '1',
      '--expires',
      '2099-01-01T00:00:00Z',
      ...rootKeys,
    );
    for (const name of ['a.pem', 'b.pem']) await atHome('kit', 'root', 'sign', 'root.json', '--key', name);
    const content = ['--release', 'shop@1.0.0', '--tenant', TENANT, '--trust', 'trust.json', '--channel', 'shop'];
    await atHome('kit', 'build', 'kit', ...content, '--sequence', '1', '--root', 'root.json', ...signers);

    const [digest = ''] = /sha256:[0-9a-f]{64}/.exec(created) ?? [];
    await atSite('kit', 'root', 'install', 'root.json', '--digest', digest);
    await atSite('kit', 'import', 'kit', '--tenant', TENANT, '--registry', place.registry.host);
    const imported = await until(async () => {
      const { kitImports } = await receiver.graph(
        '{ kitImports(first: 1) { edges { node { state failureMessage changes { images attestations } } } } }',
      );
      const [edge] = kitImports.edges;
      return ['COMPLETE', 'FAILED'].includes(edge?.node.state) && edge.node;
    });
    assert.partialDeepStrictEqual(imported, { state: 'COMPLETE', failureMessage: null, changes: { images: 1 } });
    assert.ok(imported.changes.attestations > 0);
    for (const digest of [index.digest, own.digest])
      assert.equal(await skopeoDigest(place.registry, digest), await skopeoDigest(origin.registry, digest));
    const reference = `:${tagFor(index.digest, '.sbom')}`;
    const raw = ['inspect', '--raw'];
    assert.equal(await skopeo(place.registry, raw, reference), await skopeo(origin.registry, raw, reference));

    const { releases } = await receiver.graph(
      '{ releases(first: 5) { edges { node { id version semver status gatedDigestSet kit { channel sequence } } } } }',
    );
    assert.equal(releases.edges.length, 1);
    const [{ node: carried }] = releases.edges;
    assert.partialDeepStrictEqual(carried, {
      status: 'FINALIZED',
      semver: '1.0.0',
      gatedDigestSet: made.gatedDigestSet,
      kit: { channel: 'shop', sequence: 1 },
    });
    // Approvals and the policy at home came with the release, and are evidence of it.
    const stated =
      'query ($id: ID!) { release(id: $id) { kitStatements { kind environment policy approvals { comment } } } }';
    const { release: shown } = await receiver.graph(stated, { id: carried.id });
    const [approval, policy] = shown.kitStatements;
    assert.partialDeepStrictEqual(approval, { kind: 'APPROVAL', environment: 'Stage' });
    assert.deepEqual(approval.approvals, [{ comment: 'Looks right.' }]);
    assert.partialDeepStrictEqual(policy, { kind: 'POLICY', environment: 'Stage' });
    assert.partialDeepStrictEqual(JSON.parse(policy.policy), { requiredApprovals: 1, requiredEvidence: [] });
    const arrived = `query ($id: ID!) { release(id: $id) { artifacts(first: 50) {
      items { subjects { items { predicateType } } } } } }`;
    await until(async () => {
      const { release } = await receiver.graph(arrived, { id: carried.id });
      return JSON.stringify(release).includes('verification_summary');
    });
    const landed = await place.deploy(carried);
    assert.partialDeepStrictEqual(landed, {
      status: 'COMPLETED',
      failureReason: null,
      landingVerification: 'VERIFIED',
    });
    const [{ landing }] = landed.targets;
    assert.deepEqual(landing, {
      verdict: 'VERIFIED',
      gatedDigest: index.digest,
      manifestDigest: index.digest,
      observedDigest: own.digest,
    });
    assert.equal(await served(place.port), '1.0.0');

    assert.equal((await receiver.send('/system/airgap/status')).mode, 'Sealed');
    // The proof of the landing goes home on a medium, and is judged there by the site's key.
    await until(async () => (await receiver.graph('{ syncStatus { queued } }')).syncStatus.queued > 0);
    await atSite('sync', 'site', 'show', 'site.json', '--tenant', TENANT);
    const exported = await atSite('sync', 'export', 'media', '--tenant', TENANT);
    const [, bundle = ''] = /: (.+)\n/.exec(exported) ?? [];
    await atHome('sync', 'site', 'add', 'site.json', '--name', 'Plant 7', '--tenant', TENANT);
    const { siteId, publicKey } = JSON.parse(await readFile(join(desk, 'site.json'), 'utf8'));
    const signer = { name: 'Plant 7', kind: 'KEY', purposes: ['IMAGE'], publicKey };
    await builder.change('createTrustedSigner', signer, 'id');
    assert.match(await atHome('sync', 'import', bundle, '--tenant', TENANT), /0 in conflict, 0 refused/);
    const evidence = `query ($digest: Digest) { artifacts(subjectDigest: $digest, first: 50) {
      edges { node { bomRef verdict signer } } } }`;
    const artifact = await until(async () => {
      const { artifacts } = await builder.graph(evidence, { digest: index.digest });
      const all: { bomRef: string; verdict: string | null; signer: string | null }[] = artifacts.edges.map(
        ({ node }: { node: object }) => node,
      );
      return all.find(({ bomRef, verdict }) => bomRef.startsWith(`landfall:site:${siteId}:`) && verdict !== null);
    });
    assert.partialDeepStrictEqual(artifact, { verdict: 'VERIFIED', signer: 'Plant 7' });

    assert.deepEqual(await record.outside(), []);
    assert.notDeepEqual(await record.names(), [], 'the recorder ran');
  },
);
