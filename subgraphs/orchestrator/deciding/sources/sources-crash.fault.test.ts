import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from '@landfall/agent/testing/free-port';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createOrchestrator } from '../../index.ts';
import { type CatalogueApp, catalogueApp, imageOf } from '../../testing/catalogue-app.ts';
import { serverProcess } from '../../testing/server-processes.ts';
import { ACTOR } from './poller.ts';

const MINUTE = 60_000;

let app: CatalogueApp;
before(async () => {
  app = await catalogueApp();
  await app.seed.environment({ name: 'dev', stageKind: 'dev', orderIndex: 0 });
  await app.seed.environment({ name: 'prod', stageKind: 'prod', orderIndex: 100 });
});
after(() => app[Symbol.asyncDispose]());

const operator = () => app.caller('operator');

/** Product with an image that was pushed and a source that requests at once. */
const prepare = async (name: string) => {
  app.registry.push(`${name}/web`, imageOf(name), '1.0.0');
  const product = await app.module.products.create(operator(), {
    name,
    components: [{ name: 'web', repository: app.registry.repository(`${name}/web`) }],
  });
  const source = await app.module.sources.create(operator(), {
    productId: product.id,
    component: 'web',
    selection: { range: '*' },
    policy: 'request',
    debounceSeconds: 0,
  });
  return { product, source };
};

type Module = Pick<CatalogueApp['module'], 'runOnce'>;

const work = async ({ runOnce }: Module): Promise<void> => {
  while ((await runOnce.sourcePoller()) + (await runOnce.releaseAssembler()) > 0);
};

/** Releases of a product with the promotions of each. */
const outcome = async (productId: string) => {
  const { items } = await app.module.releases.list(operator(), { filter: { productId } });
  return Promise.all(
    items.map(async ({ id, semver, status }) => {
      const promotions = await app.module.promotions.list(operator(), { filter: { releaseId: id } });
      return { semver, status, requestedBy: promotions.items.map(({ requestedBy }) => requestedBy) };
    }),
  );
};

const once = [{ semver: '1.0.0', status: 'ready', requestedBy: [ACTOR] }];

for (const at of ['sources.polled', 'sources.drafted', 'sources.resolved', 'sources.finalized'])
  test(`a server that is killed at ${at} leaves a set from which another makes one release`, async () => {
    await using server = serverProcess();
    await server.dieAt(at);
    await server.serve({
      connection: app.connection,
      rootKey: app.rootKey.toString('base64'),
      port: await freePort(),
    });
    const { product } = await prepare(at.replace('.', '-'));
    assert.equal(await server.ended, 'SIGKILL');
    assert.notDeepEqual(await outcome(product.id), once, 'it died on the way');
    await work(app.module);
    await app.clock.advance(4 * MINUTE);
    await work(app.module);
    assert.deepEqual(await outcome(product.id), once);
    await app.clock.advance(10 * MINUTE);
    await work(app.module);
    assert.deepEqual(await outcome(product.id), once);
  });

test('two servers at work make one release of each set', async () => {
  const other = createOrchestrator(app.deps, {
    platformDomain: 'landfall.example',
    agentUrl: 'https://127.0.0.1:4002',
    deploymentLogDays: 30,
    signingKeys: createSigningKeys(app.deps),
  });
  const prepared = await Promise.all(Array.from({ length: 6 }, (_, index) => prepare(`shared-${index}`)));
  for (let round = 0; round < 4; round++) {
    await Promise.all([work(app.module), work(other), work(app.module), work(other)]);
    await app.clock.advance(4 * MINUTE);
  }
  for (const { product } of prepared) assert.deepEqual(await outcome(product.id), once);
});

test('a candidate that outlives its lease is finished by another server, and the first changes nothing', async () => {
  await using server = serverProcess();
  await server.holdAt('sources.resolved');
  await server.serve({ connection: app.connection, rootKey: app.rootKey.toString('base64'), port: await freePort() });
  const { product } = await prepare('held');
  while ((await outcome(product.id)).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  while ((await outcome(product.id))[0]?.status === 'draft') {
    // The server may lease the candidate again, and stops at the failpoint again.
    await app.clock.advance(4 * MINUTE);
    await work(app.module);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(await outcome(product.id), once);
  await server.release('sources.resolved');
  await app.clock.advance(4 * MINUTE);
  await work(app.module);
  assert.deepEqual(await outcome(product.id), once);
});
