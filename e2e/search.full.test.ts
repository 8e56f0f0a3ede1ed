// Search at the console: narrowed, opened, found in the palette, and measured.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';
import { arrive } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { box, card, said, sources } from './search.fixture.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('results are narrowed in the address, by what is there to narrow by, and widened by Esc', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/search?q=code' });
  await card(page, 'Document').waitFor();
  const narrow = page.getByRole('group', { name: 'Narrow results' });
  await narrow.getByRole('checkbox', { name: /^Critical/ }).check();
  await page.waitForURL(/severity=critical/);
  await card(page, 'Document').waitFor({ state: 'detached' });
  for (const item of await sources(page).locator('ol > li').all()) assert.match(await item.innerText(), /Critical/);

  // The address is the view.
  await page.reload();
  await sources(page).getByRole('listitem').first().waitFor();
  assert.ok(await narrow.getByRole('checkbox', { name: /^Critical/ }).isChecked());
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.search.includes('severity'));

  await page.goto(`${product.credentials.baseUrl}/search?q=minimist&severity=none`);
  await page.getByText('No results for “minimist” with Severity: None.').waitFor();
  await page.getByRole('button', { name: /^Clear filter/ }).click();
  await card(page, 'minimist').waitFor();
});

test('a card says why it is here, is said to help, and leads to the page of its thing', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/search?q=CVE-2021-44228' });
  const log4j = card(page, 'Log4j');
  await log4j.getByText('Why this result').click();
  await log4j.getByRole('rowheader', { name: 'Identifier match' }).waitFor();
  await log4j.getByRole('button', { name: /^It helped: / }).click();
  await log4j.getByText('Noted: helpful.').waitFor();

  await box(page).fill('shop 1.2.0');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=shop/);
  const release = sources(page).locator('a[data-open][href^="/releases/"]').first();
  await release.waitFor();
  const told = page.waitForRequest(
    (request) => request.url().includes('op=RecordSearchEvents') && /"CLICK"/.test(request.postData() ?? ''),
  );
  await release.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/releases\/[0-9a-f-]{36}/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await told;

  await page.goto(`${product.credentials.baseUrl}/search`);
  await page.getByRole('link', { name: 'CVE-2021-44228' }).waitFor();
  await page.getByRole('button', { name: 'Remove CVE-2021-44228' }).click();
  await page.getByRole('link', { name: 'CVE-2021-44228' }).waitFor({ state: 'detached' });
});

test('the palette finds: go to, act, then what search has, and the way to all of it', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await palette.getByRole('searchbox').or(palette.getByRole('textbox')).first().waitFor();
  await page.keyboard.type('minimist');
  const found = palette.getByRole('menuitem', { name: /minimist/i });
  await found.first().waitFor();
  await palette.getByRole('menuitem', { name: 'See all results for “minimist”' }).waitFor();
  assert.deepEqual(await barriers(page), []);
  // The first card has the keyboard at once; it has no page of its own, so that search shows it.
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/search\?q=minimist&card=/);
  await card(page, 'minimist').waitFor();

  await page.keyboard.press('Control+k');
  await palette.getByRole('searchbox').or(palette.getByRole('textbox')).first().waitFor();
  await page.keyboard.type('prototype pollution');
  await palette.getByRole('menuitem', { name: /^See all results/ }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/search\?q=prototype(%20|\+)pollution$/);
  await card(page, 'minimist').waitFor();
});

test('an answer that comes late never overwrites a newer one', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/search' });
  await box(page).waitFor();
  const [held, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/graphql?op=Search', async (route) => {
    const isOld = /"q":"log4j"/.test(route.request().postData() ?? '');
    if (isOld) await held.promise;
    // The page may have closed the connection.
    await route.continue().catch(() => undefined);
    if (isOld) passed.resolve();
  });
  const asked = page.waitForRequest((request) => /"q":"log4j"/.test(request.postData() ?? ''));
  await box(page).fill('log4j');
  await asked;
  await box(page).fill('minimist');
  await card(page, 'minimist').waitFor();
  held.resolve();
  await passed.promise;
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  assert.equal(await sources(page).getByText('Log4j 2').count(), 0);
  assert.match(await sources(page).innerText(), /minimist/);
});

/** A file of which one line is an advisory and another is none. */
const ADVISORIES = [
  {
    schema_version: '1.6.0',
    id: 'GHSA-2222-3333-4444',
    modified: '2026-01-01T00:00:00Z',
    aliases: ['CVE-2026-00077'],
    summary: 'Quayside leaks its mooring lines',
    details: 'A quayside that is told to cast off twice leaks its mooring lines.',
    affected: [{ package: { ecosystem: 'npm', name: 'quayside' }, ranges: [] }],
  },
]
  .map((advisory) => JSON.stringify(advisory))
  .concat('{"id": "broken",')
  .join('\n');

test('an administrator sees how search does, imports a file and rebuilds the index', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/search/quality' });
  const adapters = page.getByRole('table', { name: 'Source adapters' });
  await adapters.getByRole('row', { name: /^vex.*Snapshot/ }).waitFor();
  await page.getByText('Nobody').or(page.getByText('Queries without a result')).first().waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByText('24 hours').click();
  await page.waitForURL(/period=24h/);

  await page.keyboard.press('i');
  const form = page.getByRole('dialog', { name: 'Import a file' });
  await form.getByRole('button', { name: 'Import', exact: true }).click();
  await form.getByText('Choose a file.').waitFor();
  const file = { name: 'quayside.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(ADVISORIES) };
  await form.getByLabel('File', { exact: true }).setInputFiles(file);
  await form.getByRole('button', { name: 'Import', exact: true }).click();
  await form.getByText('One document was imported, 1 not read.').waitFor();
  await form.getByRole('rowheader', { name: 'quayside.ndjson, line 2' }).waitFor();
  await form.getByRole('button', { name: 'Close', exact: true }).click();

  await page.keyboard.press('b');
  await page.getByRole('dialog', { name: 'Rebuild the index' }).getByRole('button', { name: 'Rebuild' }).click();
  await said(page, /^Rebuilt: [\d,]+ chunks/);

  await page.goto(`${product.credentials.baseUrl}/search?q=CVE-2026-00077`);
  await card(page, 'Quayside leaks').waitFor();
});

test('who is no administrator is shown the rule in place of the figures', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager', { path: '/search/quality' });
  await page.getByText('PERM_SCOPE_DENIED').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Rebuild/ }).count(), 0);
});
