import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deployingApp, landedAt } from '../../testing/deploying-app.ts';
import type { Deployment } from '../deployments/deployments.store.ts';
import { broken, type RollbackScenario, rollbackScenarioOf, unreachable } from './rollback.fixture.ts';

const RUNS = 8;

const unseen: typeof broken = (assignment) => landedAt(assignment, { observedDigest: null });

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code');

const acts = {
  deploy: (world: RollbackScenario) => world.deploy(),
  'deploy, and it fails': (world: RollbackScenario) => world.deploy(broken),
  'deploy, and nobody sees what runs': (world: RollbackScenario) => world.deploy(unseen),
  'deploy without a registry, and try again': async (world: RollbackScenario) => {
    const failed = await world.deploy(unreachable);
    await world.module.deployments.retry(world.caller('operator'), { id: failed.id });
    await world.answer();
  },
  'roll back': (world: RollbackScenario) => world.rollBack(),
  'roll back, and it fails': (world: RollbackScenario) => world.rollBack({}, broken),
  'roll back to the last choice': async (world: RollbackScenario) => {
    const toDeploymentId = (await world.choices()).at(-1);
    await world.rollBack(toDeploymentId === undefined ? {} : { toDeploymentId });
  },
} as const;

const isAct = (name: string): name is keyof typeof acts => Object.hasOwn(acts, name);

const names = Object.keys(acts).filter(isAct);

/** Lists the deployments of the scenario, oldest first. */
const historyOf = async (world: RollbackScenario): Promise<Deployment[]> => {
  const filter = { environmentId: world.environment.id };
  const { items } = await world.module.deployments.list(world.caller('viewer'), { filter, first: 100 });
  return items.toReversed();
};

const isLanded = ({ anatomy, landing }: Deployment): boolean => anatomy === null && landing !== null;

/** Computes the choices from the whole history, without the rule under test. */
const choicesIn = (history: readonly Deployment[]): string[] => {
  const newest = history.at(-1);
  const verified = history.filter(({ landing, anatomy }) => landing === 'verified' && anatomy === null);
  const last = verified.filter(
    (deployment, i) => !verified.slice(i + 1).some((later) => later.releaseId === deployment.releaseId),
  );
  const others = last.filter(({ releaseId }) => newest?.state !== 'completed' || releaseId !== newest.releaseId);
  const newestFirst = others.toReversed();
  const stood = newestFirst.filter(({ state }) => state === 'completed');
  return [...stood, ...newestFirst.filter((deployment) => !stood.includes(deployment))].map(({ id }) => id);
};

const check = async (world: RollbackScenario): Promise<void> => {
  const history = await historyOf(world);
  for (const { id, kind, state, previousDeploymentId } of history) {
    assert(['completed', 'failed', 'rolled_back', 'rollback_failed'].includes(state), state);
    assert.equal(kind === 'rollback', previousDeploymentId !== null);
    const [undoing, ...more] = history.filter((deployment) => deployment.previousDeploymentId === id);
    assert.deepEqual(more, [], 'a deployment is undone once');
    const end = undoing && (isLanded(undoing) ? 'rolled_back' : 'rollback_failed');
    assert.equal(['rolled_back', 'rollback_failed'].includes(state) ? state : undefined, end);
  }
  const filter = { environmentId: world.environment.id };
  const { items } = await world.module.promotions.list(world.caller('viewer'), { filter, first: 100 });
  const deployed = items.filter(({ state }) => state === 'deployed').map(({ id }) => id);
  assert.deepEqual(
    deployed,
    history
      .filter(isLanded)
      .slice(-1)
      .map(({ promotionId }) => promotionId),
  );
  assert.deepEqual(await world.choices(), choicesIn(history));
};

test('however deployments, rollbacks and retries follow each other, each pair ends together and one promotion stands', async () => {
  await using app = await deployingApp();
  let orderIndex = 1_000;
  const act = fc.constantFrom<keyof typeof acts>('deploy', ...names);
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 9 }), async (wanted) => {
      // Below the one before, so that nothing has to land there first.
      orderIndex -= 1;
      const world = await rollbackScenarioOf(app, { orderIndex });
      for (const each of wanted) {
        await acts[each](world).catch((error: unknown) => assert.equal(codeOf(error), 'DEPLOY_NOTHING_TO_ROLLBACK'));
        await check(world);
      }
    }),
    { numRuns: RUNS },
  );
});
