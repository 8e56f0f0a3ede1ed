import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runVariable } from '@landfall/agent/driver/process-driver';
import { findMarked } from '@landfall/agent/driver/process-reference';
import { type LogLines, logLines, type StepReport } from '@landfall/agent/protocol/messages';
import { freePort } from '@landfall/agent/testing/free-port';
import { hasTenant, type Who } from '@landfall/kernel/core/caller';
import { type Id, toId } from '@landfall/kernel/core/ids';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { testDeps } from '@landfall/kernel/testing/app';
import { type Person, people } from '@landfall/kernel/testing/callers';
import type { Image } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';
import Fastify from 'fastify';
import { createRegistries } from '../../catalogue/integrations/registries.ts';
import { createSecretSource } from '../../catalogue/secrets/secret-source.ts';
import { createVaults } from '../../catalogue/secrets/vaults.ts';
import type { TaskListener, TaskOrder } from '../rollout/ports.ts';
import type { TaskLog } from '../tasks/task-log.ts';
import { createTaskNotifications } from '../tasks/task-notifications.ts';
import { createTasks, taskQueue } from '../tasks/tasks.ts';
import { createAgentListenerRoutes } from './agent-listener-routes.ts';
import { createAgents } from './agents.ts';
import { createCertificateAuthority } from './certificate-authority.ts';
import { createRegistration } from './registration.ts';
import { createAgentRevocation } from './revocation.ts';

const program = fileURLToPath(new URL('../../../agent/main.ts', import.meta.url));
/** Unprivileged account that every Unix has, for releases of an agent that isolates them. */
export const unprivilegedAccount = 'daemon';

const callerWithTenant = (person: Person): Who => {
  const caller = people[person];
  if (!hasTenant(caller)) throw new TypeError(`${person} has no tenant`);
  return caller;
};

interface StartOptions {
  readonly token?: string;
  /** Failpoint at which the agent is killed. */
  readonly failpoint?: string;
  /** State directory, if it differs from the agent's name. */
  readonly state?: string;
  /** Address of the listener, if the agent connects through a proxy. */
  readonly server?: string;
  readonly args?: readonly string[];
  /** Whether releases run under the separate account that a root agent uses by default. */
  readonly isolates?: boolean;
}

