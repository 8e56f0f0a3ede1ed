import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserFor } from './browser.ts';

test('a Chromium is found that lays out a page and runs its script', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await browser.newPage();
  await page.setContent('<main><h1>Console</h1><output></output></main>');
  await page.evaluate("document.querySelector('output').textContent = 41 + 1");

  assert.equal(await page.getByRole('heading').textContent(), 'Console');
  assert.equal(await page.locator('output').textContent(), '42');
});
