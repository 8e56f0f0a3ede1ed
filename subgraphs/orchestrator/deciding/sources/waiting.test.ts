import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environment.ts';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';
import { type Sources, sourcesOf } from './sources.fixture.ts';

const MINUTE = 60_000;

let app: CatalogueApp;
let given: Sources;
before(async () => {
  app = await catalogueApp();
  given = sourcesOf(app);
});
after(() => app[Symbol.asyncDispose]());

type Own = Awaited<ReturnType<Sources['product']>>;

/** Product whose path is these environments side by side, with a pushed image and a source that requests. */
const requesting = async (...environments: readonly Environment[]): Promise<Own> => {
  const own = await given.product();
  const steps = environments.map(({ id }) => ({ environmentId: id, after: [] }));
  await app.module.products.setPath(given.admin, { id: own.id, expectedVersion: own.version, steps });
  given.push(own.path('web'), '1.0.0');
  await given.source(own.id, { policy: 'request' });
  await given.pass();
  return own;
};

const requestsOf = async ({ id }: Own) => {
  const [release] = await given.releases(id);
  return (await app.module.promotions.list(given.admin, { filter: { releaseId: release?.id } })).items;
};

/** Lets the longest pause pass, a number of times. */
const wait = async (times: number): Promise<void> => {
  for (let turn = 0; turn < times; turn++) {
    await app.clock.advance(5 * MINUTE);
    await given.assemble();
  }
};

test('a release that waited for evidence for hours outlives an error that passes', async () => {
  const strict = await app.seed.environment({ requiredApprovals: 0, requiredEvidence: ['sbom'] });
  const own = await requesting(strict);
  await wait(50);
  const [release] = await given.releases(own.id);
  assert.ok(release);
  await app.module.releases.recordEvidence(given.admin, { releaseId: release.id, type: 'sbom', digest: app.anyDigest });
  {
    await using _broken = await app.force.withoutTable('promotions');
    await wait(1);
    assert.equal((await given.candidate(own.id))?.attempts, 1);
  }
  await wait(1);
  assert.equal((await requestsOf(own)).length, 1);
  assert.equal((await given.candidate(own.id))?.state, 'done');
});

test('a release that finds an exclusive environment occupied is requested when it is free', async () => {
  const exclusive = await app.seed.environment({ isExclusive: true });
  const free = await app.seed.environment();
  const first = await requesting(exclusive);
  const [occupant] = await requestsOf(first);
  assert.ok(occupant);
  const second = await requesting(exclusive, free);
  await wait(50);
  const places = async () => (await requestsOf(second)).map(({ targetEnvironmentId }) => targetEnvironmentId);
  assert.deepEqual(await places(), [free.id], 'what is free is requested at once, and once');
  assert.match((await given.candidate(second.id))?.problem ?? '', /takes one product at a time/);
  await app.module.promotions.cancel(given.admin, { id: occupant.id, reason: 'Not this one.' });
  await wait(1);
  assert.deepEqual((await places()).toSorted(), [exclusive.id, free.id].toSorted());
  assert.equal((await given.candidate(second.id))?.state, 'done');
});
