import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';
import { PHONE, rounds, visit } from './console-pages.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('axe finds nothing on any page on a phone', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const found: string[] = [];
  for (const round of await rounds(product))
    await visit(
      browser,
      product.credentials,
      round,
      { colorScheme: 'light', viewport: PHONE, hasTouch: true },
      async (page, name) => void found.push(...(await barriers(page)).map((barrier) => `${name}: ${barrier}`)),
    );
  assert.deepEqual(found, []);
});
