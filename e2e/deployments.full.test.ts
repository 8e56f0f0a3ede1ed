// The pages of a deployment under way, by the keyboard alone: chosen, launched, advanced, halted, retried, undone.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';
import { acknowledgeOutcomes, arrive, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import {
  addMetrics,
  changeEnvironment,
  changeTargets,
  createTestEnvironment,
  launchUntil,
  makeRelease,
  type TestEnvironment,
  untilStatus,
} from './test-environment.ts';

let product: Product;
let place: TestEnvironment;
before(async () => {
  product = await startProduct();
  place = await createTestEnvironment(product.credentials, `quay-${Date.now().toString(36)}`, 2);
  const { promotionId } = await makeRelease(place, '1.0.0', 'web:1.0.0');
  await launchUntil(place, promotionId, 'COMPLETED');
});
after(() => product[Symbol.asyncDispose]());

const deploymentOf = (page: Page): string => /\/deployments\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';

const deployPage = (releaseId: string): string => `/releases/${releaseId}/deploy?env=${place.id}`;

/** Presses the launch once it is on. */
const launch = async (page: Page): Promise<void> => {
  const button = page.getByRole('button', { name: /^Launch on/, disabled: false });
  await acknowledgeOutcomes(page, button);
  await page.keyboard.press('Escape');
  await page.locator('main').focus();
  await page.keyboard.press('l');
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/deployments\/[0-9a-f-]{36}/);
};

/** Presses the button that a key brings the focus to. */
const press = async (page: Page, key: string, name: string): Promise<void> => {
  const button = page.getByRole('button', { name, disabled: false }).first();
  await button.waitFor();
  await page.locator('main').focus();
  await page.keyboard.press(key);
  await tabTo(page, button);
  await page.keyboard.press('Enter');
};

/** Gives a reason in the dialog that a key opens. */
const reasoned = async (page: Page, key: string, title: RegExp, reason: string, verb: string): Promise<void> => {
  await page.locator('main').focus();
  await page.keyboard.press(key);
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByLabel('Reason').waitFor();
  const button = dialog.getByRole('button', { name: verb, exact: true, disabled: false });
  await button.waitFor();
  await tabTo(page, dialog.getByLabel('Reason'));
  await page.keyboard.type(reason);
  await tabTo(page, button);
  await page.keyboard.press('Enter');
};

