import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import Type, { type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { browserFor } from './browser.ts';
import { clientOf } from './clients.ts';
import {
  approve,
  draftRelease,
  finalizeRelease,
  launch,
  rejectPromotion,
  requestPromotion,
} from './console-actions.ts';
import { arrive, mutate, signInByKeyboard, userOf } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

/** The repository of a component of the demo's first release, which is the same for all of its releases. */
const repositoryOf = async (component: string): Promise<string> => {
  const operator = await clientOf(product.credentials, 'operator');
  const { body } = await operator.get(`/api/v1/release-orchestrator/releases/${product.credentials.ids.releaseId}`);
  const { components } = Parse(
    Type.Object({ components: Type.Array(Type.Object({ name: Type.String(), repository: Type.String() })) }),
    body,
  );
  return components.find(({ name }) => name === component)?.repository ?? '';
};

const Agent = Type.Object({ id: Type.String(), name: Type.String() });

const deploymentId = (url: string): string => /\/deployments\/([0-9a-f-]{36})/.exec(url)?.[1] ?? '';

test('two people take a release from draft to verified landings, by keyboard alone', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const manager = await arrive(browser, credentials, 'manager');
  const approver = await arrive(browser, credentials, 'approver', { path: '/inbox' });

  await draftRelease(manager, {
    name: 'shop',
    semver: '2.0.0',
    component: { name: 'web', repository: await repositoryOf('web'), tag: '1.3.0' },
  });
  await finalizeRelease(manager);
  const release = manager.url();
  await requestPromotion(manager, 'dev', 'A page for autumn');
  await launch(manager, 'dev');
  await manager.getByText('2 verified', { exact: true }).waitFor();

  await manager.goto(release);
  await requestPromotion(manager, 'staging', 'A page for autumn');
  await approve(approver, 'shop 2.0.0', 'staging');
  // The manager's page is not loaded again: the approval arrives on it.
  await manager.getByText('Approved for staging, and not yet launched.').waitFor();
  await launch(manager, 'staging');
  await manager.getByText('1 verified', { exact: true }).waitFor();

  const operator = await clientOf(credentials, 'operator');
  const { status, body } = await operator.get(
    `/api/v1/release-orchestrator/deployments/${deploymentId(manager.url())}`,
  );
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, { status: 'Completed', landingVerification: 'verified', failureAnatomy: null });
});

test('a release that fails its health probe says why, with no click', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const manager = await arrive(browser, credentials, 'manager');
  const approver = await arrive(browser, credentials, 'approver', { path: '/inbox' });

  await draftRelease(manager, {
    name: 'shop',
    semver: '2.1.0',
    component: { name: 'api', repository: await repositoryOf('api'), tag: '1.1.0' },
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
    { name: 'maps', components: [{ name: 'web', repository: await repositoryOf('web') }] },
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
  const component = { name: 'web', repository: await repositoryOf('web'), tag: '1.3.0' };

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

test('an approver rejects with a reason, and the request leaves the inbox of everybody', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const manager = await arrive(browser, credentials, 'manager', {
    path: `/releases/${credentials.ids.waitingReleaseId}`,
  });
  await manager.getByText('staging waits for approval.').waitFor();
  const approver = await arrive(browser, credentials, 'approver', { path: '/inbox' });

  await rejectPromotion(approver, 'shop 1.2.0', 'staging', 'Not before the weekend.');

  await manager.getByText('Rejected for staging').waitFor();
  const operator = await clientOf(credentials, 'operator');
  const query = 'query ($id: ID!) { promotion(id: $id) { state approvals { decision comment actor { username } } } }';
  const { body } = await operator.graph(query, { id: credentials.ids.promotionId });
  assert.partialDeepStrictEqual(body, {
    data: {
      promotion: {
        state: 'REJECTED',
        approvals: [{ decision: 'REJECTED', comment: 'Not before the weekend.', actor: { username: 'amir' } }],
      },
    },
  });
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

test('who signs out is asked for the password again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'viewer');
  await page.getByRole('button', { name: /account menu/ }).click();
  await page
    .getByRole('button', { name: 'Sign out' })
    .or(page.getByRole('menuitem', { name: 'Sign out' }))
    .click();
  await page.getByLabel('Password').waitFor();

  await page.goto(`${credentials.baseUrl}/releases`);
  await page.getByLabel('Password').waitFor();
});

test('a session that ended in the middle leads to the sign-in page and back to where it was', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'viewer', { path: '/releases?status=READY' });
  await page.getByRole('heading', { name: 'Releases', level: 1 }).waitFor();
  // Neither the console nor the authority knows this browser any more.
  await page.context().clearCookies();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByLabel('User name').waitFor();
  await signInByKeyboard(page, userOf(credentials, 'viewer'));
  await page.waitForURL(/\/deployments$/);
  await page.getByRole('heading', { name: 'Deployments', level: 1 }).waitFor();
});
