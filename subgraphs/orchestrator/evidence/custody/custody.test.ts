import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { type AttestedApp, startAttestedApp } from '../statements/landing.fixture.ts';

let world: AttestedApp;
before(async () => {
  world = await startAttestedApp();
});
after(() => world[Symbol.asyncDispose]());

const stepsOf = async ({ id: releaseId }: Release) => {
  const { steps } = await world.module.custody.get(world.caller('viewer'), { releaseId });
  return Object.fromEntries(steps.map(({ step, state, reason }) => [step, { state, reason }]));
};

/** Reports a digest as observed on every target of an environment. */
const see = async (environment: Environment, digest: string): Promise<void> => {
  await world.clock.advance(1_000);
  const targets = await world.module.targets.list(world.operator, { environmentId: environment.id });
  const observedAt = world.deps.clock.now().toISOString();
  const observed = targets.map(({ id: targetId }) => ({
    targetId,
    component: 'web',
    running: true,
    digest,
    reason: null,
    observedAt,
  }));
  await world.beat(world.agent, { observed });
};

const look = async (): Promise<void> => {
  while ((await world.module.runOnce.observing()) > 0);
  await world.attestAll();
};

const digestOf = ({ components: [component] }: Release): string => component?.digest ?? assert.fail();

// spec: 3/attestation-custody
test('a landing is signed once it is logged, proven once somebody verified it, and gone while something drifts', async () => {
  const environment = await world.stage(2, { name: 'Harbour' });
  const { release, deployment } = await world.landed(environment, 2);
  assert.match((await stepsOf(release)).deploy?.reason ?? '', /waits to be signed/);
  await world.attestAll();
  assert.deepEqual((await stepsOf(release)).deploy, {
    state: 'signed',
    reason: 'its log entry has not been verified yet',
  });
  await world.module.verifications.prove(world.operator, { deploymentId: deployment.id });
  assert.deepEqual((await stepsOf(release)).deploy, { state: 'proven', reason: null });

  await see(environment, digestOf(release));
  assert.match((await stepsOf(release)).run?.reason ?? '', /^Harbour: it was not seen running/);
  await look();
  assert.equal((await stepsOf(release)).run?.state, 'signed');
  await see(environment, world.anyDigest);
  assert.deepEqual((await stepsOf(release)).run, { state: 'missing', reason: 'Harbour: 2 of 2 components drift' });
  await see(environment, digestOf(release));
  assert.equal((await stepsOf(release)).run?.state, 'signed');
  await world.clock.advance(3_600_000);
  assert.deepEqual((await stepsOf(release)).run, {
    state: 'missing',
    reason: 'Harbour: 2 of 2 components are not observed',
  });
});

test('a release that another one took the place of runs nowhere, and has landed all the same', async () => {
  const environment = await world.stage();
  const { release: former } = await world.landed(environment);
  await world.landed(environment);
  await world.attestAll();
  const { run, deploy } = await stepsOf(former);
  assert.deepEqual(run, { state: 'missing', reason: 'no target carries it now' });
  assert.equal(deploy?.state, 'signed');
});

const LIST = `query ($first: Int!) { releases(first: $first) { edges { node { id custody {
  release { name } steps { step state reason statements {
    summary component environment { name } deployment { status } attestation { keyId log { index } } digest
  } } } } } } }`;

const costOf = async (first: number): Promise<{ readonly cost: number; readonly found: number }> => {
  world.statements.length = 0;
  const { data, errors } = await world.graph(LIST, { first }, { as: 'viewer' });
  assert.equal(errors, undefined);
  return { cost: world.statements.length, found: JSON.stringify(data).split('"keyId"').length - 1 };
};

test('a list of fifty releases costs as many statements as a list of one', async () => {
  const environment = await world.stage();
  await world.landed(environment);
  for (let i = 0; i < 52; i++) await world.seed.finalized();
  const { release } = await world.landed(environment);
  await world.attestAll();
  const one = await costOf(1);
  const fifty = await costOf(50);
  const more = await costOf(60);
  assert.ok(one.found > 0, `${release.id} has statements`);
  assert.ok(more.found > one.found);
  assert.equal(fifty.cost, one.cost);
  assert.equal(more.cost, one.cost);
});

test('an unknown release has no chain, and another tenant is told no more', async () => {
  const { id: releaseId } = await world.seed.finalized();
  const ask = (as: 'viewer' | 'other-tenant', id: string) =>
    world.graph('query ($id: ID!) { custody(releaseId: $id) { steps { step } } }', { id }, { as });
  assert.equal((await ask('viewer', releaseId)).errors, undefined);
  for (const { errors } of [await ask('viewer', world.deps.ids.uuid()), await ask('other-tenant', releaseId)])
    assert.equal(errors?.[0]?.extensions?.code, 'RES_RELEASE_NOT_FOUND');
});