/** Checks accessibility in both themes and on a phone, and that the page is no wider than the phone. */
const expectNoBarrier = async (page: Page, name: string): Promise<void> => {
  const found: string[] = [];
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    found.push(...(await barriers(page)).map((barrier) => `${name} ${colorScheme} ${width}: ${barrier}`));
    const wide: unknown = await page.evaluate('document.documentElement.scrollWidth');
    if (Number(wide) > width) found.push(`${name} ${width}: ${wide} px wide`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(found, []);
};

test('a canary is chosen and launched, waits at its gate, and is advanced to its end', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { id, what } = await makeRelease(place, '1.1.0', 'web:1.2.0');
  const page = await arrive(browser, product.credentials, 'manager', { path: deployPage(id) });
  await page.getByRole('radio', { name: 'All at once' }).waitFor();
  await tabTo(page, page.getByRole('radio', { name: 'All at once' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const steps = page.getByLabel('Steps, per cent');
  await tabTo(page, steps);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('50, 20');
  await page.getByText('whole numbers in ascending order up to 100').waitFor();
  await page.getByText('A strategy setting is not valid.').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('50, 100');
  const gates = page.getByText('Gate: opened by a person');
  await gates.nth(1).waitFor({ state: 'detached' });
  await gates.waitFor();
  assert.match(page.url(), /strategy=CANARY&steps=50%2C100/);
  await expectNoBarrier(page, 'deploy');
  await launch(page);

  await page.getByRole('heading', { name: 'Held at the gate after 1 Canary' }).waitFor();
  await page.getByText('50 % of the traffic goes to the new version.').waitFor();
  await expectNoBarrier(page, 'gate');
  await press(page, 'a', 'Advance');
  await page.getByText('2 verified', { exact: true }).waitFor();
  assert.equal(await page.title(), `${what} → ${place.name} · Landfall`);
  await expectNoBarrier(page, 'landed');
});

test('a canary is halted at its gate with a reason, which stays on its page', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { promotionId } = await makeRelease(place, '1.2.0', 'web:1.0.0');
  const job = await launchUntil(place, promotionId, 'PAUSED', {
    strategy: 'CANARY',
    params: { canarySteps: [10, 100] },
  });
  const page = await arrive(browser, product.credentials, 'manager', { path: `/deployments/${job}` });
  await page.getByRole('button', { name: /^Halt/ }).waitFor();
  await page.locator('main').focus();
  await page.keyboard.press('h');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Enter a reason').waitFor();
  await expectNoBarrier(page, 'halting');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await reasoned(page, 'h', /^Halt/, 'Four seconds to load', 'Halt');
  await page.getByText('Halted: “Four seconds to load”').waitFor();
  await page.getByText('Halted at a gate').waitFor();
  await untilStatus(place.client, job, 'FAILED');
  await expectNoBarrier(page, 'halted');
});

/** Answers the instant queries of the Prometheus HTTP API: with `value`, and with no series while there is none. */
const startMetrics = async (t: TestContext) => {
  const metrics: { value: number | undefined } = { value: undefined };
  const server = createServer((_, response) => {
    const at = Date.now() / 1000;
    const result = metrics.value === undefined ? [] : [{ metric: {}, value: [at, String(metrics.value)] }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const address = server.address();
  return { metrics, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` };
};

test('a gate shows what its metrics say: silence is no pass, and a failure halts', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { metrics, url } = await startMetrics(t);
  const integrationId = await addMetrics(place, url);
  await changeEnvironment(place, {
    analysis: { integrationId, query: 'error_share', max: 0.1, intervalSeconds: 1, passes: 50 },
  });
  const { promotionId } = await makeRelease(place, '1.2.1', 'web:1.3.0');
  const how = { strategy: 'CANARY', params: { canarySteps: [50, 100], gate: 'ANALYSIS' } };
  const job = await launchUntil(place, promotionId, 'PAUSED', how);
  const page = await arrive(browser, product.credentials, 'manager', { path: `/deployments/${job}` });
  await page.getByText('when the analysis passes, or by hand').waitFor();
  await page.getByText(/^0 passed, 0 failed, [1-9]\d* not answered\./).waitFor();
  metrics.value = 0.02;
  await page.getByText(/^[1-9]\d* passed, 0 failed, \d+ not answered\./).waitFor();
  await tabTo(page, page.getByText('Measurements as a table'));
  await page.keyboard.press('Enter');
  const table = page.getByRole('table', { name: 'Measurements' });
  await table.getByRole('row').filter({ hasText: 'Unknown' }).filter({ hasText: 'no answer' }).last().waitFor();
  await table.getByRole('row').filter({ hasText: 'Pass' }).filter({ hasText: '0.02' }).first().waitFor();
  await expectNoBarrier(page, 'analysis');
  metrics.value = 0.7;
  await page.getByText('Halted at a gate').waitFor();
  await page.getByText(/passed, 1 failed, /).waitFor();
  await untilStatus(place.client, job, 'FAILED');
});

test('an environment is rolled back, and both deployments say so', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { promotionId } = await makeRelease(place, '1.3.0', 'web:1.3.0');
  const job = await launchUntil(place, promotionId, 'COMPLETED');
  const page = await arrive(browser, product.credentials, 'manager', { path: `/deployments/${job}` });
  await page.getByRole('button', { name: /^Roll back/ }).waitFor();
  await page.locator('main').focus();
  await page.keyboard.press('b');
  const dialog = page.getByRole('dialog', { name: `in ${place.name}` });
  await dialog.getByRole('heading', { name: 'Changes' }).waitFor();
  await dialog.getByRole('rowheader', { name: 'web' }).waitFor();
  await expectNoBarrier(page, 'rolling back');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await reasoned(page, 'b', /^Roll back/, 'Cards from Norway fail', 'Roll back');
  await page.waitForURL((url) => !url.pathname.endsWith(job) && url.pathname.startsWith('/deployments/'));
  await page.getByText(/rolls back from .* to .*: “Cards from Norway fail”/).waitFor();
  await untilStatus(place.client, deploymentOf(page), 'COMPLETED');
  await page.getByText('2 verified', { exact: true }).waitFor();
  await expectNoBarrier(page, 'rollback');
  await tabTo(page, page.getByRole('link', { name: /^the deployment of/ }));
  await page.keyboard.press('Enter');
  await page.getByText('Rolled back', { exact: true }).waitFor();
  await page.getByRole('link', { name: /^the rollback to/ }).waitFor();
});

test('the targets are walked by arrows with one tab stop, and narrowed by how they stand', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', {
    path: `/deployments/${product.credentials.ids.failedDeploymentId}`,
  });
  const grid = page.getByRole('grid', { name: 'Targets' });
  await grid.waitFor();
  assert.equal(await grid.locator('button[tabindex="0"]').count(), 1);
  await page.locator('main').focus();
  await page.keyboard.press('t');
  await grid.locator('button:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/target=/);
});

test('who may not act is told the rule once, and has no button', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { promotionId } = await makeRelease(place, '1.5.0', 'api:1.2.0');
  await changeTargets(place, []);
  const job = await launchUntil(place, promotionId, 'PAUSED', { strategy: 'BLUE_GREEN' });
  const page = await arrive(browser, product.credentials, 'viewer', { path: `/deployments/${job}` });
  await page.getByText('Advance, Halt and Cancel: your role needs orch:operate.').waitFor();
  assert.equal(await page.getByText('PERM_SCOPE_DENIED').count(), 1);
  assert.equal(await page.getByRole('button', { name: /^(Advance|Halt|Cancel)/ }).count(), 0);
  await expectNoBarrier(page, 'not allowed');

  const manager = await arrive(browser, product.credentials, 'manager', { path: `/deployments/${job}` });
  await manager.getByRole('button', { name: /^Cancel/ }).waitFor();
  await reasoned(manager, 'c', /^Cancel/, 'Not today', 'Cancel deployment');
  await manager.getByText('Cancelled: “Not today”').waitFor();
  await untilStatus(place.client, job, 'CANCELLED');
  await manager.getByText('Cancelled', { exact: true }).first().waitFor();
});

test('a launch that comes too late is refused with what to do, and keeps what was chosen', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const late = await makeRelease(place, '1.6.0', 'web:1.2.0');
  const first = await makeRelease(place, '1.7.0', 'web:1.3.0');
  const path = `${deployPage(late.id)}&strategy=CANARY&steps=30,100`;
  const page = await arrive(browser, product.credentials, 'manager', { path });
  const button = page.getByRole('button', { name: /^Launch on/, disabled: false });
  await button.waitFor();
  const job = await launchUntil(place, first.promotionId, 'PAUSED', { strategy: 'BLUE_GREEN' });
  await page.locator('main').focus();
  await page.keyboard.press('l');
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  const refusal = page.getByRole('alert');
  await refusal.getByText('DEPLOY_IN_PROGRESS').waitFor();
  await refusal.getByText('Wait for the active deployment, or cancel it on its page.').waitFor();
  assert.equal(await page.getByLabel('Steps, per cent').inputValue(), '30, 100');
  await page.getByRole('link', { name: 'Open deployment' }).waitFor();
  await expectNoBarrier(page, 'refused');

  await page.goto(`${product.credentials.baseUrl}/deployments/${job}`);
  await page.getByRole('button', { name: /^Cancel/ }).waitFor();
  await reasoned(page, 'c', /^Cancel/, 'Made room', 'Cancel deployment');
  await untilStatus(place.client, job, 'CANCELLED');
});

// The last one: it makes an environment below the place, which every later release would have to land in first.
test('the cause of a failure is opened, and what may pass by itself is tried again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  // The interface never gets well with this key, and its deadline comes before its probe gives up.
  await changeTargets(place, [{ name: 'PAYMENT_KEY', value: 'pk1_old' }]);
  await changeEnvironment(place, { deployTimeoutSeconds: 10 });
  const { promotionId } = await makeRelease(place, '1.4.0', 'api:1.1.0');
  const job = await launchUntil(place, promotionId, 'FAILED');
  const beside = await createTestEnvironment(product.credentials, `mole-${Date.now().toString(36)}`, 1);
  await changeTargets(beside, [{ name: 'PAYMENT_KEY', value: 'pk1_old' }]);
  await changeEnvironment(beside, { deployTimeoutSeconds: 10 });
  const other = await makeRelease({ ...beside, name: place.name }, '1.4.1', 'api:1.1.0');
  await launchUntil(beside, other.promotionId, 'FAILED');
  await changeTargets(place, [{ name: 'PAYMENT_KEY', value: 'pk2_new' }]);
  await changeEnvironment(place, { deployTimeoutSeconds: 600 });

  const page = await arrive(browser, product.credentials, 'manager', { path: `/deployments/${job}` });
  const causes = page.getByRole('table', { name: 'Causes' });
  await causes.getByText('Timed out').waitFor();
  await page.locator('main').focus();
  await page.keyboard.press('j');
  const panel = page.getByRole('complementary', { name: `${place.name}-1` });
  await panel.getByText('The deployment did not end before its deadline.').waitFor();
  await panel.getByText('execution').waitFor();
  await expectNoBarrier(page, 'cause');

  // The same digests failed beside it as well: that is asked about, and the failure that is tried again is not.
  await press(page, 'r', 'Retry');
  const question = page.getByRole('dialog', { name: /^Retry/ });
  await question.getByText(new RegExp(`failed in .*${beside.name}.*. Launch anyway`)).waitFor();
  const again = question.getByRole('button', { name: 'Retry', exact: true });
  await tabTo(page, again);
  await page.keyboard.press('Enter');
  await question.getByText('Acknowledge the outcomes of these digests, or cancel.').waitFor();
  await acknowledgeOutcomes(page, again);
  await tabTo(page, again);
  await page.keyboard.press('Enter');
  await page.getByText('Retry of').waitFor();
  assert.notEqual(deploymentOf(page), job);
  await page.getByText('2 verified', { exact: true }).waitFor();
});
