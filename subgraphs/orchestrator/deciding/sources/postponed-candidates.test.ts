import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Environment } from '../../catalogue/environments/environment.ts';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';
import { type Sources, sourcesOf } from './sources.fixture.ts';

const MINUTE = 60_000;

let app: CatalogueApp;
let sources: Sources;
before(async () => {
  app = await catalogueApp();
  sources = sourcesOf(app);
});
after(() => app[Symbol.asyncDispose]());

type Own = Awaited<ReturnType<Sources['product']>>;

/** Product whose path is these environments side by side, with a pushed image and a source that requests. */
const requesting = async (...environments: readonly Environment[]): Promise<Own> => {
  const own = await sources.product();
  const steps = environments.map(({ id }) => ({ environmentId: id, after: [] }));
  await app.module.products.setPath(sources.admin, { id: own.id, expectedVersion: own.version, steps });
  sources.push(own.path('web'), '1.0.0');
  await sources.source(own.id, { policy: 'request' });
  await sources.pass();
  return own;
};

const requestsOf = async ({ id }: Own) => {
  const [release] = await sources.releases(id);
  return (await app.module.promotions.list(sources.admin, { filter: { releaseId: release?.id } })).items;
};

/** Lets the longest pause pass, a number of times. */
const wait = async (times: number): Promise<void> => {
  for (let turn = 0; turn < times; turn++) {
    await app.clock.advance(5 * MINUTE);
    await sources.assemble();
  }
};

test('a release that waited for evidence for hours outlives an error that passes', async () => {
  const strict = await app.seed.environment({ requiredApprovals: 0, requiredEvidence: ['sbom'] });
  const own = await requesting(strict);
  await wait(50);
  const [release] = await sources.releases(own.id);
  assert.ok(release);
  await app.module.releases.recordEvidence(sources.admin, {
    releaseId: release.id,
    type: 'sbom',
    digest: app.anyDigest,
  });
  {
    await using _broken = await app.force.withoutTable('promotions');
    await wait(1);
    assert.equal((await sources.candidate(own.id))?.attempts, 1);
  }
  await wait(1);
  assert.equal((await requestsOf(own)).length, 1);
  assert.equal((await sources.candidate(own.id))?.state, 'done');
});

test('a release that finds an exclusive environment occupied is requested when it is free', async () => {
  const exclusive = await app.seed.environment({ isExclusive: true });
  const free = await app.seed.environment();
  const first = await requesting(exclusive);
  const [otherPromotion] = await requestsOf(first);
  assert.ok(otherPromotion);
  const second = await requesting(exclusive, free);
  await wait(50);
  const environments = async () => (await requestsOf(second)).map(({ targetEnvironmentId }) => targetEnvironmentId);
  assert.deepEqual(await environments(), [free.id], 'what is free is requested at once, and once');
  assert.match((await sources.candidate(second.id))?.problem ?? '', /takes one product at a time/);
  await app.module.promotions.cancel(sources.admin, { id: otherPromotion.id, reason: 'Not this one.' });
  await wait(1);
  assert.deepEqual((await environments()).toSorted(), [exclusive.id, free.id].toSorted());
  assert.equal((await sources.candidate(second.id))?.state, 'done');
});
