import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { createProcessDriver } from '../driver/process-driver.ts';
import { isAlive } from '../driver/process-reference.ts';
import { failed, landed, onlyLinux, setUp } from './apply.fixture.ts';
import { flaky, hundred, one, share, two, withdrawal } from './candidate.fixture.ts';

test(
  'a candidate takes the share that each task says, and is the one process from first to last',
  onlyLinux,
  async () => {
    await using host = await setUp();
    await host.apply(host.task(one));
    const old = host.targets.get(host.targetId).current?.components[0]?.process;

    const first = await host.apply(host.task(two, share(10)));
    assert.deepEqual(first.steps, ['resolved', 'pulled', 'verified', 'started', 'probed', 'observed', 'shifted']);
    assert.deepEqual(first.told.at(-1), { step: 'shifted', weight: 10 });
    assert.equal(landed(first.end).already, false);
    assert.equal(landed(first.end).components[0]?.observedDigest, two.digest);
    assert.deepEqual(await hundred(host), { one: 90, two: 10 });
    const pid = host.targets.get(host.targetId).candidate?.components[0]?.process?.pid;

    const repeated = await host.apply(host.task(two, share(10)));
    assert.equal(landed(repeated.end).already, true);
    assert.deepEqual(repeated.steps, ['resolved', 'pulled', 'verified', 'probed', 'observed']);

    await host.apply(host.task(two, share(50)));
    assert.deepEqual(await hundred(host), { one: 50, two: 50 });
    const last = await host.apply(host.task(two, share(100, true)));
    assert.equal(last.steps.at(-1), 'stopped');
    assert.equal(landed(last.end).components[0]?.observedDigest, two.digest);
    assert.deepEqual(await hundred(host), { two: 100 });
    assert.deepEqual(await host.processes(), [pid]);
    assert.ok(old && !(await isAlive(old)));
    assert.equal(host.targets.get(host.targetId).candidate, null);
  },
);

test(
  'a withdrawn candidate is gone, the old has every request, and to say it twice changes nothing',
  onlyLinux,
  async () => {
    await using host = await setUp();
    await host.apply(host.task(one));
    const before = await host.processes();
    await host.apply(host.task(two, share(100)));
    const { end, told: events } = await host.apply(withdrawal(host, two));
    assert.deepEqual(
      events.map(({ step }) => step),
      ['shifted', 'stopped'],
    );
    assert.equal(landed(end).already, false);
    assert.deepEqual(
      landed(end).components.map(({ gatedDigest, observedDigest }) => [gatedDigest, observedDigest]),
      [[one.digest, one.digest]],
    );
    assert.deepEqual(await hundred(host), { one: 100 });
    assert.deepEqual(await host.processes(), before);
    const repeated = await host.apply(withdrawal(host, two));
    assert.equal(landed(repeated.end).already, true);
    assert.deepEqual(repeated.told, []);
  },
);

test('a candidate that never comes up leaves the old with every request', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  const before = host.targets.get(host.targetId);
  const applying = host.apply(host.task(buildApp({ version: 'sick', health: 'sick' }), share(50)));
  await host.endProbes(503);
  const { end } = await applying;
  assert.deepEqual([failed(end).errorClass, failed(end).during], ['probe-failed', 'probed']);
  assert.equal(host.targets.get(host.targetId), before);
  assert.equal((await host.processes()).length, 1);
});

test('a candidate that is another release than asked for gets no request', onlyLinux, async () => {
  let hijack = false;
  await using host = await setUp({
    drivers: (releases) => {
      const driver = createProcessDriver(releases);
      return [{ ...driver, start: (start) => driver.start(hijack ? { ...start, digest: one.digest } : start) }];
    },
  });
  await host.apply(host.task(one));
  hijack = true;
  const { end, steps } = await host.apply(host.task(two, share(50)));
  assert.equal(failed(end).errorClass, 'digest-mismatch');
  assert.ok(!steps.includes('shifted'));
  assert.equal(host.targets.get(host.targetId).candidate, null);
  assert.equal((await host.processes()).length, 1);
});

test('a request that is under way when its release is replaced comes to its end', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(flaky('old')));
  const slow = await fetch(`http://127.0.0.1:${host.port}/slow`);
  landed((await host.apply(host.task(two))).end);
  assert.equal(await slow.text(), 'old to the end');
  assert.equal(await host.get(), 'two');
});

test('a record that cannot be read is nobody’s, and the agent starts', onlyLinux, async () => {
  await using host = await setUp();
  await mkdir(join(host.directory, 'targets', host.targetId), { recursive: true });
  await writeFile(join(host.directory, 'targets', host.targetId, 'current.json'), '{"current":1}');
  await host.restart();
  landed((await host.apply(host.task(one))).end);
});
