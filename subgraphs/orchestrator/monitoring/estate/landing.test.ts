import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import {
  broken,
  type RollbackScenario,
  rollbackScenario,
  unreachable,
} from '../../running/rollback/rollback.fixture.ts';
import { landedAt } from '../../testing/deploying-app.ts';

const digestOf = ({ components }: Release): string | undefined => components[0]?.digest ?? undefined;

const approved = async ({ module, caller }: RollbackScenario) => {
  const read = async (state: string) => (await module.estate.drift(caller('viewer'), { filter: { state } })).items;
  const rows = [...(await read('in_sync')), ...(await read('drift'))];
  return rows.map(({ approvedDigest, state }) => [approvedDigest, state]);
};

test('what a rollback brings back is approved again', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy();
  const complete = (release: Release) => scenario.targets.map(() => [digestOf(release), 'in_sync']);
  assert.deepEqual(await approved(scenario), complete(second.release));
  await scenario.rollBack();
  assert.deepEqual(await approved(scenario), complete(first.release));
});

test('what fails to land approves nothing, and what is tried again and lands does', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const second = await scenario.deploy(unreachable);
  assert.deepEqual(
    await approved(scenario),
    scenario.targets.map(() => [digestOf(first.release), 'in_sync']),
  );
  await scenario.module.deployments.retry(scenario.caller('operator'), { id: second.id });
  await scenario.answer();
  assert.deepEqual(
    await approved(scenario),
    scenario.targets.map(() => [digestOf(second.release), 'in_sync']),
  );
});

test('a batch that landed is approved though the deployment failed after it', async () => {
  await using scenario = await rollbackScenario({ defaultStrategy: 'rolling', strategyParams: { batchPercent: 50 } });
  const first = await scenario.deploy();
  let count = 0;
  const second = await scenario.deploy((assignment) => (count++ === 0 ? landedAt(assignment) : broken(assignment)));
  assert.equal(second.state, 'failed');
  assert.deepEqual(
    (await approved(scenario)).toSorted(),
    [
      [digestOf(first.release), 'in_sync'],
      [digestOf(second.release), 'in_sync'],
    ].toSorted(),
  );
});

test('a candidate beside the current release is not approved until it takes its place', async () => {
  await using scenario = await rollbackScenario();
  const first = await scenario.deploy();
  const release = await scenario.seed.ready();
  const promotion = await scenario.seed.approved(release, scenario.environment);
  const operator = scenario.caller('operator');
  const canary = { strategy: 'canary', params: { canarySteps: [50, 100], gate: 'manual' } };
  const { id } = await scenario.module.deployments.launch(operator, { promotionId: promotion.id, ...canary });
  await scenario.answer();
  assert.equal((await scenario.read(id)).state, 'paused');
  assert.deepEqual(
    await approved(scenario),
    scenario.targets.map(() => [digestOf(first.release), 'in_sync']),
  );
  await scenario.module.deployments.advancePhase(operator, { id, phaseIndex: 0 });
  await scenario.answer();
  assert.deepEqual(
    await approved(scenario),
    scenario.targets.map(() => [digestOf(release), 'in_sync']),
  );
});

test('a release that has all of the traffic and has not landed is no drift while its deployment is under way', async () => {
  await using scenario = await rollbackScenario();
  await scenario.deploy();
  const release = await scenario.seed.ready();
  const promotion = await scenario.seed.approved(release, scenario.environment);
  const operator = scenario.caller('operator');
  const blueGreen = { strategy: 'blue_green', params: { gate: 'manual' } };
  const { id } = await scenario.module.deployments.launch(operator, { promotionId: promotion.id, ...blueGreen });
  await scenario.answer();
  await scenario.module.deployments.advancePhase(operator, { id, phaseIndex: 0 });
  await scenario.answer();
  const observation = digestOf(release) ?? '';
  await scenario.rows(
    table('orchestrator.observations.seen', { digest: text }),
    sql`/* test */ update orchestrator.observations set digest = ${observation} returning digest`,
  );
  const states = async () => (await approved(scenario)).map(([, state]) => state);
  assert.deepEqual(
    await states(),
    scenario.targets.map(() => 'in_sync'),
  );
  await scenario.module.deployments.halt(operator, { id, reason: 'It is slow.' });
  assert.deepEqual(
    await states(),
    scenario.targets.map(() => 'drift'),
    'until it is taken back',
  );
});
