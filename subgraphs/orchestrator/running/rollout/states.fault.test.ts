import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import fc from 'fast-check';
import { type DeployingApp, deployingApp, failedAt, isAssignment, landedAt } from '../../testing/deploying-app.ts';
import * as model from './states.model.ts';

const BUDGET_MS = 12_000;
const TIMEOUT_SECONDS = 600;

/** Creates two environments on a path, each with a target and an agent. */
const world = async (app: DeployingApp) => {
  const places = [];
  for (const requiredApprovals of model.approvalsNeeded) {
    const environment = await app.seed.environment({
      requiredApprovals,
      separationOfDuties: 'author',
      deployTimeoutSeconds: TIMEOUT_SECONDS,
    });
    const agent = await app.register();
    await app.seed.target(environment, agent);
    places.push({ environment, agent });
  }
  return { app, places };
};

/** Passes the deadline of every running deployment. */
const expireAll = async (app: DeployingApp): Promise<void> => {
  await app.clock.advance((TIMEOUT_SECONDS + 1) * 1_000);
  await app.module.runOnce.runner();
};

type Real = Awaited<ReturnType<typeof world>> & {
  readonly releases: readonly string[];
  readonly promotions: string[];
};

const codeOf = async (doing: Promise<unknown>): Promise<string | undefined> => {
  try {
    await doing;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

const foreign = `sha256:${'f'.repeat(64)}`;

const reportOf = (how: model.Landing, assignment: Parameters<typeof landedAt>[0]): object => {
  if (how === 'failed') return failedAt('probe-failed', 'HTTP 500');
  if (how === 'verified') return landedAt(assignment);
  return landedAt(assignment, { observedDigest: how === 'mismatch' ? foreign : null });
};

const compare = async ({ app, releases, promotions }: Real, { releases: known, promotions: wanted }: model.Model) => {
  const viewer = app.caller('viewer');
  for (const [i, id] of releases.entries()) {
    const { status, hold } = await app.module.releases.get(viewer, { id });
    assert.deepEqual({ status, isHeld: hold !== null }, known[i]);
  }
  const { items } = await app.module.deployments.list(viewer, { first: 200 });
  const endOf = { deployed: 'completed', superseded: 'completed', failed: 'failed' } as const;
  for (const [i, id] of promotions.entries()) {
    const { state } = await app.module.promotions.get(viewer, { id });
    assert.equal(state, wanted[i]?.state);
    const jobs = items.filter(({ promotionId }) => promotionId === id).map((deployment) => deployment.state);
    const deployment = wanted[i]?.deployment ?? (state in endOf ? Reflect.get(endOf, state) : undefined);
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
  .map(([n, act]) =>
    command(`${act} release ${n}`, async (known, { app, releases }) => {
      const [release, id] = [known.releases[n], releases[n]];
      assert(release && id !== undefined);
      const operator = app.caller('operator');
      const { version: expectedVersion } = await app.module.releases.get(operator, { id });
      const input = { id, expectedVersion, reason: 'Because of reasons.' };
      assert.equal(await codeOf(app.module.releases[act](operator, input)), model.releaseAct(release, act));
    }),
  );

/** Commands that make releases ready, mostly first, so that others find releases. */
const ready = index.map((n) =>
  command(`finalize and mark ready release ${n}`, async (known, { app, releases }) => {
    const [release, id] = [known.releases[n], releases[n]];
    assert(release && id !== undefined);
    const operator = app.caller('operator');
    for (const act of ['finalize', 'markReady'] as const) {
      const { version: expectedVersion } = await app.module.releases.get(operator, { id });
      assert.equal(
        await codeOf(app.module.releases[act](operator, { id, expectedVersion })),
        model.releaseAct(release, act),
      );
    }
  }),
);

const requests = fc.tuple(index, fc.constantFrom(0, 0, 1), actor).map(([release, place, by]) =>
  command(`request ${release} to ${place} by ${by}`, async (known, { app, releases, places, promotions }) => {
    const asking = app.module.promotions.request(app.caller(by), {
      releaseId: releases[release],
      targetEnvironmentId: places[place]?.environment.id,
      reason: 'Ship it.',
    });
    assert.equal(await codeOf(asking), model.request(known, release, place, by));
    if (known.promotions.length > promotions.length) promotions.push((await asking).id);
  }),
);

const approve = async (known: model.Model, real: Real, n: number, by: model.Actor, hasSeen = true) => {
  const picked = pick(known, real, n);
  if (!picked) return;
  const { gatedDigestSet } = await real.app.module.promotions.get(real.app.caller('viewer'), { id: picked.id });
  const input = { id: picked.id, seenGatedDigestSet: hasSeen ? gatedDigestSet : foreign };
  const approving = real.app.module.promotions.approve(real.app.caller(by), input);
  assert.equal(await codeOf(approving), model.approve(picked.promotion, by, hasSeen));
};

const approvals = fc
  .tuple(fc.nat(), actor, fc.integer({ min: 0, max: 9 }))
  .map(([n, by, luck]) =>
    command(`approve ${n} by ${by}${luck === 0 ? ' of other digests' : ''}`, (known, real) =>
      approve(known, real, n, by, luck !== 0),
    ),
  );

const decisions = fc.tuple(fc.nat(), fc.constantFrom('reject', 'cancel')).map(([n, act]) =>
  command(`${act} ${n}`, async (known, real) => {
    const picked = pick(known, real, n);
    if (!picked) return;
    const input = { id: picked.id, comment: 'No.', reason: 'No.' };
    const deciding = real.app.module.promotions[act](real.app.caller('approver'), input);
    assert.equal(await codeOf(deciding), model.decide(picked.promotion, act));
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

const turns = fc.constant(command('runner turn', turn));

const deadlines = fc.constant(
  command('deadline', async (known, { app }) => {
    await expireAll(app);
    model.expire(known);
  }),
);

const land = async (known: model.Model, { app, places }: Real, place: number, how: model.Landing) => {
  const agent = places[place]?.agent;
  assert(agent);
  const assignment = await app.lease(agent);
  assert.equal(isAssignment(assignment), model.land(known, place, how));
  if (isAssignment(assignment)) await app.report(agent, assignment, 1, reportOf(how, assignment));
};

const landings = fc
  .tuple(index, fc.constantFrom<model.Landing>('verified', 'verified', 'unverified', 'mismatch', 'failed'))
  .map(([place, how]) => command(`${how} at ${place}`, (known, real) => land(known, real, place, how)));

/** Commands of the usual course of the newest promotion, so that the second environment is reached. */
const usual = fc.constant(
  command('the usual way', async (known, real) => {
    const newest = known.promotions.length - 1;
    for (const by of ['approver', 'second-approver'] as const) await approve(known, real, newest, by);
    await launch(known, real, newest, 'operator');
    await turn(known, real);
    for (const place of real.places.keys()) await land(known, real, place, 'verified');
  }),
);

// spec: 3/job-states, 3/promotion-states
test('whatever is done in whatever order, no state is illegal and every refusal has the code of its table', async () => {
  await using app = await deployingApp();
  const { places } = await world(app);
  const begin = async () => {
    const releases = [(await app.seed.draft()).id, (await app.seed.draft()).id];
    const known: model.Model = {
      releases: releases.map(() => ({ status: 'draft', isHeld: false })),
      promotions: [],
      landed: [new Set(), new Set()],
    };
    return { model: known, real: { app, places, releases, promotions: [] } };
  };
  const common = [usual, usual, ready, requests, requests, approvals, launches, turns, landings];
  const all = [...common, ...common, releaseActs, decisions, deadlines];
  const until = performance.now() + BUDGET_MS;
  await fc.assert(
    fc.asyncProperty(fc.commands(all, { maxCommands: 60, size: 'max' }), async (commands) => {
      // A run is never cut short: what it had under way would go on beside the next one.
      if (performance.now() > until) return;
      await fc.asyncModelRun(begin, commands);
      await expireAll(app);
    }),
    { numRuns: 200 },
  );
});
