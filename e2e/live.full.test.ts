// Freshness of the console's data, and its notice of requests under way.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';
import { startFreezingProxy } from './frozen-server.ts';
import { arrive } from './people.ts';
import { type Product, startProduct } from './product.ts';
import {
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
  place = await createTestEnvironment(product.credentials, `mole-${Date.now().toString(36)}`, 2);
  const { promotionId } = await makeRelease(place, '1.0.0', 'web:1.0.0');
  await launchUntil(place, promotionId, 'COMPLETED');
});
after(() => product[Symbol.asyncDispose]());

test('a server that is frozen makes the page stale after two missed beats, and live again with what happened', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  await using proxy = await startFreezingProxy(product.credentials.baseUrl);
  const page = await arrive(browser, product.credentials, 'manager');
  await page.clock.install();
  await page.goto(`${proxy.origin}/releases`);
  const mark = page.getByRole('banner').getByRole('status');
  await mark.getByText('Live', { exact: true }).waitFor();

  proxy.freeze();
  await page.clock.fastForward(20_000);
  assert.equal(await mark.innerText(), 'Live');
  await page.clock.fastForward(15_000);
  await mark.getByText('Stale').waitFor();
  const { what } = await makeRelease(place, '1.0.1', 'web:1.0.0');
  // Tries to reconnect go on, and none of them says that the page is fresh.
  await page.clock.fastForward(20_000);
  assert.match(await mark.innerText(), /^Stale/);
  assert.equal(await page.getByText(what).count(), 0);

  proxy.thaw();
  await page.clock.fastForward(40_000);
  await mark.getByText('Live', { exact: true }).waitFor();
  await page.getByText(what).first().waitFor();
  await page.context().close();
});

test('a server that is behind with its own events has the header say by how much, at every width', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  await using proxy = await startFreezingProxy(product.credentials.baseUrl);
  const page = await arrive(browser, product.credentials, 'manager');
  await page.goto(`${proxy.origin}/`);
  const mark = page.getByRole('banner').getByRole('status');
  await mark.getByText('Live', { exact: true }).waitFor();
  proxy.tell('behind', { seconds: 130 });
  await mark.getByText('Live updates are behind by 2 min').waitFor();
  assert.deepEqual(await barriers(page), []);
  for (const width of [320, 390, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await mark
      .getByText(/ehind by 2 min/)
      .filter({ visible: true })
      .waitFor();
    const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    assert.ok(overflow <= 0, `${width}: ${overflow}`);
  }
  proxy.tell('behind', { seconds: 0 });
  await mark.getByText('Live', { exact: true }).waitFor();
  await page.context().close();
});

test('a canary that holds traffic is in progress on Today, with its share and who must act', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { promotionId, what } = await makeRelease(place, '1.1.0', 'web:1.2.0');
  const params = { canarySteps: [10, 100] };
  const job = await launchUntil(place, promotionId, 'PAUSED', { strategy: 'CANARY', params });
  const manager = await arrive(browser, product.credentials, 'manager');
  const row = manager.getByRole('table', { name: 'In progress' }).getByRole('row', { name: new RegExp(what) });
  await row.getByText('holds 10 % of the traffic').waitFor();
  await row.getByText('Your decision is needed').waitFor();
  await manager.getByLabel('Queues').getByText('In progress').waitFor();
  assert.deepEqual(await barriers(manager), []);
  for (const width of [320, 390, 768, 1024]) {
    await manager.setViewportSize({ width, height: 844 });
    await row.getByText('Your decision is needed').waitFor();
    const overflow = await manager.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    assert.ok(overflow <= 0, `${width}: ${overflow}`);
  }
  await manager.setViewportSize({ width: 1440, height: 900 });

  const viewer = await arrive(browser, product.credentials, 'viewer');
  const seen = viewer.getByRole('table', { name: 'In progress' }).getByRole('row', { name: new RegExp(what) });
  await seen.getByText(/^An operator must decide; launched by .+$/).waitFor();
  await viewer.context().close();

  await row.getByRole('link', { name: 'Review gate' }).click();
  await manager.getByRole('button', { name: 'Advance' }).first().click();
  await untilStatus(place.client, job, 'COMPLETED');
  await manager.goto(product.credentials.baseUrl);
  await manager.locator('main h1').first().waitFor();
  await row.waitFor({ state: 'detached' });
  await manager.context().close();
});
