// Pages before they have come to rest: keys that are pressed twice in one moment, and another entity that is still fetched.
import { after, before, test } from 'node:test';
import { browserFor } from './browser.ts';
import { arrive } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const pressed = (key: string): string =>
  `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`;

test('two presses in one moment swap a comparison twice', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl, ids } = product.credentials;
  const path = `/releases/${ids.releaseId}/compare/${ids.draftReleaseId}`;
  const page = await arrive(browser, product.credentials, 'viewer', { path });
  const swap = page.getByRole('button', { name: 'Swap sides' });
  await swap.waitFor();
  await page.evaluate(`${pressed('s')}; ${pressed('s')}`);
  await page.waitForURL(baseUrl + path);
  await swap.waitFor();
  await page.keyboard.press('s');
  await page.waitForURL(`${baseUrl}/releases/${ids.draftReleaseId}/compare/${ids.releaseId}`);
  await page.context().close();
});

test('the page of a product that is still fetched shows nothing of the one before', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  const headingOf = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  for (const name of ['shop', 'books']) {
    await page.getByRole('link', { name: 'Products', exact: true }).first().click();
    await page.getByRole('grid', { name: 'Products' }).getByRole('link', { name, exact: true }).click();
    await headingOf(name).waitFor();
  }
  await page.reload();
  await headingOf('books').waitFor();
  const { promise: isSeen, resolve: see } = Promise.withResolvers<void>();
  await page.route(/op=Product$/, async (route) => {
    await isSeen;
    await route.continue();
  });
  await page.evaluate('history.go(-2)');
  await headingOf('books').waitFor({ state: 'detached' });
  see();
  await headingOf('shop').waitFor();
  await page.context().close();
});
