import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import { startAttestedApp } from './landing.fixture.ts';

const world = await startAttestedApp();
after(() => world[Symbol.asyncDispose]());

const { observing } = world.module.runOnce;
const stated = (deploymentId: string) => world.statement('observation', deploymentId);

/** Reports a digest as observed on the targets of an environment. */
const beat = async (environment: Environment, digest: string, count = Number.POSITIVE_INFINITY): Promise<void> => {
  const targets = await world.module.targets.list(world.operator, { environmentId: environment.id });
  const observedAt = world.clock.now().toISOString();
  const sight = { component: 'web', running: true, digest, reason: null, observedAt };
  await world.beat(world.agent, {
    observed: targets.slice(0, count).map(({ id }) => ({ targetId: id, ...sight })),
  });
};

const landed = async (targets: number) => {
  const environment = await world.stage(targets);
  const { release, deployment } = await world.landed(environment, targets);
  return { environment, deployment, digest: release.components[0]?.digest ?? '' };
};

test('once every target was seen running what landed, after it landed, that is stated, and nobody looks any more', async () => {
  const { environment, deployment, digest } = await landed(2);
  assert.equal(await observing(), 1);
  assert.equal(await stated(deployment.id), undefined, 'what the agent saw as it landed is not what runs since');

  await world.clock.advance(5_000);
  await beat(environment, digest, 1);
  await observing();
  assert.equal(await stated(deployment.id), undefined, 'one of two was seen');

  await world.clock.advance(5_000);
  await beat(environment, digest);
  assert.equal(await observing(), 1);
  const observation = await stated(deployment.id);
  assert(observation);
  const { predicate } = JSON.parse((await world.whole(observation.id)).payload.toString());
  assert.deepEqual(
    predicate.targets.map((target: { observedDigest: string }) => target.observedDigest),
    [digest, digest],
  );
  await world.clock.advance(60_000);
  assert.equal(await observing(), 0);
});

test('what drifted is not stated, until it is put right', async () => {
  const { environment, deployment, digest } = await landed(1);
  await world.clock.advance(5_000);
  await beat(environment, `sha256:${'0'.repeat(64)}`);
  await observing();
  assert.equal(await stated(deployment.id), undefined);
  await world.clock.advance(5_000);
  await beat(environment, digest);
  await observing();
  assert(await stated(deployment.id));
});

test('a landing that another one has replaced is not looked for', async () => {
  const { environment, deployment } = await landed(1);
  const next = await world.landed(environment);
  await world.clock.advance(5_000);
  await beat(environment, next.release.components[0]?.digest ?? '');
  await observing();
  assert.equal(await stated(deployment.id), undefined);
  assert(await stated(next.deployment.id));
  await world.clock.advance(60_000);
  assert.equal(await observing(), 0);
});
