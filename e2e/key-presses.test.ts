// Keys that are pressed before a page has come to rest: as soon as it is seen, twice in one moment, and while it loads.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browserFor } from './browser.ts';
import { arrive } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

/** Presses a key in the same task in which the page gets its heading, before the browser paints it. */
const pressAtHeading = (heading: string, key: string): string => `
  const observer = new MutationObserver(() => {
    if (document.querySelector('h1')?.textContent !== ${JSON.stringify(heading)}) return;
    observer.disconnect();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true }));
  });
  observer.observe(document, { childList: true, subtree: true, characterData: true });`;

test('a key that is pressed as soon as its page is seen runs its command', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin');
  await page.addInitScript(pressAtHeading('Products', 'c'));
  await page.goto(`${product.credentials.baseUrl}/products`);
  await page.getByRole('dialog', { name: 'Create product' }).waitFor();
  await page.context().close();
});

test('two presses in one moment swap a comparison twice', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl, ids } = product.credentials;
  const path = `/releases/${ids.releaseId}/compare/${ids.draftReleaseId}`;
  const page = await arrive(browser, product.credentials, 'viewer', { path });
  await page.getByRole('button', { name: 'Swap sides' }).waitFor();
  const addresses: string[] = [];
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  const press = `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', bubbles: true }))`;
  await page.evaluate(`${press}; ${press};`);
  await page.waitForFunction(`location.href === ${JSON.stringify(baseUrl + path)}`);
  await page.getByRole('region', { name: 'What changes' }).getByRole('row').first().waitFor();
  assert.equal(page.url(), baseUrl + path);
  assert.equal(addresses.at(-1), baseUrl + path);
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
