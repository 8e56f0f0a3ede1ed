import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failed, landed, onlyLinux, setUp } from './apply.fixture.ts';
import { flaky, hundred, one, share, three, two, withdrawal } from './candidate.fixture.ts';

test('beside the old without a share, then in its place, then alone', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  await host.apply(host.task(two, share(0)));
  assert.deepEqual(await hundred(host), { one: 100 });
  assert.equal((await host.targets.observe())[0]?.digest, one.digest);
  await host.apply(host.task(two, share(100)));
  assert.deepEqual(await hundred(host), { two: 100 });
  assert.equal((await host.processes()).length, 2, 'the way back is still there');
  assert.equal((await host.targets.observe())[0]?.digest, two.digest, 'what serves is what is told');
  await host.apply(host.task(two, share(100, true)));
  assert.equal((await host.processes()).length, 1);
});

test(
  'where nothing runs there is nothing to withdraw, and a first candidate leaves nothing behind',
  onlyLinux,
  async () => {
    await using host = await setUp();
    assert.deepEqual(landed((await host.apply(withdrawal(host, one))).end).components, []);
    await host.apply(host.task(one, share(0)));
    await assert.rejects(host.get(), /503/);
    await host.apply(host.task(one, share(10)));
    assert.deepEqual(await hundred(host), { one: 100 }, 'there is nobody to share with');
    assert.deepEqual(landed((await host.apply(withdrawal(host, one))).end).components, []);
    assert.deepEqual(await host.processes(), []);
    await assert.rejects(fetch(`http://127.0.0.1:${host.port}/`), 'the port is given back');
  },
);

test('a candidate of another release makes room', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  await host.apply(host.task(two, share(50)));
  const { steps } = await host.apply(host.task(three, share(50)));
  assert.deepEqual(steps.slice(3), ['shifted', 'stopped', 'started', 'probed', 'observed', 'shifted']);
  assert.deepEqual(await hundred(host), { one: 50, three: 50 });
  assert.equal((await host.processes()).length, 2);
});

test('the release that is current already ends the candidate beside it when it is to be alone', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  await host.apply(host.task(two, share(50)));
  const { end } = await host.apply(host.task(one));
  assert.equal(landed(end).already, true);
  assert.deepEqual(await hundred(host), { one: 100 });
  assert.equal((await host.processes()).length, 1);
});

test(
  'the release that is current already is asked for in part, and no other candidate keeps its share',
  onlyLinux,
  async () => {
    await using host = await setUp();
    await host.apply(host.task(one));
    await host.apply(host.task(two, share(50)));
    const { end } = await host.apply(host.task(one, share(10)));
    assert.equal(landed(end).already, true);
    assert.deepEqual(await hundred(host), { one: 100 });
    assert.equal((await host.processes()).length, 1);
  },
);

test('a candidate that falls sick gets no more, but goes', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  await host.apply(host.task(flaky('moody'), share(10)));
  const port = host.targets.get(host.targetId).candidate?.components[0]?.port;
  await fetch(`http://127.0.0.1:${port}/break`);
  const applying = host.apply(host.task(flaky('moody'), share(50)));
  await host.endProbes(503);
  const { end } = await applying;
  assert.deepEqual([failed(end).errorClass, failed(end).during], ['probe-failed', 'probed']);
  assert.equal(failed(end).log, 'web | hello from moody\n');
  assert.deepEqual(await hundred(host), { one: 100 });
  assert.equal((await host.processes()).length, 1);
});

test('a candidate whose tree was changed on disk is not taken for what it was', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  await host.apply(host.task(two, share(10)));
  const before = host.targets.get(host.targetId).candidate?.components[0]?.process?.pid;
  const release = await host.releases.read(two.digest);
  await writeFile(join(release?.root ?? '', 'srv/app/server.mjs'), 'process.exit(1)');
  const { end } = await host.apply(host.task(two, share(50)));
  assert.equal(landed(end).components[0]?.observedDigest, two.digest);
  assert.notEqual(host.targets.get(host.targetId).candidate?.components[0]?.process?.pid, before);
  assert.deepEqual(await hundred(host), { one: 50, two: 50 });
});

test(
  'a candidate keeps its share while its agent is away, and is started again when it dies',
  onlyLinux,
  async (t: TestContext) => {
    await using host = await setUp();
    await host.apply(host.task(one));
    await host.apply(host.task(two, share(30)));
    const before = await host.processes();
    await host.restart();
    assert.deepEqual(await hundred(host), { one: 70, two: 30 });
    assert.deepEqual(await host.processes(), before);
    const pid = host.targets.get(host.targetId).candidate?.components[0]?.process?.pid ?? assert.fail();
    process.kill(pid, 'SIGKILL');
    await t.waitFor(
      async () => {
        await host.targets.supervise();
        assert.deepEqual(await hundred(host), { one: 70, two: 30 });
      },
      { timeout: 10_000, interval: 50 },
    );
    assert.equal((await host.processes()).length, 2);
  },
);

test(
  'with the registry down a target goes back to the release before, and to a candidate that it still has',
  onlyLinux,
  async () => {
    await using host = await setUp();
    const tasks = [host.task(one), host.task(two), host.task(one, share(50)), host.task(two), host.task(one)];
    for (const task of tasks.slice(0, 2)) landed((await host.apply(task)).end);
    await host.releases.prune(host.targets.digests());
    await host.registry[Symbol.asyncDispose]();
    for (const task of tasks.slice(2)) {
      const { end, told: events } = await host.apply(task);
      landed(end);
      assert.deepEqual(
        events.filter(({ step }) => step === 'pulled'),
        [{ step: 'pulled', bytes: 0 }],
      );
      await host.releases.prune(host.targets.digests());
    }
    assert.deepEqual(await hundred(host), { one: 100 });
    const { end } = await host.apply({ ...tasks[0], ...host.task(three) });
    assert.equal(failed(end).errorClass, 'registry-unreachable');
    assert.equal(await host.get(), 'one');
  },
);

test('other settings of the same release do not cost the way back', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  await host.apply(host.task(two));
  await host.apply(host.task(two, { spec: { env: { GREETING: 'new' }, agentSecrets: {}, stopTimeoutMs: 2_000 } }));
  assert.ok(host.targets.digests().has(one.digest));
});

test('the record of an agent that knew no candidates is read, and its process goes on', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(one));
  const pid = await host.get('/pid');
  const file = join(host.directory, 'targets', host.targetId, 'current.json');
  const { current } = JSON.parse(await readFile(file, 'utf8'));
  const { action: _a, traffic: _t, place: _p, ...task } = current.task;
  const { agentSecrets: _s, ...spec } = task.spec;
  await writeFile(file, JSON.stringify({ ...current, task: { ...task, spec } }));
  await host.restart();
  assert.equal(await host.get('/pid'), pid);
});
