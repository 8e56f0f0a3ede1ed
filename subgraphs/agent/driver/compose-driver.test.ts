import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failed, landed, setUp } from '../tasks/apply.fixture.ts';
import { composeHost, one, two } from './compose-driver.fixture.ts';
import { findCompose, notVerified } from './compose-driver.ts';

test('where docker compose does not answer, the agent has no such driver', async () => {
  await using host = await setUp();
  assert.equal(await findCompose(host.releases, '/nonexistent/docker'), undefined);
  assert.equal(await findCompose(host.releases, '/bin/false'), undefined);
  const { end } = await host.apply(host.task(one, { driver: 'compose', place: { project: 'shop' } }));
  assert.deepEqual([failed(end).code, failed(end).errorClass], ['AGT_CAPABILITY_MISSING', 'driver-unsupported']);
});

test('a release is pulled and brought up by digest', async () => {
  await using host = await composeHost();
  const env = { spec: { env: { GREETING: '$HOME "servus"', PATH: '/nowhere' }, agentSecrets: {}, stopTimeoutMs: 0 } };
  const { end, steps } = await host.up(one, env);
  assert.deepEqual(steps, ['resolved', 'pulled', 'verified', 'observed', 'shifted']);
  assert.equal(landed(end).components[0]?.gatedDigest, one.digest);
  const image = `${host.registry.repository('team/web')}@${one.digest}`;
  const file = join(host.place, 'compose.json');
  assert.ok((await host.docker.asked()).includes(`pull --quiet ${image}`));
  assert.ok(
    (await host.docker.asked()).includes(
      `compose --project-name shop --file ${file} up --detach --wait --wait-timeout 20 --remove-orphans`,
    ),
  );
  const stored = await readFile(file, 'utf8');
  assert.deepEqual(JSON.parse(stored).services.web, {
    image,
    environment: { GREETING: `\${LANDFALL_ENV_GREETING}`, PATH: `\${LANDFALL_ENV_PATH}` },
    ports: [],
    restart: 'unless-stopped',
  });
  assert.doesNotMatch(stored, /servus/);
  assert.deepEqual((await host.docker.containers()).web?.environment, { GREETING: '$HOME "servus"', PATH: '/nowhere' });
});

test('what an engine names as digests is no evidence: a landing names none and says why', async () => {
  await using host = await composeHost();
  const { end } = await host.up(one);
  const [landing] = landed(end).components;
  assert.deepEqual([landing?.observedDigest, landing?.reason], [null, notVerified]);
  const { web } = await host.docker.containers();
  const [own, other] = [one, two].map(({ digest }) => `${host.registry.repository('team/web')}@${digest}`);
  // Engines list all names times all digests of an image, the gated one among them.
  await host.docker.write('images', JSON.stringify({ any: { id: web?.image, digests: [other, own] } }));
  const [observation] = await host.targets.observe();
  assert.deepEqual([observation?.running, observation?.digest, observation?.reason], [true, null, notVerified]);
});

test('a container that is gone is seen as nothing', async () => {
  await using host = await composeHost();
  await host.up(one);
  await host.docker.write('containers', '{}');
  const [removed] = await host.targets.observe();
  assert.deepEqual([removed?.running, removed?.digest, removed?.reason], [false, null, 'no container runs']);
});

// spec: 7.2/DEPLOY_ARTIFACT_MISSING, 7.2/DEPLOY_PULL_FAILED
for (const [output, code, errorClass] of [
  ['manifest unknown: manifest unknown', 'DEPLOY_ARTIFACT_MISSING', 'artifact-missing'],
  [
    'pull access denied, repository does not exist or may require authorization',
    'DEPLOY_PULL_FAILED',
    'registry-unauthorized',
  ],
  ['Cannot connect to the Docker daemon', 'DEPLOY_PULL_FAILED', 'registry-unreachable'],
] as const)
  test(`what the engine says when it cannot pull is told as ${errorClass}`, async () => {
    await using host = await composeHost();
    await host.docker.write('refuse', output);
    const { end } = await host.up(one);
    assert.deepEqual([failed(end).code, failed(end).errorClass, failed(end).raw], [code, errorClass, output]);
    await rm(join(host.directory, 'docker-state/refuse'));
  });

test('a target without a project is refused', async () => {
  await using host = await composeHost();
  assert.equal(failed((await host.up(one, { place: null })).end).raw, 'the target names no project');
});
