import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_LOGS } from '@landfall/agent/driver/log-file';
import { freePort } from '@landfall/agent/testing/free-port';
import { Fault } from '@landfall/kernel/core/fault';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { agentProcesses, served } from '../../testing/agent-processes.ts';
import { deployingApp } from '../../testing/deploying-app.ts';
import { leasesIn, type TaskLease } from '../../testing/leases.ts';
import { serverProcess } from '../../testing/server-processes.ts';

const FAILPOINT = /\bfailpoint\('([\w.]+)'\)/g;
const POLL_MS = 25;
/** Time without progress after which a deployment depends on the end of a lease, in milliseconds. */
const STILL_MS = 30_000;
/** Deadline of a scenario, in milliseconds: far more than a busy machine needs. */
const LOST_MS = 120_000;
/** Characters of an agent's log that a failed test's message shows. */
const LOG_TAIL = 4_096;

export const HAS_ENDED = /the server has ended|Channel closed/;

/** Lists the failpoints in the server's part of a deployment, from its source files. */
export const failpoints = async (): Promise<string[]> => {
  const files = await Array.fromAsync(glob('running/**/*.ts', { cwd: new URL('../..', import.meta.url) }));
  const sources = files.filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const texts = await Promise.all(sources.map((file) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')));
  return [...new Set(texts.flatMap((source) => [...source.matchAll(FAILPOINT)].map(([, name = '']) => name)))].sort();
};

const events = table('kernel.events.said', { state: text });

/**
 * Creates an environment with `count` targets of one real agent, which talks over mutual TLS to a server process that the
 * test kills. The database's clock stands still; the test expires leases (`leases.ts`).
 */
const createCrashScenario = async (count: number) => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await deployingApp());
  // Certificates are judged by TLS, which knows the real time only.
  await app.clock.advance(Date.now() - app.clock.now().getTime());
  const agents = stack.use(await agentProcesses());
  const location = { connection: app.connection, rootKey: app.rootKey.toString('base64'), port: await freePort() };
  const leases = leasesIn(app.connection);
  const origin = `https://127.0.0.1:${location.port}`;
  let server = serverProcess();
  stack.defer(() => server[Symbol.asyncDispose]());
  await server.serve(location);

  const token = async (name: string): Promise<string> =>
    (await app.module.agents.createToken(app.caller('operator'), { name })).value;
  const agent = await agents.start('one', { server: origin, token: await token('one') });
  // The agent reads a deadline by the server's clock, which does not stand still.
  const environment = await app.seed.environment({ requiredApprovals: 0, deployTimeoutSeconds: 86_400 });
  const targets: { id: string; port: number }[] = [];
  for (let i = 0; i < count; i++) {
    const port = await freePort();
    const config = { port, probePath: '/healthz' };
    const { id } = await app.module.targets.create(app.caller('operator'), {
      environmentId: environment.id,
      name: `target-${i}`,
      driver: 'process',
      config,
      agentId: agent.id,
    });
    targets.push({ id, port });
  }
  const deployed: string[] = [];
  let releases = 0;

  const jobsOf = async (releaseId: string) =>
    (await app.module.deployments.list(app.caller('viewer'), { filter: { releaseId } })).items;
  const promotionOf = (id: string) => app.module.promotions.get(app.caller('viewer'), { id });

  /** Creates an approved promotion of a new release. */
  const approved = async () => {
    releases += 1;
    const version = `1.0.${releases}`;
    app.registry.push('shop/web', buildApp({ version }), version);
    const components = [{ name: 'web', repository: app.registry.repository('shop/web'), tag: version }];
    const release = await app.seed.ready({ semver: version, components });
    const promotion = await app.seed.approved(release, environment);
    return { version, release, promotion };
  };
  type Approved = Awaited<ReturnType<typeof approved>>;
  type Launched = Pick<Approved, 'version' | 'release'> & { readonly promotion: { readonly id: string } };

  const letLeasesRunOut = async (): Promise<void> => {
    await leases.expireJobs();
    const heldPhase = await agents.journal('one');
    await leases.expireTasks(
      (await leases.tasks()).filter(({ taskId, fence }) => !heldPhase.includes(`${taskId}.${fence}`)),
    );
  };

  /** Waits for the end of a release's `nth` deployment. */
  const endOf = async ({ release }: Pick<Approved, 'release'>, nth = 1) => {
    let version: number | undefined;
    let movedAt = performance.now();
    for (const until = movedAt + LOST_MS; performance.now() < until; await sleep(POLL_MS)) {
      const deployment = (await jobsOf(release.id)).at(-nth);
      if (deployment?.state === 'completed' || deployment?.state === 'failed') return deployment;
      const isStill = performance.now() - movedAt > STILL_MS;
      if (isStill) await letLeasesRunOut();
      if (isStill || deployment?.version !== version) movedAt = performance.now();
      version = deployment?.version;
    }
    const log = agents.log('one').slice(-LOG_TAIL);
    throw new Error(`the deployment came to no end\n${await leases.story()}\nthe agent's log:\n${log}`);
  };

  /**
   * Checks the invariants after a crash: one end, only the gated release, each component started once.
   * @param nth which deployment of the release, for rollbacks and retries
   * @param expected expected states of the deployment
   */
  const check = async (
    { version, release, promotion }: Launched,
    nth = 1,
    expected: readonly string[] = ['preflight', 'planning', 'in_progress', 'verifying', 'completed'],
  ): Promise<void> => {
    const deployment = await endOf({ release }, nth);
    assert.deepEqual([deployment.state, deployment.landing, deployment.anatomy], ['completed', 'verified', null]);
    const states = await app.rows(
      events,
      sql`/* test */ select data->>'state' as state from kernel.events
        where entity_id = ${deployment.id} and type = 'deployment.advance' order by id`,
    );
    assert.deepEqual(
      states.map(({ state }) => state),
      expected,
    );
    assert.equal((await jobsOf(release.id)).length, nth);
    const { targets: landed } = await app.module.deployments.get(app.caller('viewer'), { id: deployment.id });
    assert.deepEqual(
      landed.map(({ state, landing }) => [state, landing?.verdict, landing?.observedDigest]),
      targets.map(() => ['succeeded', 'verified', release.components[0]?.digest]),
    );
    assert.equal((await promotionOf(promotion.id)).state, 'deployed');
    deployed.push(version);
    for (const { id, port } of targets) {
      assert.equal(await served(port), version);
      const known = deployed.slice(-MAX_LOGS);
      assert.deepEqual(await agents.starts('one', id), known, 'every release started exactly once, and no other');
      assert.equal((await agents.processes('one', id)).length, 1);
    }
  };

  /** Leases that were committed but never reached the agent. */
  const unleasedTasks = async (): Promise<TaskLease[]> =>
    (await leases.tasks()).filter(
      ({ taskId, fence }) => !agents.log('one').includes(`"event":"task.taken","taskId":"${taskId}","fence":${fence}`),
    );

  /**
   * Expires the leases of a dead server: its runner's, and those of tasks whose answer was lost, which the agent's next
   * poll shows.
   */
  const dropLeases = async (): Promise<void> => {
    await leases.atRest();
    await leases.expireJobs();
    const known = agents.log('one').length;
    for (const until = performance.now() + LOST_MS; (await unleasedTasks()).length > 0; await sleep(POLL_MS)) {
      assert(performance.now() < until, 'the agent does not poll');
      if (agents.log('one').includes('"event":"poll.failed"', known))
        return void (await leases.expireTasks(await unleasedTasks()));
    }
  };

  /** Waits until the server was killed, and starts another in its place. */
  const resumeWork = async (): Promise<void> => {
    const lost = sleep(LOST_MS, 'lost', { ref: false });
    assert.equal(await Promise.race([server.ended, lost]), 'SIGKILL', 'the failpoint was never passed');
    await dropLeases();
    server = serverProcess();
    await server.serve(location);
  };

  /**
   * Calls an operation, again while the server answers with a retryable error.
   * @throws `HAS_ENDED` when the server died instead
   */
  const ask = async (operation: string, input: object): Promise<unknown> => {
    for (;;)
      try {
        return await server.call(operation, input);
      } catch (error) {
        if (!(error instanceof Fault) || error.status < 500) throw error;
      }
  };

  /** Calls an operation on a server that may die before it answers; no test depends on which happens first. */
  const tryTo = (operation: string, input: object): Promise<unknown> =>
    ask(operation, input).catch((error: unknown) => {
      if (!HAS_ENDED.test(String(error))) throw error;
    });

  const launchOf = ({ promotion }: Approved) => ['deployment.launch', { promotionId: promotion.id }] as const;

  const resources = stack.move();
  return {
    ...app,
    agents,
    origin,
    token,
    approved,
    check,
    endOf,
    jobsOf,
    promotionOf,
    takeOver: resumeWork,
    targets,
    environmentId: environment.id,
    leases,
    /** Records a release that was started on every target and must not be served in the end. */
    noteStarted: ({ version }: Approved): void => void deployed.push(version),
    /** Process that serves at present. */
    server: () => server,
    ask,
    tryTo,
    launch: (expected: Approved) => ask(...launchOf(expected)),
    tryToLaunch: (expected: Approved) => tryTo(...launchOf(expected)),
    rollback: ['environment.rollback', { environmentId: environment.id, reason: 'It answers 500.' }] as const,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

export type CrashScenario = Awaited<ReturnType<typeof createCrashScenario>>;

/** Creates two releases that landed one after the other. */
export const twoDeployed = async (scenario: CrashScenario) => {
  const both = [await scenario.approved(), await scenario.approved()] as const;
  for (const each of both) {
    await scenario.launch(each);
    await scenario.check(each);
  }
  return both;
};

/** Provides scenarios for test cases: the next case reuses the scenario unless the last one failed in it. */
export const crashScenarios = (count: number) => {
  let idle: CrashScenario | undefined;
  return {
    async use<T>(run: (world: CrashScenario) => Promise<T>): Promise<T> {
      const scenario = idle ?? (await createCrashScenario(count));
      idle = undefined;
      await using stack = new AsyncDisposableStack();
      stack.use(scenario);
      const value = await run(scenario);
      stack.move();
      idle = scenario;
      return value;
    },
    [Symbol.asyncDispose]: async () => idle?.[Symbol.asyncDispose](),
  };
};
