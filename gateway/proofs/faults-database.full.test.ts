import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '@landfall/agent/testing/free-port';
import { startPostgres } from '@landfall/kernel/db/embedded-postgres';
import { people } from '@landfall/kernel/testing/callers';
import { startTestCluster } from '@landfall/kernel/testing/cluster';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { orchestratorModule } from '@landfall/orchestrator';
import { agentProcesses, served } from '@landfall/orchestrator/testing/agent-processes';
import { bearer } from '../testing/people.ts';
import { letTimePass, startProduct } from '../testing/start.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

/**
 * Image that becomes healthy once the file named by `GATE` exists, so that the test decides when its deployment
 * continues.
 */
const slowApp = buildImage({
  layers: [
    [
      {
        path: 'server.mjs',
        content: `
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
console.log('version patient on port', process.env.PORT);
createServer((request, response) => {
  response.writeHead(existsSync(process.env.GATE) ? 200 : 503).end('patient');
}).listen(Number(process.env.PORT), '127.0.0.1');
`,
      },
    ],
  ],
  config: { Cmd: ['node', 'server.mjs'], WorkingDir: '/' },
});

/** Starts a database server for this test, which can be stopped and started. */
const ownCluster = async (directory: string) => {
  await chmod(directory, 0o755); // As root, PostgreSQL's own user may enter the directory.
  const dataDir = join(directory, 'postgres');
  let server = await startTestCluster(dataDir);
  let isUp = true;
  return {
    host: server.connection.host,
    async stop() {
      isUp = false;
      await server.stop();
    },
    async start() {
      if (!isUp) server = await startPostgres({ dataDir });
      isUp = true;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
};

const setup = async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'landfall-outage-'));
  stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  const cluster = stack.use(await ownCluster(directory));
  const database = stack.use(await testDatabase(cluster.host));
  await letTimePass(database.connection);
  const product = stack.use(await startProduct('all-in-one', { DATABASE_URL: database.url }));
  const registry = stack.use(await startRegistry());
  const agents = stack.use(await agentProcesses());
  const module = orchestratorModule.get(product.modules);
  const { operator } = people;

  const { value: token } = await module.agents.createToken(operator, { name: 'one' });
  const agent = await agents.start('one', { server: product.agentUrl, token });
  const environment = await module.environments.create(operator, {
    name: 'dev',
    orderIndex: 1,
    stageKind: 'dev',
    requiredApprovals: 0,
  });
  const [gate, port] = [join(directory, 'gate'), await freePort()];
  const target = await module.targets.create(operator, {
    environmentId: environment.id,
    name: 'first',
    driver: 'process',
    config: { port, env: [{ name: 'GATE', value: gate }], probeTimeoutSeconds: 120 },
    agentId: agent.id,
  });
  registry.push('shop/web', slowApp, '1.0.0');
  const components = [{ name: 'web', repository: registry.repository('shop/web'), tag: '1.0.0' }];
  const draft = await module.releases.create(operator, { name: 'shop', semver: '1.0.0', components });
  const fixed = await module.releases.finalize(operator, { id: draft.id, expectedVersion: draft.version });
  await module.releases.markReady(operator, { id: draft.id, expectedVersion: fixed.version });
  const promotion = await module.promotions.request(operator, {
    releaseId: draft.id,
    targetEnvironmentId: environment.id,
    reason: 'Ship it.',
  });
  const job = await module.deployments.launch(operator, { promotionId: promotion.id });
  const { headers } = await bearer(product, 'acme');

  const get = async (path: string) => {
    const response = await fetch(product.baseUrl + path, { headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const graph = async (query: string) => {
    const response = await fetch(`${product.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    return JSON.parse(await response.text());
  };
  // The database runs again before the deferred releases that need it.
  stack.defer(cluster.start);
  const resources = stack.move();
  return {
    cluster,
    product,
    agents,
    target,
    port,
    job,
    get,
    graph,
    deployment: () => get(`/api/v1/release-orchestrator/deployments/${job.id}`),
    openGate: () => writeFile(gate, ''),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

// spec: rulings/20
test(
  'a database that goes away during a deployment and comes back: told, waited for, and landed',
  onlyLinux,
  async (t) => {
    await using scenario = await setup();
    const { cluster, product, get, graph, deployment } = scenario;
    const waitFor = (look: () => Promise<void>) => t.waitFor(look, { timeout: 60_000, interval: 100 });
    await waitFor(async () => {
      assert.equal((await deployment()).body.status, 'InProgress');
      assert.equal((await scenario.agents.starts('one', scenario.target.id)).length, 1);
    });

    await cluster.stop();
    await waitFor(async () =>
      assert.deepEqual((await get('/readyz')).body, { status: 'unready', missing: ['database'] }),
    );
    assert.deepEqual((await get('/readyz')).status, 503);
    const health = await get('/healthz');
    assert.deepEqual([health.status, health.text], [200, 'Healthy']);
    const { status, body } = await deployment();
    assert.deepEqual([status, body.success, body.error.code], [500, false, 'SYS_DATABASE_ERROR']);
    const { errors } = await graph('{ releases { edges { node { id } } } }');
    assert.deepEqual([errors[0].extensions.code, errors[0].extensions.status], ['SYS_DATABASE_ERROR', 500]);

    // The component becomes healthy while no server can receive the agent's report.
    await scenario.openGate();
    assert.equal(await served(scenario.port), 'No release serves here.\n');

    await cluster.start();
    await waitFor(async () => assert.equal((await get('/readyz')).status, 200));
    await waitFor(async () => assert.equal((await deployment()).body.status, 'Completed'));
    const landed = (await deployment()).body;
    assert.deepEqual(
      [landed.landingVerification, landed.targets[0].landing.observedDigest],
      ['verified', slowApp.digest],
    );
    assert.equal(await served(scenario.port), 'patient');
    assert.deepEqual(await scenario.agents.starts('one', scenario.target.id), ['patient'], 'it was started once');
    assert.deepEqual(
      product.processes.map(({ child }) => child.exitCode),
      [null],
      'the server was not started again',
    );
  },
);