/** Records the calls that deployments would receive, and lets a test wait for them. */
const createListenerRecorder = () => {
  const steps: { readonly taskId: string; readonly report: StepReport }[] = [];
  const waiting = new Set<() => void>();
  const listener: TaskListener = {
    lock: async () => undefined,
    onStep: async (_tx, _who, { taskId }, report) => {
      steps.push({ taskId, report });
      for (const notify of waiting) notify();
    },
    onLeasedAgain: async () => undefined,
    onUnsent: async () => undefined,
    onLost: async () => undefined,
  };
  const endOf = async (taskId: string): Promise<StepReport> => {
    for (;;) {
      const end = steps.find(
        (agentReports) => agentReports.taskId === taskId && ['done', 'failed'].includes(agentReports.report.step),
      );
      if (end) return end.report;
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };
  /** Waits for the end of a task that must land; quotes its failure otherwise. */
  const land = async (taskId: string): Promise<void> => {
    const end = await endOf(taskId);
    assert.equal(end.step, 'done', JSON.stringify(end));
  };
  return { steps, listener, endOf, land };
};

/** Starts the agents' listener over real TLS and PostgreSQL, a registry, and agents as separate programs. */
export const agentWire = async () => {
  const base = await testDeps();
  const { deps, clock } = base;
  // Certificates are judged by TLS, which knows the real time only.
  await clock.advance(Date.now() - clock.now().getTime());
  const authority = createCertificateAuthority(deps);
  const registration = createRegistration({
    ...deps,
    authority,
    trustDomain: 'landfall.test',
    agentUrl: 'https://127.0.0.1:4002',
  });
  const agents = createAgents(deps);
  const agentReports = createListenerRecorder();
  const tasks = createTasks({
    ...deps,
    registries: createRegistries(deps),
    secrets: createSecretSource({ ...deps, vaults: createVaults(deps) }),
    listener: agentReports.listener,
  });
  const logged: LogLines[] = [];
  const taskLog: TaskLog = {
    // No deployment exists for these tasks, so no log could store the lines.
    log: deps.operation({
      ...{ name: 'agentTask.log', kind: 'write', isBeat: true, scope: [], callers: ['agent'], raises: [] },
      input: logLines,
      example: { taskId: randomUUID(), fence: 1, seq: 1, lines: [], dropped: 0 },
      async run(_who, message): Promise<{ accepted: true }> {
        logged.push(message);
        return { accepted: true };
      },
    }),
  };
  const listener = createAgentListenerRoutes({
    agents,
    registration,
    tasks,
    taskLog,
    authority,
    notifications: createTaskNotifications(deps),
    ids: deps.ids,
  });
  const bugs: unknown[] = [];
  const server = Fastify({
    https: { ...(await listener.tls()), requestCert: true, rejectUnauthorized: false },
    genReqId: () => deps.ids.uuid(),
    forceCloseConnections: true,
  });
  await registerRoutes(server, listener.routes, {
    clock,
    ids: deps.ids,
    onBug: (error) => void bugs.push(error),
    callerOf: () => Promise.reject(new TypeError('the agents’ listener identifies its callers itself')),
  });
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });
  const registry = await startRegistry();
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'landfall-wire-')));
  const children = new Set<ChildProcess>();

  const instanceOf = (name: string): Promise<string> => readFile(join(directory, name, 'instance'), 'utf8');

  return {
    ...base,
    origin,
    registry,
    directory,
    bugs,
    told: agentReports.steps,
    logged,
    endOf: agentReports.endOf,
    land: agentReports.land,
    agents,
    authority,
    registration,
    revocation: createAgentRevocation({ ...deps, tasks }),
    tasks,
    port: await freePort(),
    token: async (person: Person = 'operator', input: object = {}): Promise<string> =>
      (await registration.createToken(people[person], { name: 'one', ...input })).value,

    /** Starts the agent program on its own state directory. */
    start(
      name: string,
      { token, failpoint, state = name, server: address = origin, args = [], isolates = false }: StartOptions = {},
    ): ChildProcess {
      const child = spawn(
        process.execPath,
        [program, '--server', address, '--state', join(directory, state), '--name', name, ...args],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
          env: {
            ...minimalEnvironment(),
            // The test's directory is its own; other accounts enter it only when a test opens it.
            LANDFALL_AGENT_RUN_AS: isolates ? unprivilegedAccount : 'self',
            ...(token === undefined ? {} : { LANDFALL_AGENT_TOKEN: token }),
            ...(failpoint === undefined ? {} : { LANDFALL_FAILPOINT: failpoint }),
          },
        },
      );
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    },

    /** Returns the registered agent's id once it exists. */
    agentId: (child: ChildProcess): Promise<Id<'Agent'>> =>
      new Promise((resolve, reject) => {
        let text = '';
        child.stderr?.on('data', (chunk) => {
          text += String(chunk);
          const id = /"event":"agent.started","agentId":"([0-9a-f-]{36})"/.exec(text)?.[1];
          if (id !== undefined) resolve(toId(id, 'Agent'));
        });
        child.once('close', () => reject(new Error(`the agent ended: ${text}`)));
      }),

    agentIdOf: (text: string): Id<'Agent'> => toId(text, 'Agent'),

    /** Queues a task for an agent, as a deployment would. */
    async enqueue(
      agentId: Id<'Agent'>,
      targetId: string,
      image: Image,
      port: number,
      spec: Partial<TaskOrder['spec']> = {},
    ): Promise<string> {
      const digest = registry.push('team/web', image, 'stable');
      const order: TaskOrder = {
        id: toId(deps.ids.uuid(), 'AgentTask'),
        deploymentId: toId(randomUUID(), 'Deployment'),
        targetId: toId(targetId, 'Target'),
        agentId,
        deadlineAt: new Date(Date.now() + 120_000),
        spec: {
          action: 'apply',
          driver: 'process',
          components: [{ name: 'web', repository: registry.repository('team/web'), digest, platforms: {}, port }],
          traffic: { weight: 100, retire: true },
          place: null,
          spec: { env: {}, agentSecrets: {}, stopTimeoutMs: 5_000 },
          probe: { path: '/healthz', timeoutMs: 20_000, intervalMs: 20 },
          ...spec,
        },
        secretRefs: {},
      };
      await deps.database.write(callerWithTenant('operator').tenant, (tx) =>
        taskQueue.enqueue(tx, callerWithTenant('operator'), order),
      );
      deps.hints.publish([]);
      return order.id;
    },

    /** Lists the live processes that an agent started. */
    async processes(name: string): Promise<readonly number[]> {
      const instance = await instanceOf(name);
      return (await findMarked(runVariable)).filter(({ value }) => value.startsWith(instance)).map(({ pid }) => pid);
    },

    async stop(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },

    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      for (const { pid, value } of await findMarked(runVariable))
        if (await ownsRun(directory, value)) process.kill(pid, 'SIGKILL');
      await server.close();
      await registry[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Checks whether a marked process belongs to an agent below `directory`. */
const ownsRun = async (directory: string, run: string): Promise<boolean> => {
  for (const name of await readdir(directory)) {
    const instance = await readFile(join(directory, name, 'instance'), 'utf8').catch(() => undefined);
    if (instance !== undefined && run.startsWith(instance)) return true;
  }
  return false;
};
