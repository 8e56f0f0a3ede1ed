import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';

const PAGE = `<!doctype html><html lang="en"><head><title>Quay</title><style>
  @media (prefers-color-scheme: dark) { body { background: black } p { color: #333 } }
</style></head><body><main><h1>Quay</h1><img src="data:,"><p>Moored</p></main></body></html>`;

test('axe names a barrier of the page, and one that only the dark theme has', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await browser.newPage({ colorScheme: 'light' });
  await page.setContent(PAGE);
  assert.deepEqual(await barriers(page), ['image-alt img <img src="data:,">']);
  assert.deepEqual(await barriersInTheDark(page), ['color-contrast p <p>Moored</p>']);
});

test('axe refuses a page whose frames it would not read', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await browser.newPage();
  await page.setContent('<iframe srcdoc="<p>Moored</p>"></iframe>');
  await assert.rejects(barriers(page), /main frame only/);
});
