import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import type { Image } from '@landfall/kernel/testing/oci-image';
import { until } from '@landfall/kernel/testing/until';
import { createProcessDriver } from '../driver/process-driver.ts';
import { isAlive, processReferenceOf } from '../driver/process-reference.ts';
import type { Task } from '../protocol/messages.ts';
import { sealTo } from '../protocol/sealing.ts';
import { freePort } from '../testing/free-port.ts';
import { failed, keys, landed, onlyLinux, setUp } from './apply.fixture.ts';

test('a release is pulled, started, probed, observed and served on the target port', onlyLinux, async () => {
  await using host = await setUp();
  const image = buildApp({ version: 'one' });
  const { end, steps } = await host.apply(host.task(image));
  assert.deepEqual(steps, ['resolved', 'pulled', 'verified', 'started', 'probed', 'observed']);
  const [component] = landed(end).components;
  assert.deepEqual(
    [component?.gatedDigest, component?.manifestDigest, component?.observedDigest],
    [image.digest, image.digest, image.digest],
  );
  assert.equal(await host.get(), 'one');
  assert.match(landed(end).log, /version one on port/);
});

test('the next release takes over the port and the old process is gone', onlyLinux, async () => {
  await using host = await setUp();
  const first = host.task(buildApp({ version: 'one' }));
  await host.apply(first);
  const [old] = host.targets.get(first.targetId).current?.components ?? [];
  const { end, steps } = await host.apply(host.task(buildApp({ version: 'two' })));
  assert.equal(landed(end).already, false);
  assert.equal(steps.at(-1), 'stopped');
  assert.equal(await host.get(), 'two');
  assert.ok(old?.process && !(await isAlive(old.process)));
});

test('a target that already runs the digest with these settings is left alone', onlyLinux, async () => {
  await using host = await setUp();
  const image = buildApp({ version: 'one' });
  await host.apply(host.task(image));
  const before = await host.get('/pid');
  const { end } = await host.apply(host.task(image));
  assert.equal(landed(end).already, true);
  assert.equal(landed(end).components[0]?.observedDigest, image.digest);
  assert.equal(await host.get('/pid'), before);
  const changed = await host.apply(
    host.task(image, {
      spec: { env: { GREETING: 'servus' }, agentSecrets: {}, stopTimeoutMs: 2_000 },
    }),
  );
  assert.equal(landed(changed.end).already, false);
  assert.equal(await host.get('/env'), 'servus');
});

// spec: 7.2/DEPLOY_HEALTH_CHECK_FAILED
for (const [health, raw] of [
  ['sick', /503 sick/],
  ['crashes', /ended before it was healthy/],
] as const) {
  test(
    `a release that ${health === 'sick' ? 'is sick' : health} is refused and the old one keeps serving`,
    onlyLinux,
    async () => {
      await using host = await setUp();
      const first = host.task(buildApp({ version: 'one' }));
      await host.apply(first);
      const before = host.targets.get(first.targetId);
      const applying = host.apply(host.task(buildApp({ version: 'two', health })));
      if (health === 'sick') await host.endProbes(503);
      const { end, told: events } = await applying;
      const report = failed(end);
      assert.deepEqual(
        [report.code, report.errorClass, report.during],
        ['DEPLOY_HEALTH_CHECK_FAILED', 'probe-failed', 'probed'],
      );
      assert.match(report.raw, raw);
      assert.equal(await host.get(), 'one');
      assert.equal(host.targets.get(first.targetId), before);
      const started = events.find((each) => each.step === 'started');
      const pid = started?.step === 'started' ? started.components[0]?.pid : undefined;
      assert.equal(await isAlive(await processReferenceOf(pid ?? assert.fail())), false);
    },
  );
}

// spec: 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED
test('a process that is started from another tree is a mismatch and never goes into service', onlyLinux, async () => {
  const other = buildApp({ version: 'other' });
  let hijack = false;
  await using host = await setUp({
    drivers: (releases) => {
      const driver = createProcessDriver(releases);
      return [{ ...driver, start: (start) => driver.start(hijack ? { ...start, digest: other.digest } : start) }];
    },
  });
  await host.apply(host.task(other));
  hijack = true;
  const expected = buildApp({ version: 'wanted' });
  const { end, told: events } = await host.apply(host.task(expected));
  const report = failed(end);
  assert.deepEqual([report.code, report.errorClass], ['DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch']);
  const observed = events.find((each) => each.step === 'observed');
  assert.equal(observed?.step === 'observed' ? observed.components[0]?.observedDigest : undefined, other.digest);
  assert.equal(await host.get(), 'other');
});

