import { freePort } from '@landfall/agent/testing/free-port';
import { buildImage, type Image } from '@landfall/kernel/testing/oci-image';
import { until } from '@landfall/kernel/testing/until';
import type { Environment } from '../catalogue/environments/environments.store.ts';
import { listenForAgents } from './agent-listener.ts';
import { type AgentStart, agentProcesses } from './agent-processes.ts';
import { deployingApp } from './deploying-app.ts';

const program = `
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').trim();
const [version, faults] = [read('./version.txt'), Number(read('./faults.txt'))];
let answered = 0;
createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
  if (request.url === '/healthz') return answer(200, 'well');
  if (request.url === '/env') return answer(200, process.env.GREETING ?? '');
  if (request.url === '/pid') return answer(200, String(process.pid));
  answered += 1;
  answer(answered % 100 < faults ? 500 : 200, version);
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
`;

/**
 * Builds an image of a small web server whose health check passes.
 * @param faults number of requests in a hundred that it answers with 500
 */
export const buildFaulty = (version: string, faults = 0): Image =>
  buildImage({
    layers: [
      [
        { path: 'srv/app/' },
        { path: 'srv/app/server.mjs', content: program },
        { path: 'srv/app/version.txt', content: version },
        { path: 'srv/app/faults.txt', content: String(faults) },
      ],
    ],
    config: { Cmd: ['node', 'server.mjs'], WorkingDir: '/srv/app' },
  });

/**
 * Starts the orchestrator with the agents' listener, and agents as separate programs. The runner runs while the test
 * waits.
 */
export const liveApp = async () => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await deployingApp());
  // Certificates are judged by TLS, which knows the real time only.
  await app.clock.advance(Date.now() - app.clock.now().getTime());
  const agents = stack.use(await agentProcesses());
  const bugs: unknown[] = [];
  const listener = stack.use(
    await listenForAgents(app.module.agentListener, app.deps, (error) => void bugs.push(error)),
  );
  const operator = app.caller('operator');

  const startAgent = async (name: string, overrides: Pick<AgentStart, 'env'> = {}) => {
    const { value: token } = await app.module.agents.createToken(operator, { name });
    return agents.start(name, { server: listener.origin, token, ...overrides });
  };

  /** Creates a target of an agent and returns the port for clients. */
  const target = async (
    environment: Environment,
    agentId: string,
    overrides: Readonly<Record<string, unknown>> = {},
  ) => {
    const port = await freePort();
    const { id } = await app.module.targets.create(operator, {
      environmentId: environment.id,
      name: `target-${port}`,
      driver: 'process',
      config: { port, probePath: '/healthz', ...overrides },
      agentId,
    });
    return { id, port };
  };

  const release = async (version: string, image: Image) => {
    app.registry.push('shop/web', image, version);
    const components = [{ name: 'web', repository: app.registry.repository('shop/web'), tag: version }];
    return app.seed.ready({ semver: version, components });
  };

  const read = (id: string) => app.module.deployments.get(operator, { id });

  const resources = stack.move();
  return {
    ...app,
    agents,
    startAgent,
    target,
    release,
    read,
    bugs,
    /** Waits until a deployment meets the test's condition. The test clock follows the real one. */
    until: (id: string, isThere: (deployment: Awaited<ReturnType<typeof read>>) => boolean | Promise<boolean>) =>
      until(async () => {
        await app.clock.advance(Math.max(0, Date.now() - app.clock.now().getTime()));
        await app.module.runOnce.runner();
        const deployment = await read(id);
        if (await isThere(deployment)) return deployment;
        if (deployment.state === 'failed') throw new Error(`it failed: ${JSON.stringify(deployment.anatomy)}`);
        return false;
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

export type LiveApp = Awaited<ReturnType<typeof liveApp>>;
