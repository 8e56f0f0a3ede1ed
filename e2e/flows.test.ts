import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
import { deploymentId, repositoryOf } from './flows.fixture.ts';
import { arrive, signInByKeyboard, userOf } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('two people take a release from draft to verified landings, by keyboard alone', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const manager = await arrive(browser, credentials, 'manager');
  const approver = await arrive(browser, credentials, 'approver', { path: '/inbox' });

  await draftRelease(manager, {
    name: 'shop',
    semver: '2.0.0',
    component: { name: 'web', repository: await repositoryOf(credentials, 'web'), tag: '1.3.0' },
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
