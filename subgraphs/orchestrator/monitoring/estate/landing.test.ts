import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '@landfall/kernel/db/sql';
import { table, text } from '@landfall/kernel/db/table';
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
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy();
  const whole = (release: Release) => world.targets.map(() => [digestOf(release), 'in_sync']);
  assert.deepEqual(await approved(world), whole(second.release));
  await world.rollBack();
  assert.deepEqual(await approved(world), whole(first.release));
});

test('what fails to land approves nothing, and what is tried again and lands does', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const second = await world.deploy(unreachable);
  assert.deepEqual(
    await approved(world),
    world.targets.map(() => [digestOf(first.release), 'in_sync']),
  );
  await world.module.deployments.retry(world.caller('operator'), { id: second.id });
  await world.answer();
  assert.deepEqual(
    await approved(world),
    world.targets.map(() => [digestOf(second.release), 'in_sync']),
  );
});

test('a batch that landed is approved though the deployment failed after it', async () => {
  await using world = await rollbackScenario({ defaultStrategy: 'rolling', strategyParams: { batchPercent: 50 } });
  const first = await world.deploy();
  let count = 0;
  const second = await world.deploy((assignment) => (count++ === 0 ? landedAt(assignment) : broken(assignment)));
  assert.equal(second.state, 'failed');
  assert.deepEqual(
    (await approved(world)).toSorted(),
    [
      [digestOf(first.release), 'in_sync'],
      [digestOf(second.release), 'in_sync'],
    ].toSorted(),
  );
});

test('a candidate beside the current release is not approved until it takes its place', async () => {
  await using world = await rollbackScenario();
  const first = await world.deploy();
  const release = await world.seed.ready();
  const promotion = await world.seed.approved(release, world.environment);
  const operator = world.caller('operator');
  const canary = { strategy: 'canary', params: { canarySteps: [50, 100], gate: 'manual' } };
  const { id } = await world.module.deployments.launch(operator, { promotionId: promotion.id, ...canary });
  await world.answer();
  assert.equal((await world.read(id)).state, 'paused');
  assert.deepEqual(
    await approved(world),
    world.targets.map(() => [digestOf(first.release), 'in_sync']),
  );
  await world.module.deployments.advancePhase(operator, { id, phaseIndex: 0 });
  await world.answer();
  assert.deepEqual(
    await approved(world),
    world.targets.map(() => [digestOf(release), 'in_sync']),
  );
});

test('a release that has all of the traffic and has not landed is no drift while its deployment is under way', async () => {
  await using world = await rollbackScenario();
  await world.deploy();
  const release = await world.seed.ready();
  const promotion = await world.seed.approved(release, world.environment);
  const operator = world.caller('operator');
  const blueGreen = { strategy: 'blue_green', params: { gate: 'manual' } };
  const { id } = await world.module.deployments.launch(operator, { promotionId: promotion.id, ...blueGreen });
  await world.answer();
  await world.module.deployments.advancePhase(operator, { id, phaseIndex: 0 });
  await world.answer();
  const seen = digestOf(release) ?? '';
  await world.rows(
    table('orchestrator.observations.seen', { digest: text }),
    sql`/* test */ update orchestrator.observations set digest = ${seen} returning digest`,
  );
  const states = async () => (await approved(world)).map(([, state]) => state);
  assert.deepEqual(
    await states(),
    world.targets.map(() => 'in_sync'),
  );
  await world.module.deployments.halt(operator, { id, reason: 'It is slow.' });
  assert.deepEqual(
    await states(),
    world.targets.map(() => 'drift'),
    'until it is taken back',
  );
});
