import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { people } from '@landfall/kernel/testing/callers';
import { actionPaths } from '@landfall/orchestrator/testing/action-paths';
import {
  type DeployingApp,
  deployingApp,
  failedAt,
  landedAt,
  leased,
  type TestAgent,
} from '@landfall/orchestrator/testing/deploying-app';
import { orchestratorRoutes } from '@landfall/rest-compat/routes/orchestrator';
import Fastify, { type FastifyInstance } from 'fastify';

const other = `sha256:${'f'.repeat(64)}`;

let app: DeployingApp;
let router: FastifyInstance;
let origin: string;
let environment: Awaited<ReturnType<DeployingApp['seed']['environment']>>;
let agent: TestAgent;

before(async () => {
  app = await deployingApp();
  router = Fastify({ genReqId: () => app.deps.ids.uuid() });
  await registerRoutes(router, orchestratorRoutes(app.module), {
    ...app.deps,
    onBug: (error) => void app.bugs.push(error),
    callerOf: async () => people.viewer,
  });
  environment = await app.seed.environment({ requiredApprovals: 0 });
  agent = await app.register();
  await app.seed.target(environment, agent);
  origin = await router.listen({ port: 0, host: '127.0.0.1' });
});
after(async () => {
  await router.close();
  await app[Symbol.asyncDispose]();
});

const get = async (path: string) => {
  const response = await fetch(origin + path);
  return { status: response.status, body: JSON.parse(await response.text()) };
};

/** Runs a deployment to one target until it ends with the agent's report. */
const completed = async (results: (assignment: Parameters<typeof landedAt>[0]) => object) => {
  const release = await app.seed.ready();
  const { id } = await app.launch((await app.seed.approved(release, environment)).id);
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, results(assignment));
  const { anatomy } = await app.module.deployments.get(app.caller('viewer'), { id });
  return { place: { releaseId: release.id, environmentId: environment.id, deploymentId: id }, release, anatomy };
};

// spec: 2.10/anatomy-action-path
test('every cause that leads somewhere leads to a page that answers', async () => {
  const { place: subject } = await completed(() => failedAt('probe-failed', 'HTTP 500'));
  const paths = actionPaths({ ...subject, digest: other });
  assert.ok(paths.length >= 7, paths.join('\n'));
  for (const path of paths) assert.equal((await get(path)).status, 200, path);
  assert.deepEqual(app.bugs, []);
});

test('a foreign digest that runs is the one that its failure leads to', async () => {
  const { anatomy } = await completed((assignment) => landedAt(assignment, { observedDigest: other }));
  assert.equal(anatomy?.actionPath, `/api/v1/release-orchestrator/estate/digest/${other}`);
  assert.deepEqual((await get(anatomy.actionPath)).body, { digest: other, locations: [], releases: [] });
});

test('bytes that are not the approved ones lead to the digest that was approved', async () => {
  let query = '';
  const { anatomy, release } = await completed(({ task }) => {
    query = task.components[0]?.digest ?? '';
    return failedAt('digest-mismatch', `the manifest is ${other}, not ${query}`);
  });
  assert.equal(anatomy?.actionPath, `/api/v1/release-orchestrator/estate/digest/${query}`);
  const { body } = await get(anatomy.actionPath);
  assert.deepEqual(body.releases, [{ id: release.id, name: release.name, semver: release.semver }]);
});

test('a mismatch of a layer, which is no digest of ours, leads nowhere', async () => {
  const { anatomy } = await completed(() => failedAt('digest-mismatch', `layer unpacks to ${other}`));
  assert.deepEqual([anatomy?.category, anatomy?.actionPath], ['DigestMismatch', null]);
});

// spec: 4.9/estate-digest
test('the specified path of a digest tells where it runs and in which releases it is', async () => {
  const { release } = await completed(landedAt);
  const digest = release.components[0]?.digest;
  const { status, body } = await get(`/api/v1/release-orchestrator/estate/digest/${digest}`);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['digest', 'locations', 'releases']);
  assert.equal(body.digest, digest);
  assert.deepEqual(body.releases, [{ id: release.id, name: release.name, semver: release.semver }]);
  const locations = Array.from<{ environmentId: string; component: string }>(body.locations);
  assert.deepEqual(
    locations.map(({ environmentId, component }) => [environmentId, component]),
    [[environment.id, release.components[0]?.name]],
  );
});
