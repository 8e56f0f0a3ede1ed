import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Task } from '../protocol/messages.ts';
import { failed } from '../tasks/apply.fixture.ts';
import { composeHost, one, two } from './compose-driver.fixture.ts';

const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

/** Reads the digest that the compose file requests: the only evidence that this driver has. */
const commandOf = async (host: Awaited<ReturnType<typeof composeHost>>): Promise<string> =>
  JSON.parse(await readFile(join(host.place, 'compose.json'), 'utf8')).services.web.image.split('@')[1];

test('it is only pulled, then brought up in place of the old, and the old comes back when it is withdrawn', async () => {
  await using host = await composeHost();
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

test('of a container whose engine cannot be asked nothing is told, and a service that the engine does not know is gone', async () => {
  await using host = await composeHost();
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
  await using host = await composeHost();
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

test('a release that does not come up is taken back', async () => {
  await using host = await composeHost();
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
