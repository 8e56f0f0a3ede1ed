import assert from 'node:assert/strict';
import type { Assignment } from '@landfall/agent/protocol/messages';
import { Fault } from '@landfall/kernel/core/fault';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import fc from 'fast-check';
import { gates, strategies } from '../../shared/enums.ts';
import {
  type DeployingApp,
  deployingApp,
  failedAt,
  isAssignment,
  landedAt,
  type TestAgent,
} from '../../testing/deploying-app.ts';
import { endStates } from '../deployments/deployment-state.ts';
import * as model from './rollout-model.fixture.ts';

const TIMEOUT_SECONDS = 600;
const TARGETS = 3;
const DAY_MS = 25 * 3_600_000;

interface World {
  readonly app: DeployingApp;
  readonly agent: TestAgent;
  readonly environmentId: string;
  /** Target ids in the model's order of names. */
  readonly targetIds: readonly string[];
}

interface Real extends World {
  id?: string;
  readonly taken: Map<number, Assignment>;
}

interface Known {
  deployment?: model.DeploymentModel;
}

const installation = async (app: DeployingApp): Promise<World> => {
  const environment = await app.seed.environment({ requiredApprovals: 0, deployTimeoutSeconds: TIMEOUT_SECONDS });
  const agent = await app.register();
  const targetIds = [];
  for (let i = 0; i < TARGETS; i++) targetIds.push((await app.seed.target(environment, agent, { name: `t${i}` })).id);
  return { app, agent, environmentId: environment.id, targetIds };
};

const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

const compare = async ({ app, id }: Real, { deployment }: Known): Promise<void> => {
  if (id === undefined || !deployment) return;
  const real = await app.module.deployments.get(app.caller('viewer'), { id });
  assert.deepEqual(
    {
      state: real.pauseReason ?? real.state,
      phases: real.phases.map(({ status }) => status),
      targets: real.targets.map(({ state }) => state),
    },
    { state: deployment.state, phases: deployment.phases, targets: deployment.targets.map(({ state }) => state) },
  );
  assert.equal(real.anatomy !== null, deployment.state === 'failed');
  const promotion = await app.module.promotions.get(app.caller('viewer'), { id: real.promotionId });
  const expected = { completed: 'deployed', failed: 'failed', cancelled: 'failed' } as const;
  assert.equal(promotion.state, Reflect.get(expected, deployment.state) ?? 'deploying');
};

type Command = fc.AsyncCommand<Known, Real>;

const command = (name: string, run: (known: Known, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(known, real) {
    await run(known, real);
    await compare(real, known);
  },
  toString: () => name,
});

const turn = async (real: Real, { deployment }: Known): Promise<void> => {
  await real.app.module.runOnce.runner();
  if (deployment) model.turn(deployment);
};

const launches = fc
  .tuple(fc.constantFrom(...strategies), fc.constantFrom(...gates.slice(0, 1), 'none'))
  .map(([strategy, gate]) =>
    command(`launch ${strategy}, gate ${gate}`, async (known, real) => {
      if (known.deployment && !model.isOver(known.deployment)) return;
      const { app, environmentId } = real;
      const operator = app.caller('operator');
      const environment = await app.module.environments.get(operator, { id: environmentId });
      const promotion = await app.seed.approved(await app.seed.ready(), environment);
      const deployment = await app.module.deployments.launch(operator, {
        promotionId: promotion.id,
        strategy,
        params: { gate },
      });
      real.id = deployment.id;
      real.taken.clear();
      known.deployment = model.newDeployment(deployment.plan);
      await turn(real, known);
    }),
  );

/** Leases the next task; a withdrawal of an earlier deployment changes nothing in the model. */
const assign = async ({ deployment }: Known, real: Real): Promise<boolean> => {
  const next = await real.app.lease(real.agent);
  if (!isAssignment(next)) {
    assert(
      !deployment?.targets.some(({ task }) => task?.action === 'apply' && !task.taken),
      'a task waits and is not given',
    );
    return false;
  }
  const index = real.targetIds.indexOf(next.task.targetId);
  const target = deployment?.targets[index];
  if (!target?.task) return true;
  assert.equal(next.task.action, target.task.action);
  model.lease(target);
  real.taken.set(index, next);
  return true;
};

