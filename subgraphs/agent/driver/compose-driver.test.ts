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
  const at = await setUp({
    drivers: async (releases, directory) => {
      docker = await documentedDocker(directory);
      const driver = await findCompose(releases, docker.file);
      return driver ? [driver] : [];
    },
  });
  assert.ok(docker);
  return Object.assign(at, {
    docker,
    place: join(at.directory, 'targets', at.targetId),
    // Nothing listens behind a port that no engine serves, so these components serve nobody.
    up: (image: Image, changes: Partial<Task> = {}) =>
      at.apply(at.task(image, { driver: 'compose', place: { project: 'shop' }, ...changes }, { port: null })),
  });
};

const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

test('where docker compose does not answer, the agent has no such driver', async () => {
  await using at = await setUp();
  assert.equal(await findCompose(at.releases, '/nonexistent/docker'), undefined);
  assert.equal(await findCompose(at.releases, '/bin/false'), undefined);
  const { end } = await at.apply(at.task(one, { driver: 'compose', place: { project: 'shop' } }));
  assert.deepEqual([failed(end).code, failed(end).errorClass], ['AGT_CAPABILITY_MISSING', 'driver-unsupported']);
});

test('a release is pulled and brought up by digest', async () => {
  await using at = await start();
  const env = { spec: { env: { GREETING: '$HOME "servus"', PATH: '/nowhere' }, agentSecrets: {}, stopTimeoutMs: 0 } };
  const { end, steps } = await at.up(one, env);
  assert.deepEqual(steps, ['resolved', 'pulled', 'verified', 'observed', 'shifted']);
  assert.equal(landed(end).components[0]?.gatedDigest, one.digest);
  const image = `${at.registry.repository('team/web')}@${one.digest}`;
  const file = join(at.place, 'compose.json');
  assert.ok((await at.docker.asked()).includes(`pull --quiet ${image}`));
  assert.ok(
    (await at.docker.asked()).includes(
      `compose --project-name shop --file ${file} up --detach --wait --wait-timeout 20 --remove-orphans`,
    ),
  );
  const written = await readFile(file, 'utf8');
  assert.deepEqual(JSON.parse(written).services.web, {
    image,
    environment: { GREETING: `\${LANDFALL_ENV_GREETING}`, PATH: `\${LANDFALL_ENV_PATH}` },
    ports: [],
    restart: 'unless-stopped',
  });
  assert.doesNotMatch(written, /servus/);
  assert.deepEqual((await at.docker.containers()).web?.environment, { GREETING: '$HOME "servus"', PATH: '/nowhere' });
});

test('what an engine names as digests is no evidence: a landing names none and says why', async () => {
  await using at = await start();
  const { end } = await at.up(one);
  const [landing] = landed(end).components;
  assert.deepEqual([landing?.observedDigest, landing?.reason], [null, notVerified]);
  const { web } = await at.docker.containers();
  const [own, other] = [one, two].map(({ digest }) => `${at.registry.repository('team/web')}@${digest}`);
  // Engines list all names times all digests of an image, the gated one among them.
  await at.docker.write('images', JSON.stringify({ any: { id: web?.image, digests: [other, own] } }));
  const [seen] = await at.targets.observe();
  assert.deepEqual([seen?.running, seen?.digest, seen?.reason], [true, null, notVerified]);
});

/** Reads the digest that the compose file requests: the only evidence that this driver has. */
const askedFor = async (at: Awaited<ReturnType<typeof start>>): Promise<string> =>
  JSON.parse(await readFile(join(at.place, 'compose.json'), 'utf8')).services.web.image.split('@')[1];

test('it is only pulled, then brought up in place of the old, and the old comes back when it is withdrawn', async () => {
  await using at = await start();
  await at.up(one);
  await at.up(two, share(0));
  assert.equal(await askedFor(at), one.digest);
  await at.up(two, share(100));
  assert.equal(await askedFor(at), two.digest);
  await at.up(two, { action: 'withdraw' });
  assert.equal(await askedFor(at), one.digest);
  await at.up(two);
  assert.equal(await askedFor(at), two.digest);
  await at.targets.stopAll();
  assert.deepEqual(await at.docker.containers(), {});
});

test('a container that is gone is seen as nothing', async () => {
  await using at = await start();
  await at.up(one);
  await at.docker.write('containers', '{}');
  const [gone] = await at.targets.observe();
  assert.deepEqual([gone?.running, gone?.digest, gone?.reason], [false, null, 'no container runs']);
});

test('of a container whose engine cannot be asked nothing is told, and a service that the engine does not know is gone', async () => {
  await using at = await start();
  await at.up(one);
  const [standing, refuse] = [at.targets.get(at.targetId).current, join(at.directory, 'docker-state/refuse')];
  const [running] = standing?.components ?? [];
  assert.ok(standing && running);
  await at.docker.write('refuse', 'Cannot connect to the Docker daemon');
  assert.deepEqual(await at.targets.observe(), []);
  assert.equal(await at.targets.isAlive(standing, running), null);
  await at.docker.write('refuse', 'no such service: web');
  assert.equal((await at.targets.observe())[0]?.running, false);
  await rm(refuse);
  assert.equal((await at.targets.observe())[0]?.running, true);
});

test('a target whose engine hangs is left out of what is seen, is asked once, and holds up nobody', async () => {
  await using at = await start();
  await at.up(one);
  const before = (await at.docker.asked()).length;
  await at.docker.write('hang', '');
  assert.deepEqual(await at.targets.observe(50), []);
  assert.deepEqual(await at.targets.observe(50), []);
  await rm(join(at.directory, 'docker-state/hang'));
  const [seen] = await at.targets.observe(30_000);
  assert.deepEqual([seen?.running, seen?.digest], [true, null]);
  const looks = (await at.docker.asked()).slice(before).filter((asked) => asked.includes(' ps '));
  // One look asks twice: whether the container lives, and what it is.
  assert.equal(looks.length, 2);
});

// spec: 7.2/DEPLOY_ARTIFACT_MISSING, 7.2/DEPLOY_PULL_FAILED
for (const [said, code, errorClass] of [
  ['manifest unknown: manifest unknown', 'DEPLOY_ARTIFACT_MISSING', 'artifact-missing'],
  [
    'pull access denied, repository does not exist or may require authorization',
    'DEPLOY_PULL_FAILED',
    'registry-unauthorized',
  ],
  ['Cannot connect to the Docker daemon', 'DEPLOY_PULL_FAILED', 'registry-unreachable'],
] as const)
  test(`what the engine says when it cannot pull is told as ${errorClass}`, async () => {
    await using at = await start();
    await at.docker.write('refuse', said);
    const { end } = await at.up(one);
    assert.deepEqual([failed(end).code, failed(end).errorClass, failed(end).raw], [code, errorClass, said]);
    await rm(join(at.directory, 'docker-state/refuse'));
  });

test('a release that does not come up is taken back', async () => {
  await using at = await start();
  await at.up(one);
  const probe = { path: '/', timeoutMs: 300, intervalMs: 50 };
  const port = at.port;
  const sick = at.task(two, { driver: 'compose', place: { project: 'shop', containerPort: 80 }, probe }, { port });
  const { end } = await at.apply(sick);
  assert.equal(failed(end).errorClass, 'probe-failed');
  assert.equal(await askedFor(at), one.digest);
  const asked = await at.docker.asked();
  assert.ok(asked.some((each) => each.includes('--wait-timeout 1 ')));
});

test('a target without a project is refused', async () => {
  await using at = await start();
  assert.equal(failed((await at.up(one, { place: null })).end).raw, 'the target names no project');
});
