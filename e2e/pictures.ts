// Takes the pictures of README.md from a running demo: `node_modules/.bin/node e2e/pictures.ts`.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchBrowser } from './browser.ts';
import { arrive } from './people.ts';
import { startProduct } from './product.ts';

const PICTURES = join(import.meta.dirname, '../docs/images');
const WINDOW = { viewport: { width: 1440, height: 810 }, colorScheme: 'light', reducedMotion: 'reduce' } as const;

await mkdir(PICTURES, { recursive: true });
await using product = await startProduct();
const { credentials } = product;
const browser = await launchBrowser();
try {
  const page = await arrive(browser, credentials, 'approver', WINDOW);
  for (const [name, path] of [
    ['today', '/'],
    ['inbox', '/inbox'],
    ['release', `/releases/${credentials.ids.releaseId}`],
    ['deployment', `/deployments/${credentials.ids.failedDeploymentId}?target=${credentials.ids.targetId}`],
    ['product', `/products/${credentials.ids.booksProductId}`],
    ['custody', `/custody/${credentials.ids.releaseId}`],
    ['search', `/search?q=${encodeURIComponent('why did shop 1.1.0 fail')}`],
  ] as const) {
    await page.goto(`${credentials.baseUrl}${path}`);
    await page.locator('main h1').first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
} finally {
  await browser.close();
}
