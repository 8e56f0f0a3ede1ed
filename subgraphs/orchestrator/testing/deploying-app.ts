import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment, StepReport } from '@landfall/agent/protocol/messages';
import { parseToken } from '@landfall/agent/protocol/token';
import { openIdentity } from '@landfall/agent/state/identity';
import type { Caller } from '@landfall/kernel/core/caller';
import { caller } from '@landfall/kernel/testing/callers';
import type { Environment } from '../catalogue/environments/environments.store.ts';
import type { Release } from '../catalogue/releases/releases.store.ts';
import { catalogueApp } from './catalogue-app.ts';

/** Agent's side of the protocol, called as operations, so that a test chooses the reports. */
export interface TestAgent {
  readonly id: string;
  readonly caller: Caller;
  readonly privateKey: string;
}

export const landedAt = (
  { task }: Assignment,
  overrides: Partial<{ manifestDigest: string; platformDigest: string; observedDigest: string | null }> = {},
) => ({
  step: 'done',
  already: false,
  log: 'listening',
  components: task.components.map(({ name, digest }) => ({
    name,
    gatedDigest: digest,
    manifestDigest: digest,
    platformDigest: digest,
    observedDigest: digest,
    reason: null,
    ...overrides,
  })),
});

export const failedAt = (errorClass: string, raw: string): Extract<StepReport, { step: 'failed' }> | object => ({
  step: 'failed',
  during: 'pulled',
  code: 'DEPLOY_PULL_FAILED',
  errorClass,
  raw,
  log: '',
});

/** Starts the orchestrator with everything a deployment needs, and agents whose reports the test chooses. */
export const deployingApp = async () => {
  const app = await catalogueApp();
  const { agents, targets, promotions, deployments } = app.module;
  const operator = app.caller('operator');
  const approver = app.caller('approver');
  const directories: string[] = [];
  let count = 0;

  const agentOperation = (name: string) => {
    const found = app.module.operations.find(({ spec }) => spec.name === name);
    if (!found) throw new TypeError(`no operation ${name}`);
    return found;
  };

  const register = async (capabilities: Readonly<Record<string, string>> = { process: '1' }): Promise<TestAgent> => {
    count += 1;
    const directory = await mkdtemp(join(tmpdir(), 'landfall-agent-'));
    directories.push(directory);
    const identity = await openIdentity(directory);
    const name = `agent-${count}`;
    const { value } = await agents.createToken(operator, { name });
    const registering = caller({ subject: 'registration', kind: 'agent' });
    const answer = await agentOperation('agent.register')(registering, {
      token: parseToken(value)?.secret,
      csr: await identity.request(name),
      name,
      version: '1.0.0',
      capabilities,
      hostFacts: { platform: 'linux/amd64', hostname: 'test', cpus: 2 },
      clock: app.deps.clock.now().toISOString(),
    });
    const id = String(Reflect.get(Object(answer), 'agentId'));
    return { id, caller: caller({ subject: id, kind: 'agent' }), privateKey: identity.privateKey };
  };

  const target = async (
    environment: Environment,
    agent: TestAgent,
    overrides: Readonly<Record<string, unknown>> = {},
  ) => {
    count += 1;
    return targets.create(operator, {
      environmentId: environment.id,
      name: `target-${count}`,
      driver: 'process',
      config: { port: 20_000 + count },
      agentId: agent.id,
      ...overrides,
    });
  };

  /** Approves a release for an environment. */
  const approved = async (release: Release, environment: Environment) => {
    const { id, gatedDigestSet } = await app.seed.promotion(release, environment);
    return environment.requiredApprovals === 0
      ? promotions.get(operator, { id })
      : promotions.approve(approver, { id, seenGatedDigestSet: gatedDigestSet });
  };

  return {
    ...app,
    register,
    seed: { ...app.seed, target, approved },
    /** Launches a promotion and runs the runner once. */
    async launch(promotionId: string) {
      const deployment = await deployments.launch(operator, { promotionId });
      await app.module.runOnce.runner();
      return deployment;
    },
    lease: (agent: TestAgent) => agentOperation('agentTask.lease')(agent.caller, {}),
    report: (agent: TestAgent, { task }: Assignment, seq: number, report: object, fence = task.fence) =>
      agentOperation('agentTask.report')(agent.caller, { taskId: task.taskId, fence, seq, report }),
    beat: (agent: TestAgent, overrides: Readonly<Record<string, unknown>> = {}) =>
      agentOperation('agent.heartbeat')(agent.caller, {
        held: [],
        capabilities: { process: '1' },
        observed: [],
        diskFree: 1_000_000,
        clock: app.deps.clock.now().toISOString(),
        ...overrides,
      }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      for (const directory of directories) await rm(directory, { recursive: true, force: true });
    },
  };
};

export type DeployingApp = Awaited<ReturnType<typeof deployingApp>>;

/** Checks that a lease returned a task. */
export const isAssignment = (value: unknown): value is Assignment =>
  typeof value === 'object' && value !== null && 'task' in value;

export const leased = async (app: DeployingApp, agent: TestAgent): Promise<Assignment> => {
  const assignment = await app.lease(agent);
  if (!isAssignment(assignment)) throw new TypeError('expected a task to be waiting');
  return assignment;
};
