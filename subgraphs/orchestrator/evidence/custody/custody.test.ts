import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import type { Release } from '../../catalogue/releases/releases.store.ts';
import { type AttestedApp, startAttestedApp } from '../statements/landing.fixture.ts';

let app: AttestedApp;
before(async () => {
  app = await startAttestedApp();
});
after(() => app[Symbol.asyncDispose]());

const stepsOf = async ({ id: releaseId }: Release) => {
  const { steps } = await app.module.custody.get(app.caller('viewer'), { releaseId });
  return Object.fromEntries(steps.map(({ step, state, reason }) => [step, { state, reason }]));
};

/** Reports a digest as observed on every target of an environment. */
const see = async (environment: Environment, digest: string): Promise<void> => {
  await app.clock.advance(1_000);
  const targets = await app.module.targets.list(app.operator, { environmentId: environment.id });
  const observedAt = app.deps.clock.now().toISOString();
  const observed = targets.map(({ id: targetId }) => ({
    targetId,
    component: 'web',
    running: true,
    digest,
    reason: null,
    observedAt,
  }));
  await app.beat(app.agent, { observed });
};

const look = async (): Promise<void> => {
  while ((await app.module.runOnce.observing()) > 0);
  await app.attestAll();
};

const digestOf = ({ components: [component] }: Release): string => component?.digest ?? assert.fail();

// spec: 3/attestation-custody
test('a landing is signed once it is logged, proven once somebody verified it, and gone while something drifts', async () => {
  const environment = await app.stage(2, { name: 'Harbour' });
  const { release, deployment } = await app.landed(environment, 2);
  assert.match((await stepsOf(release)).deploy?.reason ?? '', /waits to be signed/);
  await app.attestAll();
  assert.deepEqual((await stepsOf(release)).deploy, {
    state: 'signed',
    reason: 'its log entry has not been verified yet',
  });
  await app.module.verifications.prove(app.operator, { deploymentId: deployment.id });
  assert.deepEqual((await stepsOf(release)).deploy, { state: 'proven', reason: null });

  await see(environment, digestOf(release));
  assert.match((await stepsOf(release)).run?.reason ?? '', /^Harbour: it was not seen running/);
  await look();
  assert.equal((await stepsOf(release)).run?.state, 'signed');
  await see(environment, app.anyDigest);
  assert.deepEqual((await stepsOf(release)).run, { state: 'missing', reason: 'Harbour: 2 of 2 components drift' });
  await see(environment, digestOf(release));
  assert.equal((await stepsOf(release)).run?.state, 'signed');
  await app.clock.advance(3_600_000);
  assert.deepEqual((await stepsOf(release)).run, {
    state: 'missing',
    reason: 'Harbour: 2 of 2 components are not observed',
  });
});

test('a release that another one took the place of runs nowhere, and has landed all the same', async () => {
  const environment = await app.stage();
  const { release: former } = await app.landed(environment);
  await app.landed(environment);
  await app.attestAll();
  const { run, deploy } = await stepsOf(former);
  assert.deepEqual(run, { state: 'missing', reason: 'no target carries it now' });
  assert.equal(deploy?.state, 'signed');
});

const LIST = `query ($first: Int!) { releases(first: $first) { edges { node { id custody {
  release { name } steps { step state reason statements {
    summary component environment { name } deployment { status } attestation { keyId log { index } } digest
  } } } } } } }`;

const costOf = async (first: number): Promise<{ readonly cost: number; readonly found: number }> => {
  app.statements.length = 0;
  const { data, errors } = await app.graph(LIST, { first }, { as: 'viewer' });
  assert.equal(errors, undefined);
  return { cost: app.statements.length, found: JSON.stringify(data).split('"keyId"').length - 1 };
};

test('a list of fifty releases costs as many statements as a list of one', async () => {
  const environment = await app.stage();
  await app.landed(environment);
  for (let i = 0; i < 52; i++) await app.seed.finalized();
  const { release } = await app.landed(environment);
  await app.attestAll();
  const one = await costOf(1);
  const fifty = await costOf(50);
  const more = await costOf(60);
  assert.ok(one.found > 0, `${release.id} has statements`);
  assert.ok(more.found > one.found);
  assert.equal(fifty.cost, one.cost);
  assert.equal(more.cost, one.cost);
});

test('an unknown release has no chain, and another tenant is told no more', async () => {
  const { id: releaseId } = await app.seed.finalized();
  const ask = (as: 'viewer' | 'other-tenant', id: string) =>
    app.graph('query ($id: ID!) { custody(releaseId: $id) { steps { step } } }', { id }, { as });
  assert.equal((await ask('viewer', releaseId)).errors, undefined);
  for (const { errors } of [await ask('viewer', app.deps.ids.uuid()), await ask('other-tenant', releaseId)])
    assert.equal(errors?.[0]?.extensions?.code, 'RES_RELEASE_NOT_FOUND');
});
