import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import type { Image } from '@landfall/kernel/testing/oci-image';
import type { Task } from '../protocol/messages.ts';
import { failed, landed, setUp } from '../tasks/apply.fixture.ts';
import { findCompose, notVerified } from './compose-driver.ts';
import { documentedDocker } from './docker.fixture.ts';

const [one, two] = [buildApp({ version: 'one' }), buildApp({ version: 'two' })];

const start = async () => {
  let docker: Awaited<ReturnType<typeof documentedDocker>> | undefined;
  const host = await setUp({
    drivers: async (releases, directory) => {
      docker = await documentedDocker(directory);
      const driver = await findCompose(releases, docker.file);
      return driver ? [driver] : [];
    },
  });
  assert.ok(docker);
  return Object.assign(host, {
    docker,
    place: join(host.directory, 'targets', host.targetId),
    // No engine runs, so nothing listens on the ports of these components.
    up: (image: Image, changes: Partial<Task> = {}) =>
      host.apply(host.task(image, { driver: 'compose', place: { project: 'shop' }, ...changes }, { port: null })),
  });
};

const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

test('where docker compose does not answer, the agent has no such driver', async () => {
  await using host = await setUp();
  assert.equal(await findCompose(host.releases, '/nonexistent/docker'), undefined);
  assert.equal(await findCompose(host.releases, '/bin/false'), undefined);
  const { end } = await host.apply(host.task(one, { driver: 'compose', place: { project: 'shop' } }));
  assert.deepEqual([failed(end).code, failed(end).errorClass], ['AGT_CAPABILITY_MISSING', 'driver-unsupported']);
});

test('a release is pulled and brought up by digest', async () => {
  await using host = await start();
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
  await using host = await start();
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

/** Reads the digest that the compose file requests: the only evidence that this driver has. */
const commandOf = async (host: Awaited<ReturnType<typeof start>>): Promise<string> =>
  JSON.parse(await readFile(join(host.place, 'compose.json'), 'utf8')).services.web.image.split('@')[1];

test('it is only pulled, then brought up in place of the old, and the old comes back when it is withdrawn', async () => {
  await using host = await start();
  await host.up(one);
  await host.up(two, share(0));
  assert.equal(await commandOf(host), one.digest);
  await host.up(two, share(100));
  assert.equal(await commandOf(host), two.digest);
  await host.up(two, { action: 'withdraw' });
  assert.equal(await commandOf(host), one.digest);
  await host.up(two);
  assert.equal(await commandOf(host), two.digest);
  await host.targets.stopAll();
  assert.deepEqual(await host.docker.containers(), {});
});

test('a container that is gone is seen as nothing', async () => {
  await using host = await start();
  await host.up(one);
  await host.docker.write('containers', '{}');
  const [removed] = await host.targets.observe();
  assert.deepEqual([removed?.running, removed?.digest, removed?.reason], [false, null, 'no container runs']);
});

test('of a container whose engine cannot be asked nothing is told, and a service that the engine does not know is gone', async () => {
  await using host = await start();
  await host.up(one);
  const [current, refuse] = [host.targets.get(host.targetId).current, join(host.directory, 'docker-state/refuse')];
  const [running] = current?.components ?? [];
  assert.ok(current && running);
  await host.docker.write('refuse', 'Cannot connect to the Docker daemon');
  assert.deepEqual(await host.targets.observe(), []);
  assert.equal(await host.targets.isAlive(current, running), null);
  await host.docker.write('refuse', 'no such service: web');
  assert.equal((await host.targets.observe())[0]?.running, false);
  await rm(refuse);
  assert.equal((await host.targets.observe())[0]?.running, true);
});

test('a target whose engine hangs is left out of what is seen, is asked once, and holds up nobody', async () => {
  await using host = await start();
  await host.up(one);
  const before = (await host.docker.asked()).length;
  await host.docker.write('hang', '');
  assert.deepEqual(await host.targets.observe(50), []);
  assert.deepEqual(await host.targets.observe(50), []);
  await rm(join(host.directory, 'docker-state/hang'));
  const [observation] = await host.targets.observe(30_000);
  assert.deepEqual([observation?.running, observation?.digest], [true, null]);
  const looks = (await host.docker.asked()).slice(before).filter((calls) => calls.includes(' ps '));
  // One observation makes two calls: whether the container runs, and its image.
  assert.equal(looks.length, 2);
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
    await using host = await start();
    await host.docker.write('refuse', output);
    const { end } = await host.up(one);
    assert.deepEqual([failed(end).code, failed(end).errorClass, failed(end).raw], [code, errorClass, output]);
    await rm(join(host.directory, 'docker-state/refuse'));
  });

test('a release that does not come up is taken back', async () => {
  await using host = await start();
  await host.up(one);
  const probe = { path: '/', timeoutMs: 300, intervalMs: 50 };
  const port = host.port;
  const unhealthy = host.task(
    two,
    { driver: 'compose', place: { project: 'shop', containerPort: 80 }, probe },
    { port },
  );
  const { end } = await host.apply(unhealthy);
  assert.equal(failed(end).errorClass, 'probe-failed');
  assert.equal(await commandOf(host), one.digest);
  const calls = await host.docker.asked();
  assert.ok(calls.some((each) => each.includes('--wait-timeout 1 ')));
});

test('a target without a project is refused', async () => {
  await using host = await start();
  assert.equal(failed((await host.up(one, { place: null })).end).raw, 'the target names no project');
});
