// One page of each area in both themes, without a barrier that axe finds; the full run looks at every page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { mainRound, visit, WIDE } from './console-pages.ts';
import { picture } from './looks.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('axe finds nothing on the main page of any area, in the light or in the dark', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const found: string[] = [];
  const options = { colorScheme: 'light', viewport: WIDE } as const;
  await visit(browser, product.credentials, mainRound(product), options, async (page, name) => {
    found.push(...(await barriers(page)).map((barrier) => `${name}: ${barrier}`));
    found.push(...(await barriersInTheDark(page)).map((barrier) => `${name} in the dark: ${barrier}`));
    await page.emulateMedia({ colorScheme: 'light' });
  });
  assert.deepEqual(found, []);
});

test('the sign-in page has no barrier in either theme', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    await page.goto(product.credentials.baseUrl);
    await page.getByLabel('Password').waitFor();
    found.push(...(await barriers(page)).map((barrier) => `${colorScheme}: ${barrier}`));
    await picture(page, `sign-in-${colorScheme}`);
    await context.close();
  }
  assert.deepEqual(found, []);
});
