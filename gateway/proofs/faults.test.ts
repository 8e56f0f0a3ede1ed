import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { type Registry, type RegistryFault, startRegistry } from '@landfall/kernel/testing/oci-registry';
import { served } from '@landfall/orchestrator/testing/agent-processes';
import { refusal } from '@landfall/orchestrator/testing/catalogue-app';
import { type FaultInstallation, startFaultInstallation, TIMEOUT_SECONDS } from './faults.fixture.ts';

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

type Approved = Awaited<ReturnType<FaultInstallation['approved']>>;

interface Case {
  readonly name: string;
  readonly prepare?: (world: FaultInstallation) => Promise<Approved>;
  /** Fault that begins after the approval. */
  readonly fault?: (world: FaultInstallation, approved: Approved) => Disposable | Promise<AsyncDisposable>;
  readonly expect: {
    readonly stage: string;
    readonly category: string;
    readonly reason: string;
    readonly isRetryable: boolean;
    readonly detail: RegExp;
    readonly log?: RegExp;
  };
}

const atBlobs =
  (fault: Omit<Extract<RegistryFault, { kind: 'corrupt' | 'hang' }>, 'match'> | { kind: 'trickle'; everyMs: number }) =>
  ({ registry }: FaultInstallation): Disposable =>
    registry.fault({ ...fault, match: 'blobs' });

let otherRegistry: Registry;

const cases: readonly Case[] = [
  {
    name: 'an image that is gone after preflight',
    fault: ({ afterPreflight, registry }, { image }) => afterPreflight(() => registry.remove('shop/web', image.digest)),
    expect: {
      stage: 'execution',
      category: 'Unclassified',
      reason: 'artifact-missing',
      isRetryable: false,
      detail: /^404 /,
    },
  },
  {
    name: 'a corrupt blob',
    fault: atBlobs({ kind: 'corrupt' }),
    expect: {
      stage: 'execution',
      category: 'DigestMismatch',
      reason: 'digest-mismatch',
      isRetryable: false,
      detail: /^blob is sha256:[0-9a-f]{64}, not sha256:[0-9a-f]{64}$/,
    },
  },
  {
    name: 'a registry that hangs',
    fault: atBlobs({ kind: 'hang' }),
    expect: {
      stage: 'execution',
      category: 'RegistryUnreachable',
      reason: 'registry-unreachable',
      isRetryable: true,
      detail: /blobs/,
    },
  },
  {
    name: 'a registry that trickles',
    fault: atBlobs({ kind: 'trickle', everyMs: 100 }),
    expect: {
      stage: 'execution',
      category: 'RegistryUnreachable',
      reason: 'registry-unreachable',
      isRetryable: true,
      detail: /no complete answer within \d+ ms/,
    },
  },
  {
    name: 'a registry that refuses',
    fault: ({ registry }) => registry.fault({ kind: 'status', match: 'blobs', status: 401 }),
    expect: {
      stage: 'execution',
      category: 'SecretResolution',
      reason: 'registry-unauthorized',
      isRetryable: false,
      detail: /^401 /,
    },
  },
  {
    name: 'a registry that is gone',
    prepare: async ({ approved }) => {
      otherRegistry = await startRegistry();
      return approved({}, otherRegistry);
    },
    fault: async () => {
      await otherRegistry[Symbol.asyncDispose]();
      return { [Symbol.asyncDispose]: async () => undefined };
    },
    expect: {
      stage: 'execution',
      category: 'RegistryUnreachable',
      reason: 'registry-unreachable',
      isRetryable: true,
      detail: /ECONNREFUSED/,
    },
  },
  {
    name: 'a probe that stays red',
    prepare: ({ approved }) => approved({ health: 'sick' }),
    expect: {
      stage: 'health-probe',
      category: 'HealthCheckFailed',
      reason: 'probe-failed',
      isRetryable: false,
      detail: /GET \/healthz: 503 sick after \d+ ms/,
      log: /^web \| version 1\.0\.\d+ on port \d+$/m,
    },
  },
  {
    name: 'a program that ends at once',
    prepare: ({ approved }) => approved({ health: 'crashes' }),
    expect: {
      stage: 'health-probe',
      category: 'HealthCheckFailed',
      reason: 'probe-failed',
      isRetryable: false,
      detail: /the process ended before it was healthy/,
      log: /refusing to start: configuration missing/,
    },
  },
  {
    name: 'a program that does not start',
    prepare: ({ approved }) =>
      approved(buildImage({ layers: [[{ path: 'srv/', mode: 0o755 }]], config: { Cmd: ['/srv/nothing'] } })),
    expect: {
      stage: 'execution',
      category: 'Unclassified',
      reason: 'start-failed',
      isRetryable: false,
      detail: /not in the image: \/srv\/nothing/,
    },
  },
  {
    name: 'a secret that is gone when the task is leased',
    fault: async ({ afterPreflight, force, saveSecret }) => {
      const armed = afterPreflight(() => force('delete from orchestrator.secrets'));
      return {
        async [Symbol.asyncDispose]() {
          armed[Symbol.dispose]();
          await saveSecret();
        },
      };
    },
    expect: {
      stage: 'bundle-assembly',
      category: 'SecretResolution',
      reason: 'secret-not-found',
      isRetryable: false,
      detail: /shop\/greeting/,
    },
  },
];

