import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deployingApp, landedAt } from '../../testing/deploying-app.ts';
import type { Deployment } from '../deployments/deployments.store.ts';
import { broken, type RollbackScenario, rollbackScenarioOf, unreachable } from './rollback.fixture.ts';

const RUNS = 8;

const unobserved: typeof broken = (assignment) => landedAt(assignment, { observedDigest: null });

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code');

const runs = {
  deploy: (installation: RollbackScenario) => installation.deploy(),
  'deploy, and it fails': (installation: RollbackScenario) => installation.deploy(broken),
  'deploy, and nobody sees what runs': (installation: RollbackScenario) => installation.deploy(unobserved),
  'deploy without a registry, and try again': async (installation: RollbackScenario) => {
    const failed = await installation.deploy(unreachable);
    await installation.module.deployments.retry(installation.caller('operator'), { id: failed.id });
    await installation.answer();
  },
  'roll back': (installation: RollbackScenario) => installation.rollBack(),
  'roll back, and it fails': (installation: RollbackScenario) => installation.rollBack({}, broken),
  'roll back to the last choice': async (installation: RollbackScenario) => {
    const toDeploymentId = (await installation.choices()).at(-1);
    await installation.rollBack(toDeploymentId === undefined ? {} : { toDeploymentId });
  },
} as const;

const isAct = (name: string): name is keyof typeof runs => Object.hasOwn(runs, name);

const names = Object.keys(runs).filter(isAct);

/** Lists the deployments of the scenario, oldest first. */
const historyOf = async (installation: RollbackScenario): Promise<Deployment[]> => {
  const filter = { environmentId: installation.environment.id };
  const { items } = await installation.module.deployments.list(installation.caller('viewer'), { filter, first: 100 });
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
  const completed = newestFirst.filter(({ state }) => state === 'completed');
  return [...completed, ...newestFirst.filter((deployment) => !completed.includes(deployment))].map(({ id }) => id);
};

const check = async (installation: RollbackScenario): Promise<void> => {
  const history = await historyOf(installation);
  for (const { id, kind, state, previousDeploymentId } of history) {
    assert(['completed', 'failed', 'rolled_back', 'rollback_failed'].includes(state), state);
    assert.equal(kind === 'rollback', previousDeploymentId !== null);
    const [undoing, ...rest] = history.filter((deployment) => deployment.previousDeploymentId === id);
    assert.deepEqual(rest, [], 'a deployment is undone once');
    const end = undoing && (isLanded(undoing) ? 'rolled_back' : 'rollback_failed');
    assert.equal(['rolled_back', 'rollback_failed'].includes(state) ? state : undefined, end);
  }
  const filter = { environmentId: installation.environment.id };
  const { items } = await installation.module.promotions.list(installation.caller('viewer'), { filter, first: 100 });
  const deployed = items.filter(({ state }) => state === 'deployed').map(({ id }) => id);
  assert.deepEqual(
    deployed,
    history
      .filter(isLanded)
      .slice(-1)
      .map(({ promotionId }) => promotionId),
  );
  assert.deepEqual(await installation.choices(), choicesIn(history));
};

test('however deployments, rollbacks and retries follow each other, each pair ends together and one promotion stands', async () => {
  await using app = await deployingApp();
  let orderIndex = 1_000;
  const run = fc.constantFrom<keyof typeof runs>('deploy', ...names);
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 3, maxLength: 9 }), async (expected) => {
      // After the previous environment on the path, so that no landing is required there first.
      orderIndex -= 1;
      const installation = await rollbackScenarioOf(app, { orderIndex });
      for (const each of expected) {
        await runs[each](installation).catch((error: unknown) =>
          assert.equal(codeOf(error), 'DEPLOY_NOTHING_TO_ROLLBACK'),
        );
        await check(installation);
      }
    }),
    { numRuns: RUNS },
  );
});
