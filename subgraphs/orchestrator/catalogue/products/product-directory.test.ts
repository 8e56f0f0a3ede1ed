import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { buildIndex } from '@landfall/kernel/testing/oci-image';
import { catalogueApp, imageOf } from '../../testing/catalogue-app.ts';
import { productDirectory } from './product-directory.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const operator = app.caller('operator');
const acme = toTenantId('acme');

const productsOf = (digests: readonly string[], tenant = acme) =>
  app.deps.database.read(tenant, (query) => productDirectory.productsOfImages(query, tenant, digests));

test('an image is of the product with a finalized release of it, by its index and by its platforms', async () => {
  const [amd, arm64] = [imageOf('amd'), imageOf('arm64')].map((image, at) => ({
    ...image,
    platform: at === 0 ? 'linux/amd64' : 'linux/arm64',
  }));
  assert.ok(amd && arm64);
  const digest = app.registry.push('shop/multi', buildIndex([amd, arm64]), '1.0.0');
  const repository = app.registry.repository('shop/multi');
  const draft = await app.seed.draft({ components: [{ name: 'multi', repository, tag: '1.0.0', digest }] });
  assert.deepEqual(await productsOf([digest]), [], 'a draft is no release yet');
  const { productId } = await app.module.releases.finalize(operator, { id: draft.id, expectedVersion: draft.version });
  const found = await productsOf([digest, amd.digest, sha256('another image')]);
  assert.deepEqual(
    new Set(found.map((each) => `${each.digest} ${each.productId}`)),
    new Set([`${digest} ${productId}`, `${amd.digest} ${productId}`]),
  );
  assert.deepEqual(await productsOf([digest], toTenantId('globex')), []);
});

test('a product exists for its tenant only', async () => {
  const { productId } = await app.seed.draft();
  const exists = (id: typeof productId, tenant = acme) =>
    app.deps.database.read(tenant, (query) => productDirectory.exists(query, tenant, id));
  assert.equal(await exists(productId), true);
  assert.equal(await exists(productId, toTenantId('globex')), false);
  assert.equal(await exists(toId('00000000-0000-7000-8000-000000000000', 'Product')), false);
});