test('a running tree that is changed on disk is no longer the digest it was', onlyLinux, async () => {
  await using host = await setUp();
  const image = buildApp({ version: 'one' });
  await host.apply(host.task(image));
  assert.equal((await host.targets.observe())[0]?.digest, image.digest);
  const release = await host.releases.read(image.digest);
  await writeFile(join(release?.root ?? '', 'srv/app/server.mjs'), 'process.exit(1)');
  const [observation] = await host.targets.observe();
  assert.notEqual(observation?.digest, image.digest);
  assert.match(observation?.reason ?? '', /server\.mjs/);
});

// spec: 7.2/DEPLOY_DIGEST_VERIFICATION_FAILED, 7.2/DEPLOY_ARTIFACT_MISSING, 7.2/AGT_TASK_FAILED
test(
  'a corrupt blob, a missing digest and a port in use each fail with their cause and touch nothing',
  onlyLinux,
  async () => {
    await using host = await setUp();
    await host.apply(host.task(buildApp({ version: 'one' })));
    const corrupt = host.task(buildApp({ version: 'two' }));
    {
      using _ = host.registry.fault({ kind: 'corrupt', match: '/blobs/' });
      assert.deepEqual(pick(failed((await host.apply(corrupt)).end)), [
        'DEPLOY_DIGEST_VERIFICATION_FAILED',
        'digest-mismatch',
        'pulled',
      ]);
    }
    const missing = host.task(buildApp({ version: 'gone' }));
    host.registry.remove('team/web', missing.components[0]?.digest ?? assert.fail());
    assert.deepEqual(pick(failed((await host.apply(missing)).end)), [
      'DEPLOY_ARTIFACT_MISSING',
      'artifact-missing',
      'resolved',
    ]);
    await using occupiedPort = await occupied();
    const other = host.task(buildApp({ version: 'three' }), {}, { port: occupiedPort.port });
    assert.deepEqual(pick(failed((await host.apply(other)).end)), ['AGT_TASK_FAILED', 'port-taken', 'started']);
    assert.equal(await host.get(), 'one');
  },
);

const pick = ({ code, errorClass, during }: ReturnType<typeof failed>) => [code, errorClass, during];

const occupied = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};

test('secrets reach the process, and what it prints of them does not leave the host', onlyLinux, async () => {
  await using host = await setUp();
  const plain = host.task(buildApp({ version: 'one' }));
  const secrets = JSON.stringify({ env: { GREETING: 'very secret', PORT_HINT: 'version' }, registries: {} });
  const { end } = await host.apply({ ...plain, secrets: sealTo(keys.publicKey, secrets, plain.taskId) });
  assert.equal(await host.get('/env'), 'very secret');
  assert.match(landed(end).log, /\[secret PORT_HINT\] one on port/);
  assert.equal(landed(end).redacted, 1);
  const stored = await readFile(join(host.directory, 'targets', plain.targetId, 'current.json'), 'utf8');
  assert.doesNotMatch(stored, /very secret/);
});

// spec: 7.2/AGT_TASK_FAILED
test(
  'a secret of the host reaches the process by reference, and one that is not there fails the task',
  onlyLinux,
  async () => {
    await using host = await setUp();
    const withOwn = (agentSecrets: Record<string, string>) =>
      host.task(buildApp({ version: 'one' }), { spec: { env: {}, agentSecrets, stopTimeoutMs: 2_000 } });
    landed((await host.apply(withOwn({ GREETING: 'env:RELEASE_SECRET_GREETING' }))).end);
    assert.equal(await host.get('/env'), 'from the host');
    const report = failed((await host.apply(withOwn({ GREETING: 'file:none' }))).end);
    assert.deepEqual([report.code, report.errorClass], ['AGT_TASK_FAILED', 'secret-not-found']);
    assert.match(report.raw, /^GREETING: file:none /);
    assert.equal(await host.get('/env'), 'from the host');
  },
);