/** Ends the agent's task at one target; a superseded one is refused. */
const finish = async (
  { deployment }: Known,
  { app, agent, taken: occupiedPort }: Real,
  n: number,
  isWell: boolean,
): Promise<void> => {
  const [index, assignment] = [...occupiedPort][n % Math.max(1, occupiedPort.size)] ?? [];
  if (index === undefined || !assignment) return;
  occupiedPort.delete(index);
  const target = deployment?.targets[index];
  const isOwn = target?.task?.taken === true && target.task.action === assignment.task.action;
  const end = isWell ? landedAt(assignment) : failedAt('probe-failed', 'HTTP 500');
  assert.equal(await codeOf(app.report(agent, assignment, 1, end)), isOwn ? undefined : 'RES_VERSION_CONFLICT');
  if (isOwn && deployment) model.finish(deployment, target, isWell);
};

const takeStep = fc.constant(
  command('take', async (known, real) => {
    await assign(known, real);
  }),
);

const finishes = fc
  .tuple(fc.nat(TARGETS - 1), fc.integer({ min: 0, max: 29 }))
  .map(([n, chance]) =>
    command(`finish ${n}${chance === 0 ? ' badly' : ''}`, (known, real) => finish(known, real, n, chance !== 0)),
  );

/** Commands of a whole phase, so that later phases are reached. */
const phases = fc.constant(
  command('a phase', async (known, real) => {
    while (await assign(known, real));
    while (real.taken.size > 0) await finish(known, real, 0, true);
  }),
);

const operations = {
  pause: (real: Real) => real.app.module.deployments.pause,
  resume: (real: Real) => real.app.module.deployments.resume,
  advance: (real: Real) => real.app.module.deployments.advancePhase,
  halt: (real: Real) => real.app.module.deployments.halt,
  cancel: (real: Real) => real.app.module.deployments.cancel,
} as const;

const controls = (...names: readonly model.Control[]) =>
  fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 9 })).map(([name, chance]) =>
    command(`${name}${chance === 0 ? ' unseen' : ''}`, async ({ deployment }, real) => {
      if (!deployment || real.id === undefined) return;
      const phaseIndex = Math.max(0, deployment.phases.indexOf('held')) + (chance === 0 ? 1 : 0);
      const promise = operations[name](real)(real.app.caller('operator'), {
        id: real.id,
        phaseIndex,
        reason: 'Because.',
      });
      assert.equal(await codeOf(promise), model.control(deployment, name, phaseIndex));
    }),
  );

const waits = fc.boolean().map((isLong) =>
  command(isLong ? 'wait a day' : 'wait', async ({ deployment }, { app, agent }) => {
    await app.clock.advance(isLong ? DAY_MS : (TIMEOUT_SECONDS + 1) * 1_000);
    await app.beat(agent);
    await app.module.runOnce.runner();
    if (deployment) model.expire(deployment, isLong);
  }),
);

const events = table('kernel.events.said', { entityId: text, state: text });

/**
 * Checks that every deployment ended once and no target is in use.
 * @returns the final states
 */
const expectEnds = async (app: DeployingApp): Promise<ReadonlySet<string>> => {
  const ends = await app.rows(
    events,
    sql`/* test */ select entity_id, data->>'state' as state from kernel.events
      where type = 'deployment.advance' and data->>'state' = any(${[...endStates]})`,
  );
  const viewer = app.caller('viewer');
  const { items } = await app.module.deployments.list(viewer, { first: 200 });
  for (const { id, state } of items) {
    assert.deepEqual(
      ends.filter(({ entityId }) => entityId === id).map((each) => each.state),
      [state],
    );
    const { targets } = await app.module.deployments.get(viewer, { id });
    assert(targets.every((target) => ['succeeded', 'failed', 'cancelled'].includes(target.state)));
  }
  return new Set(items.map(({ state }) => state));
};

/**
 * Runs this many random sequences of commands on deployments, and compares each step with the model.
 * @returns the states in which deployments ended
 */
export const exploreJobs = async (numRuns: number): Promise<readonly string[]> => {
  await using app = await deployingApp();
  const real = await installation(app);
  const begin = async () => ({ model: {}, real: { ...real, taken: new Map() } });
  const common = [launches, takeStep, takeStep, takeStep, finishes, finishes, finishes, phases];
  const steered = [controls('advance'), controls('pause'), controls('resume'), controls('halt', 'cancel')];
  const all = [...common, ...common, ...steered, waits];
  await fc.assert(
    fc.asyncProperty(fc.commands(all, { maxCommands: 60, size: 'max' }), async (commands) => {
      await fc.asyncModelRun(begin, commands);
      await app.clock.advance(DAY_MS);
      await app.beat(real.agent);
      await app.module.runOnce.runner();
    }),
    { numRuns },
  );
  return [...(await expectEnds(app))].toSorted();
};