/** Checks that every interface shows the same failed deployment, and that nothing of it serves. */
const assertFailed = async (installation: FaultInstallation, deploymentId: string, { expect }: Case): Promise<void> => {
  const job = await installation.endOf(deploymentId);
  assert.deepEqual([job.state, job.landing], ['failed', null]);
  // REST has the fields of the specification; the agent's code is in the graph only.
  const { errorCode = null, ...specified } = job.anatomy ?? assert.fail('no anatomy');
  const { stage, category, reason, retryable, detail, actionPath } = specified;
  assert.deepEqual(
    { stage, category, reason, isRetryable: retryable },
    { stage: expect.stage, category: expect.category, reason: expect.reason, isRetryable: expect.isRetryable },
  );
  assert.match(detail, expect.detail);
  if (expect.log) assert.match(job.targets[0]?.logTail ?? '', expect.log);
  assert.deepEqual(job.targets[0]?.anatomy, job.anatomy);

  const { deployment, today } = await installation.told(deploymentId);
  assert.deepEqual(today.failed, [{ id: deploymentId }]);
  assert.deepEqual(deployment, {
    status: 'FAILED',
    failureReason: specified.plainReason,
    failureAnatomy: { ...specified, errorCode, stage: deployment.failureAnatomy.stage },
    landingVerification: null,
    failureGroups: [{ category, reason, count: 1, retryable }],
    targets: [{ status: 'FAILED', failureAnatomy: { category, reason } }],
    environment: { currentDeployment: { id: installation.firstJob }, activeDeployment: null },
  });
  const rest = await installation.deployment(deploymentId);
  assert.deepEqual(
    [rest.body.status, rest.body.failureReason, rest.body.failureAnatomy, rest.body.landingVerification],
    ['Failed', specified.plainReason, specified, null],
  );
  if (actionPath !== null) assert.equal((await installation.get(actionPath)).status, 200, actionPath);
  const { state } = await installation.module.promotions.get(installation.caller('viewer'), { id: job.promotionId });
  assert.equal(state, 'failed');
  await installation.assertServes(installation.firstVersion);
};

