// Scans as people use them: a score explained, replayed and verified, findings filtered, reachability compared.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';
import { arrive, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { scanBill, seedScans } from './scanner.ts';

let product: Product;
let scans: Awaited<ReturnType<typeof seedScans>>;
before(async () => {
  product = await startProduct();
  scans = await seedScans(product);
});
after(() => product[Symbol.asyncDispose]());

const said = (page: Page, words: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();

const findings = (page: Page) => page.getByRole('table', { name: 'Findings' });
const rowOf = (page: Page, text: string) => findings(page).getByRole('row').filter({ hasText: text });

/** Number at the head of a row of the waterfall: what a factor adds. */
const numberIn = (text: string): number => Number(/[+-]?\d+\.\d+/.exec(text)?.[0]);

test('a scan is found by keyboard, replayed, and its proof verified in place', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin');
  await page.keyboard.press('g');
  await page.keyboard.press('x');
  await page.getByRole('heading', { name: 'Scans', level: 1 }).waitFor();
  await tabTo(page, page.getByRole('link', { name: 'quay-shop 1.1.0', exact: true }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'quay-shop 1.1.0', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Replay', exact: true }).waitFor();
  await page.keyboard.press('r');
  await said(page, /^Replayed: the score is 0\.\d+\. Its bundle verifies\./);

  const factors = page.getByRole('table', { name: 'Factors of the score' });
  const adds = await factors.locator('td[data-label="Adds"]').allInnerTexts();
  const sum = adds.reduce((total, text) => total + Math.round(numberIn(text) * 1_000_000), 0) / 1_000_000;
  await page.getByText(`equal to the score ${sum}`).waitFor();
  await factors.getByRole('rowheader', { name: 'Known exploited (KEV)' }).waitFor();

  await page
    .getByRole('button', { name: /^Verify the replay/ })
    .first()
    .click();
  await page.getByText('Valid', { exact: true }).first().waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.context().close();
});

test('a scan is found by the digest of its image, and a text that is no digest is said to be none', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const path = `/scans/${scans.ids.scanId}`;
  const page = await arrive(browser, product.credentials, 'viewer', {
    path: `/releases/${product.credentials.ids.releaseId}`,
  });
  const images = page.getByRole('region', { name: 'Scans of its images' });
  await images.getByRole('link').filter({ hasNotText: 'All scans' }).first().click();
  await page.waitForURL(`${product.credentials.baseUrl}${path}`);
  await page.getByRole('button', { name: 'Signed envelope (DSSE)' }).waitFor();
  // A viewer may read the proof and not make another one: the rule stands in its place.
  await page.getByText('PERM_SCOPE_DENIED').waitFor();
  assert.equal(await page.getByRole('button', { name: /^(Replay|Verify)/ }).count(), 0);

  await page.goto(`${product.credentials.baseUrl}/scans`);
  await page.getByLabel('Find by image digest').fill('latest');
  await page.getByText('This is no image digest').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'tide-gauge 7' }).waitFor();
  const image = page.getByRole('row').filter({ hasText: 'tide-gauge 7' });
  await image.getByText('not evaluated').waitFor();
  await page.context().close();
});

test('findings are filtered, and a row opens its detail in place', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const path = `/scans/${scans.ids.scanId}`;
  const page = await arrive(browser, product.credentials, 'viewer', { path });
  await rowOf(page, 'CVE-2026-92000').waitFor();
  await page.getByRole('button', { name: 'Known exploited', exact: true }).click();
  await rowOf(page, 'CVE-2026-92000').waitFor({ state: 'detached' });
  assert.match(page.url(), /kev=true/);
  await tabTo(page, rowOf(page, 'CVE-2026-91000').getByRole('button'));
  await page.keyboard.press('Enter');
  const detail = page.getByRole('region', { name: 'Detail of CVE-2026-91000' });
  await detail.getByText('The gate opens for a crafted header').waitFor();
  const steps = await detail.getByRole('list', { name: 'Path' }).getByRole('listitem').allInnerTexts();
  assert.deepEqual(steps, ['npm/quay-wall@2.0.0', 'npm/quay-gate@1.1.0']);
  assert.deepEqual(await barriers(page), []);

  // The address is the view: it opens the same way for somebody else.
  await page.reload();
  await detail.waitFor();
  await page.getByRole('button', { name: 'Low', exact: true }).click();
  await page.getByText('No finding matches these filters.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Find by vulnerability, title or package').fill('FENCE');
  await rowOf(page, 'CVE-2026-91000').waitFor({ state: 'detached' });
  await rowOf(page, 'CVE-2026-92000').waitFor();
  await page.context().close();
});

test('reachability is computed from a call graph and compared with another scan of the program', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: `/scans/${scans.ids.scanId}` });
  await page.getByRole('button', { name: 'Compute the reachability of the findings by the node call graph' }).click();
  // The page follows the change feed and is not loaded again.
  await page.getByText('1 reachable, 0 potentially, 1 unknown, 1 unreachable').waitFor();
  await rowOf(page, 'CVE-2026-91000').getByText('Reachable', { exact: true }).waitFor();

  await page.getByLabel('Base scan').waitFor();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('heading', { name: 'Drift of quay-shop 1.1.0', level: 1 }).waitFor();
  await page.getByText('parse now calls open.').waitFor();
  const unreachable = page.getByRole('article', { name: 'compare' });
  await unreachable.getByText('Tentative', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Became reachable', exact: true }).click();
  await unreachable.waitFor({ state: 'detached' });
  assert.match(page.url(), /direction=BECAME_REACHABLE/);
  assert.deepEqual(await barriers(page), []);
  await page.context().close();
});

test('a new scan appears in the list while it is read, and one of another tenant is not found', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/scans' });
  await page.getByRole('link', { name: 'quay-shop 1.0.0' }).waitFor();
  const name = `late-arrival-${Date.now()}`;
  const empty = { bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { type: 'application', name } } };
  await scanBill(scans.client, empty);
  await page.getByRole('link', { name }).waitFor();
  await page.goto(`${product.credentials.baseUrl}/scans/01980000-0000-7000-8000-000000000000`);
  await page.getByRole('heading', { name: 'This scan does not exist.' }).waitFor();
  await page.goto(`${product.credentials.baseUrl}/drift/01980000-0000-8000-8000-000000000000`);
  await page.getByRole('heading', { name: 'This drift does not exist.' }).waitFor();
  await page.context().close();
});

test('the signed manifest is taken along', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: `/scans/${scans.ids.baseScanId}` });
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Signed envelope (DSSE)' }).click(),
  ]);
  const envelope: unknown = JSON.parse(await text(await file.createReadStream()));
  assert.equal(Object(envelope).payloadType, 'application/vnd.svc.scan-manifest+json');
  await page.context().close();
});
