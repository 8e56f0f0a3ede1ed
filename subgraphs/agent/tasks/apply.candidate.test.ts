import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { buildImage, type Image } from '@landfall/kernel/testing/oci-image';
import { createProcessDriver } from '../driver/process-driver.ts';
import { isAlive } from '../driver/process-reference.ts';
import type { Task } from '../protocol/messages.ts';
import { failed, landed, onlyLinux, setUp } from './apply.fixture.ts';

type Host = Awaited<ReturnType<typeof setUp>>;

const [one, two, three] = ['one', 'two', 'three'].map((version) => buildApp({ version }));
assert.ok(one && two && three);

const share = (weight: number, retire = false): Partial<Task> => ({ traffic: { weight, retire } });

const withdrawal = (host: Host, image: Image) => host.task(image, { action: 'withdraw' });

/** Counts the answers of each version in a hundred requests. */
const hundred = async (host: Host): Promise<Readonly<Record<string, number>>> => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => host.get()));
  return Object.fromEntries(
    Map.groupBy(answers, (answer) => answer)
      .entries()
      .map(([name, all]) => [name, all.length]),
  );
};

/** Builds a program whose health and latency a test can change. */
const flaky = (version: string): Image =>
  buildImage({
    layers: [
      [
        {
          path: 'app.mjs',
          content: `
import { createServer } from 'node:http';
let isSick = false;
console.log('hello from ${version}');
createServer((request, response) => {
  if (request.url === '/break') isSick = true;
  if (request.url === '/healthz') response.writeHead(isSick ? 503 : 200).end();
  else if (request.url === '/slow') { response.write('${version} '); setTimeout(() => response.end('to the end'), 400); }
  else response.end('${version}');
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
`,
        },
      ],
    ],
    config: { Cmd: ['node', 'app.mjs'] },
  });

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

test('a request that is under way when its release is replaced comes to its end', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(flaky('old')));
  const slow = await fetch(`http://127.0.0.1:${host.port}/slow`);
  landed((await host.apply(host.task(two))).end);
  assert.equal(await slow.text(), 'old to the end');
  assert.equal(await host.get(), 'two');
});

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

test('a record that cannot be read is nobody’s, and the agent starts', onlyLinux, async () => {
  await using host = await setUp();
  await mkdir(join(host.directory, 'targets', host.targetId), { recursive: true });
  await writeFile(join(host.directory, 'targets', host.targetId, 'current.json'), '{"current":1}');
  await host.restart();
  landed((await host.apply(host.task(one))).end);
});
