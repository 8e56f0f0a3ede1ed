import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import Type, { type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { browserFor } from './browser.ts';
import { clientOf } from './clients.ts';
import { approve, draftRelease, finalizeRelease, launch, requestPromotion } from './console-actions.ts';
import { deploymentId, repositoryOf } from './flows.fixture.ts';
import { arrive, mutate } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const Agent = Type.Object({ id: Type.String(), name: Type.String() });

test('a release that fails its health probe says why, with no click', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const manager = await arrive(browser, credentials, 'manager');
  const approver = await arrive(browser, credentials, 'approver', { path: '/inbox' });

  await draftRelease(manager, {
    name: 'shop',
    semver: '2.1.0',
    component: { name: 'api', repository: await repositoryOf(credentials, 'api'), tag: '1.1.0' },
  });
  await finalizeRelease(manager);
  const release = manager.url();
  await requestPromotion(manager, 'dev', 'New payment keys');
  await launch(manager, 'dev');
  await manager.getByText('2 verified', { exact: true }).waitFor();
  await manager.goto(release);
  await requestPromotion(manager, 'staging', 'New payment keys');
  await approve(approver, 'shop 2.1.0', 'staging');
  await launch(manager, 'staging');

  const causes = manager.getByRole('region', { name: 'Causes' }).or(manager.getByRole('table', { name: 'Causes' }));
  await causes.first().getByText('Health check failed').waitFor();
  const operator = await clientOf(credentials, 'operator');
  const { body } = await operator.get(`/api/v1/release-orchestrator/deployments/${deploymentId(manager.url())}`);
  assert.partialDeepStrictEqual(body, {
    status: 'Failed',
    failureAnatomy: { stage: 'health-probe', category: 'HealthCheckFailed', reason: 'probe-failed', retryable: false },
  });
});

/** Creates a product with a path of one step, and a target of its own there. */
const createMaps = async (admin: Page, environmentId: string): Promise<void> => {
  const { credentials } = product;
  const asked = async <S extends TSchema>(mutation: string, input: object, shape: S) =>
    Parse(shape, await mutate(admin, credentials, mutation, input));
  const operator = await clientOf(credentials, 'operator');
  const { body } = await operator.graph('{ agents { id name } }');
  const { agents } = Parse(Type.Object({ data: Type.Object({ agents: Type.Array(Agent) }) }), body).data;
  const { createProduct } = await asked(
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id version } }',
    { name: 'maps', components: [{ name: 'web', repository: await repositoryOf(credentials, 'web') }] },
    Type.Object({ createProduct: Type.Object({ id: Type.String(), version: Type.Integer() }) }),
  );
  await asked(
    'mutation ($input: SetProductPathInput!) { setProductPath(input: $input) { id } }',
    { id: createProduct.id, expectedVersion: createProduct.version, steps: [{ environmentId }] },
    Type.Object({}),
  );
  await asked(
    'mutation ($input: CreateTargetInput!) { createTarget(input: $input) { id } }',
    {
      environmentId,
      productId: createProduct.id,
      name: 'maps-1',
      driver: 'STATIC_SLOT',
      config: { slot: 'maps' },
      agentId: agents.find(({ name }) => name === 'harbour-2')?.id,
    },
    Type.Object({}),
  );
};

test('two products go their own ways to one environment at the same time, and neither takes the other’s place', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const admin = await arrive(browser, credentials, 'admin');
  await createMaps(admin, credentials.ids.environmentId ?? '');
  const [shop, maps] = [await arrive(browser, credentials, 'manager'), await arrive(browser, credentials, 'manager')];
  const approver = await arrive(browser, credentials, 'approver', { path: '/inbox' });
  const component = { name: 'web', repository: await repositoryOf(credentials, 'web'), tag: '1.3.0' };

  await draftRelease(shop, { name: 'shop', semver: '2.4.0', component });
  await finalizeRelease(shop);
  const release = shop.url();
  await requestPromotion(shop, 'dev', 'A page for winter');
  await launch(shop, 'dev');
  await shop.getByText('2 verified', { exact: true }).waitFor();
  await shop.goto(release);
  await requestPromotion(shop, 'staging', 'A page for winter');
  await draftRelease(maps, { name: 'maps', semver: '1.0.0', component });
  await finalizeRelease(maps);
  // Its path begins at staging: dev is no step of it.
  await requestPromotion(maps, 'staging', 'The first maps');
  await approve(approver, 'shop 2.4.0', 'staging');
  await approve(approver, 'maps 1.0.0', 'staging');
  await shop.getByText('Approved for staging, and not yet launched.').waitFor();
  await maps.getByText('Approved for staging, and not yet launched.').waitFor();
  await Promise.all([launch(shop, 'staging'), launch(maps, 'staging')]);
  const operator = await clientOf(credentials, 'operator');
  for (const page of [shop, maps]) {
    await page.getByText('1 verified', { exact: true }).waitFor();
    const { body } = await operator.get(`/api/v1/release-orchestrator/deployments/${deploymentId(page.url())}`);
    assert.partialDeepStrictEqual(body, { status: 'Completed', landingVerification: 'verified' });
  }
});

test('a viewer is shown the rule where others have the button', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', {
    path: `/releases/${product.credentials.ids.draftReleaseId}`,
  });
  await page.getByText('PERM_SCOPE_DENIED').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Finalize' }).count(), 0);
});