test('secrets that were sealed for another task do not open', onlyLinux, async () => {
  await using host = await setUp();
  const plain = host.task(buildApp({ version: 'one' }));
  const secrets = sealTo(keys.publicKey, JSON.stringify({ env: {}, registries: {} }), randomUUID());
  const { end } = await host.apply({ ...plain, secrets });
  assert.equal(failed(end).errorClass, 'secret-not-found');
});

test('several components start together, and one sick among them leaves all as they were', onlyLinux, async () => {
  await using host = await setUp();
  const second = await freePort();
  const both = (web: Image, api: Image): Task => {
    const task = host.task(web);
    const [first] = task.components;
    assert.ok(first);
    const digest = host.registry.push('team/api', api);
    const apiComponent = {
      ...first,
      name: 'api',
      repository: host.registry.repository('team/api'),
      digest,
      port: second,
    };
    return { ...task, components: [first, apiComponent] };
  };
  landed((await host.apply(both(buildApp({ version: 'w1' }), buildApp({ version: 'a1' })))).end);
  const applying = host.apply(both(buildApp({ version: 'w2' }), buildApp({ version: 'a2', health: 'sick' })));
  await host.endProbes(200, 503);
  const end = failed((await applying).end);
  assert.match(end.log, /^web \| version w2 on port \d+\napi \| version a2 on port \d+\n$/, 'of this start alone');
  assert.equal(await host.get(), 'w1');
  assert.equal(await (await fetch(`http://127.0.0.1:${second}/`)).text(), 'a1');
});

test('a target moves to another port only with the release that is served there', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(buildApp({ version: 'one' })));
  const next = await freePort();
  const applying = host.apply(host.task(buildApp({ version: 'two', health: 'sick' }), {}, { port: next }));
  await host.endProbes(503);
  failed((await applying).end);
  assert.equal(await host.get(), 'one');
  await assert.rejects(fetch(`http://127.0.0.1:${next}/`));
  landed((await host.apply(host.task(buildApp({ version: 'three' }), {}, { port: next }))).end);
  assert.equal(await (await fetch(`http://127.0.0.1:${next}/`)).text(), 'three');
  await assert.rejects(host.get());
});

test('a task for another driver is refused', onlyLinux, async () => {
  await using host = await setUp();
  const { end } = await host.apply(host.task(buildApp({ version: 'one' }), { driver: 'compose' }));
  assert.equal(failed(end).code, 'AGT_CAPABILITY_MISSING');
});

test('an aborted task ends its own process and leaves the old one', onlyLinux, async () => {
  await using host = await setUp();
  await host.apply(host.task(buildApp({ version: 'one' })));
  const controller = new AbortController();
  const running = host.apply(
    host.task(buildApp({ version: 'two', health: 'sick' }), {
      probe: { path: '/healthz', timeoutMs: 60_000, intervalMs: 10 },
    }),
    controller.signal,
  );
  await until(async () => (await host.processes()).length === 2);
  controller.abort(new Error('cancelled by a test'));
  assert.equal(failed((await running).end).raw, 'cancelled by a test');
  assert.equal(await host.get(), 'one');
});

test(
  'after a restart of the agent the same process serves on, and one that died is started again',
  onlyLinux,
  async (t: TestContext) => {
    await using host = await setUp();
    const task = host.task(buildApp({ version: 'one' }));
    await host.apply(task);
    const pid = await host.get('/pid');
    await host.restart();
    assert.equal(await host.get('/pid'), pid);
    process.kill(Number(pid), 'SIGKILL');
    await t.waitFor(
      async () => {
        await host.targets.supervise();
        assert.notEqual(await host.get('/pid'), pid);
      },
      { timeout: 10_000, interval: 50 },
    );
    assert.equal(await host.get(), 'one');
  },
);

test('a process that no record names is killed when the agent comes back', onlyLinux, async (t: TestContext) => {
  await using host = await setUp();
  const task = host.task(buildApp({ version: 'one' }));
  await host.apply(task);
  const [component] = task.components;
  assert.ok(component);
  const leftover = await host.targets.start(task, component, component.digest);
  await host.restart();
  const { process: ref } = leftover;
  assert.ok(ref);
  await t.waitFor(async () => assert.equal(await isAlive(ref), false), { timeout: 5_000 });
  assert.equal(await host.get(), 'one');
});
