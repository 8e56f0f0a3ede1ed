import assert from 'node:assert/strict';
import { freePort } from '@landfall/agent/testing/free-port';
import { type CatalogueApp, catalogueApp, imageOf } from '../../testing/catalogue-app.ts';
import { serverProcess } from '../../testing/server-processes.ts';
import { ACTOR } from './poller.ts';

export const MINUTE = 60_000;

/** Starts the catalogue with the two environments of a path. */
export const sourcesApp = async (): Promise<CatalogueApp> => {
  const app = await catalogueApp();
  await app.seed.environment({ name: 'dev', stageKind: 'dev', orderIndex: 0 });
  await app.seed.environment({ name: 'prod', stageKind: 'prod', orderIndex: 100 });
  return app;
};

/** Creates a product with an image that was pushed and a source that requests at once. */
export const prepare = async (app: CatalogueApp, name: string) => {
  const operator = app.caller('operator');
  app.registry.push(`${name}/web`, imageOf(name), '1.0.0');
  const product = await app.module.products.create(operator, {
    name,
    components: [{ name: 'web', repository: app.registry.repository(`${name}/web`) }],
  });
  const source = await app.module.sources.create(operator, {
    productId: product.id,
    component: 'web',
    selection: { range: '*' },
    policy: 'request',
    debounceSeconds: 0,
  });
  return { product, source };
};

type Module = Pick<CatalogueApp['module'], 'runOnce'>;

/** Polls sources and assembles releases until nothing is left to do. */
export const work = async ({ runOnce }: Module): Promise<void> => {
  while ((await runOnce.sourcePoller()) + (await runOnce.releaseAssembler()) > 0);
};

/** Lists the releases of a product with the promotions of each. */
export const outcome = async (app: CatalogueApp, productId: string) => {
  const operator = app.caller('operator');
  const { items } = await app.module.releases.list(operator, { filter: { productId } });
  return Promise.all(
    items.map(async ({ id, semver, status }) => {
      const promotions = await app.module.promotions.list(operator, { filter: { releaseId: id } });
      return { semver, status, requestedBy: promotions.items.map(({ requestedBy }) => requestedBy) };
    }),
  );
};

/** Outcome of one set of images: one release, requested by the source. */
export const once = [{ semver: '1.0.0', status: 'ready', requestedBy: [ACTOR] }];

/** Kills a server at a failpoint while it follows a source, and checks that this process makes exactly one release. */
export const killAt = async (app: CatalogueApp, at: string): Promise<void> => {
  await using server = serverProcess();
  await server.dieAt(at);
  await server.serve({
    connection: app.connection,
    rootKey: app.rootKey.toString('base64'),
    port: await freePort(),
  });
  const { product } = await prepare(app, at.replace('.', '-'));
  assert.equal(await server.ended, 'SIGKILL');
  assert.notDeepEqual(await outcome(app, product.id), once, 'it died on the way');
  await work(app.module);
  await app.clock.advance(4 * MINUTE);
  await work(app.module);
  assert.deepEqual(await outcome(app, product.id), once);
  await app.clock.advance(10 * MINUTE);
  await work(app.module);
  assert.deepEqual(await outcome(app, product.id), once);
};
