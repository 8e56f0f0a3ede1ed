import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import { startAttestedApp } from './landing.fixture.ts';

const app = await startAttestedApp();
after(() => app[Symbol.asyncDispose]());

const { observing } = app.module.runOnce;
const stated = (deploymentId: string) => app.statement('observation', deploymentId);

/** Reports a digest as observed on the targets of an environment. */
const sendHeartbeat = async (
  environment: Environment,
  digest: string,
  count = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const targets = await app.module.targets.list(app.operator, { environmentId: environment.id });
  const observedAt = app.clock.now().toISOString();
  const observation = { component: 'web', running: true, digest, reason: null, observedAt };
  await app.beat(app.agent, {
    observed: targets.slice(0, count).map(({ id }) => ({ targetId: id, ...observation })),
  });
};

const landed = async (targets: number) => {
  const environment = await app.stage(targets);
  const { release, deployment } = await app.landed(environment, targets);
  return { environment, deployment, digest: release.components[0]?.digest ?? '' };
};

test('once every target was seen running what landed, after it landed, that is stated, and nobody looks any more', async () => {
  const { environment, deployment, digest } = await landed(2);
  assert.equal(await observing(), 1);
  assert.equal(await stated(deployment.id), undefined, 'what the agent saw as it landed is not what runs since');

  await app.clock.advance(5_000);
  await sendHeartbeat(environment, digest, 1);
  await observing();
  assert.equal(await stated(deployment.id), undefined, 'one of two was seen');

  await app.clock.advance(5_000);
  await sendHeartbeat(environment, digest);
  assert.equal(await observing(), 1);
  const observation = await stated(deployment.id);
  assert(observation);
  const { predicate } = JSON.parse((await app.whole(observation.id)).payload.toString());
  assert.deepEqual(
    predicate.targets.map((target: { observedDigest: string }) => target.observedDigest),
    [digest, digest],
  );
  await app.clock.advance(60_000);
  assert.equal(await observing(), 0);
});

test('what drifted is not stated, until it is put right', async () => {
  const { environment, deployment, digest } = await landed(1);
  await app.clock.advance(5_000);
  await sendHeartbeat(environment, `sha256:${'0'.repeat(64)}`);
  await observing();
  assert.equal(await stated(deployment.id), undefined);
  await app.clock.advance(5_000);
  await sendHeartbeat(environment, digest);
  await observing();
  assert(await stated(deployment.id));
});

test('a landing that another one has replaced is not looked for', async () => {
  const { environment, deployment } = await landed(1);
  const next = await app.landed(environment);
  await app.clock.advance(5_000);
  await sendHeartbeat(environment, next.release.components[0]?.digest ?? '');
  await observing();
  assert.equal(await stated(deployment.id), undefined);
  assert(await stated(next.deployment.id));
  await app.clock.advance(60_000);
  assert.equal(await observing(), 0);
});
