import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { freePort } from '@landfall/agent/testing/free-port';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { arm } from '@landfall/kernel/system/failpoint';
import { people } from '@landfall/kernel/testing/callers';
import { type AppOptions, buildApp } from '@landfall/kernel/testing/oci-app';
import type { Image } from '@landfall/kernel/testing/oci-image';
import { until } from '@landfall/kernel/testing/until';
import { listenForAgents } from '@landfall/orchestrator/testing/agent-listener';
import { agentProcesses, served } from '@landfall/orchestrator/testing/agent-processes';
import { deployingApp } from '@landfall/orchestrator/testing/deploying-app';
import { orchestratorRoutes } from '@landfall/rest-compat/routes/orchestrator';
import Fastify from 'fastify';
import pg from 'pg';
import { openSeverableProxy } from './severable-proxy.fixture.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@landfall/orchestrator/testing/impatient-agent.fixture'));
const DEPLOYMENTS = '/api/v1/release-orchestrator/deployments';

/** Timeout of the environment in seconds; the database's clock stands still, so only a test lets it pass. */
export const TIMEOUT_SECONDS = 60;

const jsonOf = async (response: Response) => JSON.parse(await response.text());

const DEPLOYMENT = `query ($id: ID!) {
  deployment(id: $id) {
    status failureReason
    failureAnatomy { stage category reason plainReason detail action actionPath retryable errorCode }
    landingVerification
    failureGroups { category reason count retryable }
    targets { status failureAnatomy { category reason } }
    environment { currentDeployment { id } activeDeployment { id } }
  }
  today { failed { id } }
}`;

/**
 * Starts an installation with one environment and one target, where a real agent over mutual TLS runs version 1, with
 * GraphQL, REST and the agents' listener, for tests of faults during the next deployment.
 */
export const startFaultInstallation = async () => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await deployingApp());
  // Certificates are judged by TLS, which knows the real time only.
  await app.clock.advance(Date.now() - app.clock.now().getTime());
  const onBug = (error: unknown): void => void app.bugs.push(error);
  const rest = Fastify({ genReqId: () => app.deps.ids.uuid() });
  await registerRoutes(rest, orchestratorRoutes(app.module), {
    ...app.deps,
    onBug,
    callerOf: async () => people.viewer,
  });
  const restOrigin = await rest.listen({ port: 0, host: '127.0.0.1' });
  stack.defer(() => rest.close());
  const listener = stack.use(await listenForAgents(app.module.agentListener, app.deps, onBug));
  const cable = stack.use(await openSeverableProxy(listener.origin));
  const agents = stack.use(await agentProcesses());
  const runner = app.module.workers.find(({ name }) => name === 'orchestrator.runner');
  if (runner) stack.use(runner.start());

  const operator = app.caller('operator');
  const startAgent = async (overrides: { token?: string; failpoint?: string } = {}) =>
    agents.start('one', { server: cable.origin, program: PROGRAM, ...overrides });
  let agent = await startAgent({ token: (await app.module.agents.createToken(operator, { name: 'one' })).value });
  const environment = await app.seed.environment({ requiredApprovals: 0, deployTimeoutSeconds: TIMEOUT_SECONDS });
  const saveSecret = async (): Promise<void> => {
    await app.module.secrets.save(operator, { name: 'shop/greeting', value: 'good-morning' });
  };
  await saveSecret();
  const port = await freePort();
  const addTarget = (name: string, index: number) =>
    app.module.targets.create(operator, {
      environmentId: environment.id,
      name,
      driver: 'process',
      config: { port: index, probePath: '/healthz', probeTimeoutSeconds: 5 },
      agentId: agent.id,
      secretRefs: [{ variable: 'GREETING', secret: 'shop/greeting' }],
    });
  const target = await addTarget('first', port);
  let count = 0;

  /** Creates a release of one image that is approved for the environment. */
  const approved = async (image?: Partial<AppOptions> | Image, registry = app.registry) => {
    count += 1;
    const version = `1.0.${count}`;
    const built = image && 'digest' in image ? image : buildApp({ version, ...image });
    registry.push('shop/web', built, version);
    const components = [{ name: 'web', repository: registry.repository('shop/web'), tag: version }];
    const release = await app.seed.ready({ semver: version, components });
    return { version, image: built, release, promotion: await app.seed.approved(release, environment) };
  };
  type Approved = Awaited<ReturnType<typeof approved>>;

  const launch = ({ promotion }: Pick<Approved, 'promotion'>) =>
    app.module.deployments.launch(operator, { promotionId: promotion.id });

  const read = (id: string) => app.module.deployments.get(app.caller('viewer'), { id });

  /** Waits for the end of a deployment, checking after each write. */
  const endOf = async (id: string): Promise<Awaited<ReturnType<typeof read>>> => {
    for (;;) {
      const isWritten = Promise.withResolvers<void>();
      using _listening = app.deps.hints.listen(isWritten.resolve);
      const job = await read(id);
      if (job.state === 'completed' || job.state === 'failed') return job;
      await isWritten.promise;
    }
  };

  /** Reads a deployment and the Today page's data through GraphQL. */
  const agentReports = async (id: string) => {
    const { data, errors } = await app.graph(DEPLOYMENT, { id }, { as: 'viewer' });
    assert.equal(errors, undefined);
    return JSON.parse(JSON.stringify(data));
  };

  const get = async (path: string) => {
    const response = await fetch(restOrigin + path);
    return { status: response.status, body: await jsonOf(response) };
  };

  /** Waits for a heartbeat of the restarted agent, which would otherwise count as silent. */
  const waitForHeartbeat = async (): Promise<void> => {
    await until(async () => {
      const { state } = await app.module.agents.get(app.caller('viewer'), { id: agent.id });
      return state === 'active';
    });
  };

  const first = await approved();
  const { id: firstJob } = await launch(first);
  assert.equal((await endOf(firstJob)).landing, 'verified');

  const resources = stack.move();
  return {
    ...app,
    agents,
    /** Proxy between the agents and the server. */
    cable,
    environment,
    target,
    port,
    firstJob,
    addTarget,
    saveSecret,
    approved,
    launch,
    read,
    endOf,
    told: agentReports,
    get,
    deployment: (id: string) => get(`${DEPLOYMENTS}/${id}`),
    /** Runs `action` once in the transaction that dispatches the tasks, after preflight. */
    afterPreflight: (action: () => void | Promise<void>) => arm('deploy.runner.settling', action),
    /** Runs a statement as the superuser, for states that no operation creates. */
    async force(statement: string): Promise<void> {
      const client = new pg.Client(app.connection);
      await client.connect();
      await client.query(statement).finally(() => client.end());
    },
    agent: () => agent,
    async restartAgent(overrides: { failpoint?: string } = {}): Promise<void> {
      await agents.kill(agent);
      agent = await startAgent(overrides);
      await waitForHeartbeat();
    },
    /** Checks that only this version serves, in one process, and that no other one was ever switched to. */
    async assertServes(version: string): Promise<void> {
      assert.equal(await served(port), version);
      assert.equal((await agents.processes('one', target.id)).length, 1);
    },
    firstVersion: first.version,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

export type FaultInstallation = Awaited<ReturnType<typeof startFaultInstallation>>;