describe('what goes wrong on the way to a target is told, and the version before it still serves', onlyLinux, () => {
  let installation: FaultInstallation;
  before(async () => {
    installation = await startFaultInstallation();
  });
  after(() => installation[Symbol.asyncDispose]());

  for (const each of cases)
    test(each.name, async () => {
      const approved = await (each.prepare ?? ((use: FaultInstallation) => use.approved()))(installation);
      await using stack = new AsyncDisposableStack();
      const fault = await each.fault?.(installation, approved);
      if (fault) stack.use(fault);
      const { id } = await installation.launch(approved);
      await assertFailed(installation, id, each);
      assert.deepEqual(installation.bugs, []);
    });

  test('an image that is gone before the launch stops it there, with the anatomy of the check', async () => {
    const { promotion, image } = await installation.approved();
    installation.registry.remove('shop/web', image.digest);
    const launching = installation.launch({ promotion });
    await assert.rejects(launching, refusal('preflight_failed', { failedCheckKeys: ['image-resolvable'] }));
    const path = `/api/v1/release-orchestrator/releases/${promotion.releaseId}/deploy-preflight`;
    const { body } = await installation.get(`${path}?environmentId=${installation.environment.id}`);
    const failed = body.checks.find(({ key }: { key: string }) => key === 'image-resolvable');
    assert.deepEqual([body.armed, failed.status, failed.anatomy.reason], [false, 'fail', 'artifact-missing']);
    const { state } = await installation.module.promotions.get(installation.caller('viewer'), { id: promotion.id });
    assert.equal(state, 'approved');
    await installation.assertServes(installation.firstVersion);
  });

  test('an agent that stops for longer than the timeout ends nothing twice', async () => {
    const approved = await installation.approved();
    installation.agent().child.kill('SIGSTOP');
    const { id } = await installation.launch(approved);
    await installation.clock.advance((TIMEOUT_SECONDS + 1) * 1_000);
    const job = await installation.endOf(id);
    assert.deepEqual(
      [job.state, job.anatomy?.category, job.anatomy?.reason, job.anatomy?.retryable],
      ['failed', 'Timeout', 'job-deadline', true],
    );
    installation.agent().child.kill('SIGCONT');
    await installation.assertServes(installation.firstVersion);
    assert.deepEqual(await installation.read(id), job);
  });

  test('an agent killed while it pulls that never returns is AgentOffline; what it ran before goes on', async (t) => {
    const exited = { failpoint: 'agent.pull' };
    await installation.restartAgent(exited);
    const { id } = await installation.launch(await installation.approved());
    assert.equal(await installation.agent().ended, 'SIGKILL');
    await t.waitFor(
      async () => {
        await installation.clock.advance(31_000);
        await installation.module.runOnce.watch();
        assert.equal((await installation.read(id)).state, 'failed');
      },
      { timeout: 20_000 },
    );
    const job = await installation.read(id);
    assert.deepEqual(
      [job.anatomy?.stage, job.anatomy?.category, job.anatomy?.retryable],
      ['execution', 'AgentOffline', true],
    );
    await installation.restartAgent();
    await installation.assertServes(installation.firstVersion);
    assert.deepEqual(await installation.read(id), job);
  });

  // From here on newer versions land.

  test('a tag that moved after the approval changes nothing: the gated digest lands', async () => {
    const { version, image, promotion } = await installation.approved();
    installation.registry.push('shop/web', buildApp({ version: 'moved' }), version);
    const job = await installation.endOf((await installation.launch({ promotion })).id);
    assert.deepEqual(
      [job.state, job.landing, job.targets[0]?.landing?.observedDigest],
      ['completed', 'verified', image.digest],
    );
    await installation.assertServes(version);
  });

  for (const failpoint of ['agent.pull', 'agent.switched'])
    test(`an agent killed at ${failpoint} and started again brings the deployment to its one end`, async () => {
      await installation.restartAgent({ failpoint });
      const { version, image, promotion } = await installation.approved();
      const { id } = await installation.launch({ promotion });
      assert.equal(await installation.agent().ended, 'SIGKILL');
      await installation.restartAgent();
      const job = await installation.endOf(id);
      assert.deepEqual(
        [job.state, job.landing, job.targets[0]?.landing?.observedDigest],
        ['completed', 'verified', image.digest],
      );
      await installation.assertServes(version);
      const starts = await installation.agents.starts('one', installation.target.id);
      assert.equal(starts.filter((started) => started === version).length, 1, 'started once');
    });

  test('a target whose port is taken fails alone, and with it the job', async () => {
    const inUse = Number(new URL(installation.registry.origin).port);
    const second = await installation.addTarget('second', inUse);
    const { version, promotion } = await installation.approved();
    const job = await installation.endOf((await installation.launch({ promotion })).id);
    assert.deepEqual([job.state, job.anatomy?.reason], ['failed', 'port-taken']);
    assert.match(job.anatomy?.detail ?? '', new RegExp(`127\\.0\\.0\\.1:${inUse}: EADDRINUSE`));
    assert.deepEqual(
      job.targets.map(({ name, state, landing }) => [name, state, landing?.verdict]),
      [
        ['first', 'succeeded', 'verified'],
        ['second', 'failed', undefined],
      ],
    );
    assert.deepEqual(await installation.agents.processes('one', second.id), []);
    assert.equal(await served(installation.port), version);
  });
});
