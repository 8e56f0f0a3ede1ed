import assert from 'node:assert/strict';
import { Fault } from '@landfall/kernel/core/fault';
import fc from 'fast-check';
import { type DeployingApp, deployingApp, failedAt, isAssignment, landedAt } from '../../testing/deploying-app.ts';
import * as model from './states.model.ts';

const TIMEOUT_SECONDS = 600;

/** Creates two environments on a path, each with a target and an agent. */
const installation = async (app: DeployingApp) => {
  const environments = [];
  for (const requiredApprovals of model.approvalsNeeded) {
    const environment = await app.seed.environment({
      requiredApprovals,
      separationOfDuties: 'author',
      deployTimeoutSeconds: TIMEOUT_SECONDS,
    });
    const agent = await app.register();
    await app.seed.target(environment, agent);
    environments.push({ environment, agent });
  }
  return { app, places: environments };
};

/** Passes the deadline of every running deployment. */
const expireAll = async (app: DeployingApp): Promise<void> => {
  await app.clock.advance((TIMEOUT_SECONDS + 1) * 1_000);
  await app.module.runOnce.runner();
};

type Real = Awaited<ReturnType<typeof installation>> & {
  readonly releases: readonly string[];
  readonly promotions: string[];
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

const other = `sha256:${'f'.repeat(64)}`;

const reportOf = (how: model.Landing, assignment: Parameters<typeof landedAt>[0]): object => {
  if (how === 'failed') return failedAt('probe-failed', 'HTTP 500');
  if (how === 'verified') return landedAt(assignment);
  return landedAt(assignment, { observedDigest: how === 'mismatch' ? other : null });
};

const compare = async ({ app, releases, promotions }: Real, { releases: known, promotions: expected }: model.Model) => {
  const viewer = app.caller('viewer');
  for (const [i, id] of releases.entries()) {
    const { status, hold } = await app.module.releases.get(viewer, { id });
    assert.deepEqual({ status, isHeld: hold !== null }, known[i]);
  }
  const { items } = await app.module.deployments.list(viewer, { first: 200 });
  const endOf = { deployed: 'completed', superseded: 'completed', failed: 'failed' } as const;
  for (const [i, id] of promotions.entries()) {
    const { state } = await app.module.promotions.get(viewer, { id });
    assert.equal(state, expected[i]?.state);
    const jobs = items.filter(({ promotionId }) => promotionId === id).map((deployment) => deployment.state);
    const deployment = expected[i]?.deployment ?? (state in endOf ? Reflect.get(endOf, state) : undefined);
    assert.deepEqual(jobs, deployment === undefined ? [] : [deployment], `the job of a promotion that is ${state}`);
  }
};

type Command = fc.AsyncCommand<model.Model, Real>;

const command = (name: string, run: (known: model.Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  async run(known, real) {
    await run(known, real);
    await compare(real, known);
  },
  toString: () => name,
});

const actor = fc.constantFrom(...model.persons);
const index = fc.nat(1);

/** Selects the promotion that a number stands for, if any. */
const pick = (known: model.Model, { promotions }: Real, n: number) => {
  const at = known.promotions.length === 0 ? 0 : n % known.promotions.length;
  const [promotion, id] = [known.promotions[at], promotions[at]];
  return promotion && id !== undefined ? { promotion, id } : undefined;
};

const releaseActs = fc
  .tuple(index, fc.constantFrom<model.ReleaseAct>('finalize', 'markReady', 'hold', 'clearHold', 'deprecate'))
  .map(([n, run]) =>
    command(`${run} release ${n}`, async (known, { app, releases }) => {
      const [release, id] = [known.releases[n], releases[n]];
      assert(release && id !== undefined);
      const operator = app.caller('operator');
      const { version: expectedVersion } = await app.module.releases.get(operator, { id });
      const input = { id, expectedVersion, reason: 'Because of reasons.' };
      assert.equal(await codeOf(app.module.releases[run](operator, input)), model.releaseAct(release, run));
    }),
  );

/** Commands that make releases ready, mostly first, so that others find releases. */
const ready = index.map((n) =>
  command(`finalize and mark ready release ${n}`, async (known, { app, releases }) => {
    const [release, id] = [known.releases[n], releases[n]];
    assert(release && id !== undefined);
    const operator = app.caller('operator');
    for (const run of ['finalize', 'markReady'] as const) {
      const { version: expectedVersion } = await app.module.releases.get(operator, { id });
      assert.equal(
        await codeOf(app.module.releases[run](operator, { id, expectedVersion })),
        model.releaseAct(release, run),
      );
    }
  }),
);

const requests = fc.tuple(index, fc.constantFrom(0, 0, 1), actor).map(([release, environment, by]) =>
  command(
    `request ${release} to ${environment} by ${by}`,
    async (known, { app, releases, places: environments, promotions }) => {
      const asking = app.module.promotions.request(app.caller(by), {
        releaseId: releases[release],
        targetEnvironmentId: environments[environment]?.environment.id,
        reason: 'Ship it.',
      });
      assert.equal(await codeOf(asking), model.request(known, release, environment, by));
      if (known.promotions.length > promotions.length) promotions.push((await asking).id);
    },
  ),
);

const approve = async (known: model.Model, real: Real, n: number, by: model.Actor, hasSeen = true) => {
  const picked = pick(known, real, n);
  if (!picked) return;
  const { gatedDigestSet } = await real.app.module.promotions.get(real.app.caller('viewer'), { id: picked.id });
  const input = { id: picked.id, seenGatedDigestSet: hasSeen ? gatedDigestSet : other };
  const approving = real.app.module.promotions.approve(real.app.caller(by), input);
  assert.equal(await codeOf(approving), model.approve(picked.promotion, by, hasSeen));
};

const approvals = fc
  .tuple(fc.nat(), actor, fc.integer({ min: 0, max: 9 }))
  .map(([n, by, chance]) =>
    command(`approve ${n} by ${by}${chance === 0 ? ' of other digests' : ''}`, (known, real) =>
      approve(known, real, n, by, chance !== 0),
    ),
  );

const decisions = fc.tuple(fc.nat(), fc.constantFrom('reject', 'cancel')).map(([n, run]) =>
  command(`${run} ${n}`, async (known, real) => {
    const picked = pick(known, real, n);
    if (!picked) return;
    const input = { id: picked.id, comment: 'No.', reason: 'No.' };
    const deciding = real.app.module.promotions[run](real.app.caller('approver'), input);
    assert.equal(await codeOf(deciding), model.decide(picked.promotion, run));
  }),
);

const launch = async (known: model.Model, real: Real, n: number, by: model.Actor) => {
  const picked = pick(known, real, n);
  if (!picked) return;
  const launching = real.app.module.deployments.launch(real.app.caller(by), { promotionId: picked.id });
  assert.equal(await codeOf(launching), model.launch(known, picked.promotion, by));
};

const launches = fc
  .tuple(fc.nat(), actor)
  .map(([n, by]) => command(`launch ${n} by ${by}`, (known, real) => launch(known, real, n, by)));

const turn = async (known: model.Model, { app }: Real) => {
  await app.module.runOnce.runner();
  model.turn(known);
};

const rounds = fc.constant(command('runner turn', turn));

const deadlines = fc.constant(
  command('deadline', async (known, { app }) => {
    await expireAll(app);
    model.expire(known);
  }),
);

const land = async (known: model.Model, { app, places: environments }: Real, index: number, how: model.Landing) => {
  const agent = environments[index]?.agent;
  assert(agent);
  const assignment = await app.lease(agent);
  assert.equal(isAssignment(assignment), model.land(known, index, how));
  if (isAssignment(assignment)) await app.report(agent, assignment, 1, reportOf(how, assignment));
};

const landings = fc
  .tuple(index, fc.constantFrom<model.Landing>('verified', 'verified', 'unverified', 'mismatch', 'failed'))
  .map(([environment, how]) =>
    command(`${how} at ${environment}`, (known, real) => land(known, real, environment, how)),
  );

/** Commands of the usual course of the newest promotion, so that the second environment is reached. */
const usual = fc.constant(
  command('the usual way', async (known, real) => {
    const newest = known.promotions.length - 1;
    for (const by of ['approver', 'second-approver'] as const) await approve(known, real, newest, by);
    await launch(known, real, newest, 'operator');
    await turn(known, real);
    for (const environment of real.places.keys()) await land(known, real, environment, 'verified');
  }),
);

/** Runs this many random sequences of commands on two environments, and compares each answer with the model. */
export const exploreStates = async (numRuns: number): Promise<void> => {
  await using app = await deployingApp();
  const { places: environments } = await installation(app);
  const begin = async () => {
    const releases = [(await app.seed.draft()).id, (await app.seed.draft()).id];
    const known: model.Model = {
      releases: releases.map(() => ({ status: 'draft', isHeld: false })),
      promotions: [],
      landed: [new Set(), new Set()],
    };
    return { model: known, real: { app, places: environments, releases, promotions: [] } };
  };
  const common = [usual, usual, ready, requests, requests, approvals, launches, rounds, landings];
  const all = [...common, ...common, releaseActs, decisions, deadlines];
  await fc.assert(
    fc.asyncProperty(fc.commands(all, { maxCommands: 60, size: 'max' }), async (commands) => {
      await fc.asyncModelRun(begin, commands);
      await expireAll(app);
    }),
    { numRuns },
  );
};
