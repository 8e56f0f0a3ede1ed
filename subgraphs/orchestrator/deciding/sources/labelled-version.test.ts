import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';
import { sourcesOf } from './sources.fixture.ts';

let app: CatalogueApp;
before(async () => {
  app = await catalogueApp();
});
after(() => app[Symbol.asyncDispose]());

const labelled = (version: string) =>
  buildImage({
    layers: [[{ path: 'app', content: version }]],
    config: { Labels: { 'org.opencontainers.image.version': version } },
  });

test('a release of a moving tag has the version of its image’s label, where that is a valid one', async () => {
  const input = sourcesOf(app);
  const { id, path } = await input.product();
  const move = async (version: string): Promise<string[]> => {
    app.registry.push(path('web'), labelled(version), 'stable');
    await input.pass();
    return (await input.releases(id)).map(({ semver }) => semver);
  };
  app.registry.push(path('web'), labelled('v2.3.0'), 'stable');
  const web = await input.source(id, { selection: { tag: 'stable' } });
  assert.deepEqual(await move('v2.3.0'), ['2.3.0']);
  assert.equal((await input.current(web)).selectedOrder, '2.3.0');
  assert.deepEqual(await move('nightly'), ['2.3.1', '2.3.0']);
  assert.deepEqual(await move('3.0.0-rc.1'), ['3.0.0-rc.1', '2.3.1', '2.3.0']);
});
