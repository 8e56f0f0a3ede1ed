// Products: the path of one is set on its graph by keyboard. The full run has what else is done with them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import { faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { fresh } from './console-parts.ts';
import { arrive, mutate, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { CREATE, press } from './products.fixture.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

/** Waits until the element with this name, or this text, has the focus. */
const focused = async (page: Page, name: string): Promise<void> => {
  const named = page
    .getByLabel(name, { exact: true })
    .or(page.getByRole('heading', { name, exact: true }))
    .or(page.getByRole('button', { name, exact: true }));
  await page.locator(':focus').and(named).waitFor();
};

test('a path is set on its graph by keyboard, with its effect shown before it is saved', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const name = fresh('barge');
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  await mutate(page, product.credentials, CREATE, { name });
  await page.reload();
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('environments in order').waitFor();

  await page.keyboard.press('p');
  await page.getByRole('heading', { name: `Path of ${name}`, level: 1 }).waitFor();
  const effect = page.getByRole('region', { name: 'Effect of saving' });
  await effect.getByText('Nothing is changed yet.').waitFor();
  await press(page, 'Take staging out of the path');
  await effect.getByText('staging leaves the path.').waitFor();
  await effect.getByText('prod can be reached without staging.').waitFor();
  await effect.getByText('The product stops following the environments in order.').waitFor();
  await focused(page, 'Edit the step prod');
  await press(page, 'Add to the path');
  const panel = page.getByRole('complementary', { name: 'Step staging' });
  await panel.waitFor();
  await focused(page, 'Step staging');
  await page.keyboard.press('Escape');
  await focused(page, 'Edit the step staging');
  await page.keyboard.press('Enter');
  await panel.waitFor();
  await tabTo(page, panel.getByLabel('Labels of its targets'));
  await page.keyboard.type('region=eu');
  await effect.getByText('staging changes.').waitFor();
  await effect.getByText('staging has no target of this product yet.').waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  // A step that is less strict than its environment is refused where it stands.
  await press(page, 'Edit the step prod');
  const prod = page.getByRole('complementary', { name: 'Step prod' });
  await tabTo(page, prod.getByLabel('Approvals', { exact: true }));
  await page.keyboard.type('11');
  await press(page, 'Save path');
  await page.getByText('Enter a whole number from 0 to 10.').first().waitFor();
  await prod.getByLabel('Approvals', { exact: true }).fill('0');
  await press(page, 'Save path');
  await page.getByText('Less strict than the environment.').first().waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await prod.getByLabel('Approvals', { exact: true }).fill('');
  await press(page, 'Save path');
  await page.getByRole('status').filter({ hasText: 'The path is saved.' }).first().waitFor();
  await focused(page, 'Edit path');
  await page.keyboard.press('Enter');
  await press(page, 'Cancel');
  await focused(page, 'Edit path');
  await page.getByText('own path').waitFor();
  await page.getByText('Targets with region=eu').waitFor();
  await page.context().close();
});
