// Every built route in both themes and two widths: no barrier that axe finds, nothing that scrolls two ways on a phone,
// and the figures of a first load, printed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { PHONE, rounds, settled, visit, WIDE } from './console-pages.ts';
import { picture } from './looks.ts';
import { arrive } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('axe finds nothing on any page, in the light or in the dark, and each fits the width of a phone', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const found: string[] = [];
  const look = async (page: Page, name: string) => {
    const note = (where: string, list: readonly string[]) =>
      found.push(...list.map((barrier) => `${name} ${where}: ${barrier}`));
    note('in the light', await barriers(page));
    await picture(page, `${name}-light`);
    note('in the dark', await barriersInTheDark(page));
    await picture(page, `${name}-dark`);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    await settled(page);
    const width: unknown = await page.evaluate('document.documentElement.scrollWidth');
    if (Number(width) > PHONE.width) note('on a phone', [`${width} px wide`]);
    await picture(page, `${name}-phone`, { fullPage: true });
    await page.setViewportSize(WIDE);
  };
  for (const round of await rounds(product))
    await visit(browser, product.credentials, round, { colorScheme: 'light', viewport: WIDE, hasTouch: true }, look);
  assert.deepEqual(found, []);
});

interface State {
  readonly name: string;
  readonly path: string;
  /** Brings the page there; what it waits for is the state itself. */
  readonly enter: (page: Page) => Promise<void>;
}

/** Presses a key once the verb that it stands for is on the page. */
const dialogBy =
  (key: string, verb: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: verb }).first().waitFor();
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
  };

/** States that no address leads to. */
const states: readonly State[] = [
  { name: 'approving', path: '/inbox', enter: dialogBy('a', /^Approve/) },
  { name: 'rejecting', path: '/inbox', enter: dialogBy('r', /^Reject/) },
  { name: 'creating', path: '/releases', enter: dialogBy('c', 'Create release') },
  { name: 'creating-product', path: '/products', enter: dialogBy('c', 'Create product') },
  {
    name: 'editing-path',
    path: '/products',
    async enter(page) {
      await page.getByRole('link', { name: 'shop', exact: true }).click();
      await page.getByRole('button', { name: 'Edit path' }).click();
      await page
        .getByRole('button', { name: /^Edit the step/ })
        .last()
        .click();
      await page.getByRole('complementary', { name: /^Step / }).waitFor();
    },
  },
  { name: 'creating-environment', path: '/environments', enter: dialogBy('c', 'Create environment') },
  { name: 'adding-integration', path: '/integrations', enter: dialogBy('n', 'Add integration') },
  { name: 'saving-secret', path: '/integrations', enter: dialogBy('s', 'Save secret') },
  { name: 'trusting', path: '/integrations', enter: dialogBy('t', 'Trust a signer') },
  { name: 'checking-image', path: '/integrations', enter: dialogBy('i', 'Check an image') },
  { name: 'inviting', path: '/access', enter: dialogBy('c', 'Invite') },
  { name: 'registering-client', path: '/access/clients', enter: dialogBy('c', 'Register a client') },
  { name: 'narrowing', path: '/audit', enter: dialogBy('f', 'More filters') },
  { name: 'importing', path: '/search/quality', enter: dialogBy('i', 'Import a file') },
  { name: 'rebuilding', path: '/search/quality', enter: dialogBy('b', 'Rebuild') },
  { name: 'palette', path: '/', enter: dialogBy('Control+k', /^Go to/) },
  { name: 'help', path: '/', enter: dialogBy('?', /^Go to/) },
  {
    name: 'fault',
    path: '/',
    async enter(page) {
      await page.route('**/graphql*', (route) => route.abort());
      await page.goto(`${product.credentials.baseUrl}/environments`);
      await page.getByText('The environments could not be read.').waitFor();
    },
  },
  {
    name: 'loading',
    path: '/',
    async enter(page) {
      await page.unrouteAll();
      await page.route('**/graphql*', () => {});
      await page.goto(`${product.credentials.baseUrl}/deployments`);
      await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'visible' });
    },
  },
];

test('axe finds nothing in dialogs, a fault and a page that loads', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { colorScheme: 'light', reducedMotion: 'reduce' });
  const found: string[] = [];
  for (const { name, path, enter } of states) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${product.credentials.baseUrl}${path}`);
    await enter(page);
    found.push(...(await barriers(page)).map((barrier) => `${name}: ${barrier}`));
    await picture(page, `${name}-light`);
    found.push(...(await barriersInTheDark(page)).map((barrier) => `${name} in the dark: ${barrier}`));
    await picture(page, `${name}-dark`);
  }
  assert.deepEqual(found, []);
});

/** Watches from the first byte on what the figures are made of. */
const OBSERVERS = `
  globalThis.figures = { lcp: 0, cls: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) globalThis.figures.lcp = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.figures.cls += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

test('the figures of a first load of Today are told', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'approver', { viewport: { width: 1440, height: 900 } });
  await page.addInitScript(OBSERVERS);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  await cdp.send('Network.enable');
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(product.credentials.baseUrl);
  await settled(page);
  const figures: unknown = await page.evaluate('globalThis.figures');
  t.diagnostic(`first load ${Math.round(bytes / 1_000)} kB over the wire, ${JSON.stringify(figures)} (ms, score)`);
  assert.ok(bytes > 0);
});
