import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { type Registry, type RegistryFault, startRegistry } from '@landfall/kernel/testing/oci-registry';
import type { FaultInstallation } from './faults.fixture.ts';

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

/** Cases of every test run: one of each stage and of each door at which it is told. The full run has the others. */
const REPRESENTATIVE = new Set([
  'an image that is gone after preflight',
  'a corrupt blob',
  'a probe that stays red',
  'a secret that is gone when the task is leased',
]);

export const isRepresentative = (name: string): boolean => REPRESENTATIVE.has(name);

/** Defines a test of each chosen fault, in an installation that runs by then. */
export const testFaults = (running: () => FaultInstallation, isChosen: (name: string) => boolean): void => {
  for (const each of cases.filter(({ name }) => isChosen(name)))
    test(each.name, async () => {
      const world = running();
      const approved = await (each.prepare ?? ((use: FaultInstallation) => use.approved()))(world);
      await using stack = new AsyncDisposableStack();
      const fault = await each.fault?.(world, approved);
      if (fault) stack.use(fault);
      const { id } = await world.launch(approved);
      await assertFailed(world, id, each);
      assert.deepEqual(world.bugs, []);
    });
};
