// Every built route in both themes and two widths: no barrier that axe finds, nothing that scrolls two ways on a phone,
// and the figures of a first load, printed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { picture } from './looks.ts';
import { arrive } from './people.ts';
import { type Credentials, type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

type Route = readonly [name: string, path: string];

/** Every route of the console, and the states of them that have a look of their own. */
const places = ({ ids }: Credentials): readonly Route[] => [
  ['today', '/'],
  ['inbox', '/inbox'],
  ['releases', '/releases'],
  ['releases-filtered-empty', '/releases?name=nothing-of-this-name'],
  ['release', `/releases/${ids.releaseId}`],
  ['release-draft', `/releases/${ids.draftReleaseId}`],
  ['release-unknown', '/releases/01980000-0000-7000-8000-000000000000'],
  ['deploy', `/releases/${ids.waitingReleaseId}/deploy`],
  ['deploy-rolling', `/releases/${ids.waitingReleaseId}/deploy?strategy=ROLLING&batch=50`],
  ['deploy-canary', `/releases/${ids.waitingReleaseId}/deploy?strategy=CANARY&steps=25,100&gate=NONE`],
  ['deployments', '/deployments'],
  ['deployment', `/deployments/${ids.deploymentId}`],
  ['deployment-failed', `/deployments/${ids.failedDeploymentId}`],
  ['deployment-failed-target', `/deployments/${ids.failedDeploymentId}?target=${ids.targetId}`],
  ['deployment-halted', `/deployments/${ids.haltedDeploymentId}`],
  ['deployment-rollback', `/deployments/${ids.rollbackDeploymentId}`],
  ['environments', '/environments'],
  ['environment', `/environments/${ids.environmentId}`],
  ['environment-target', `/environments/${ids.devEnvironmentId}?target=${ids.driftedTargetId}`],
  ['environment-unknown', '/environments/01980000-0000-7000-8000-000000000000'],
  ['estate', '/estate'],
  ['estate-drift', '/estate?state=DRIFT'],
  ['estate-filtered-empty', '/estate?component=nothing-of-this-name'],
  ['custody', '/custody'],
  ['custody-filtered-empty', '/custody?name=nothing-of-this-name'],
  ['chain', `/custody/${ids.releaseId}`],
  ['chain-source', `/custody/${ids.releaseId}?link=source`],
  ['chain-deploy', `/custody/${ids.releaseId}?link=deploy`],
  ['chain-draft', `/custody/${ids.draftReleaseId}?link=run`],
  ['chain-unknown', '/custody/01980000-0000-7000-8000-000000000000'],
  ['agents', '/agents'],
  ['integrations', '/integrations'],
  ['access', '/access'],
  ['audit', '/audit'],
  ['search', '/search'],
  ['search-found', '/search?q=prototype%20pollution'],
  ['search-filtered-empty', '/search?q=prototype%20pollution&severity=none'],
  ['search-nothing', '/search?q=nothing-of-this-name'],
  ['settings', '/settings'],
  ['nowhere', '/nowhere'],
];

/** Routes that only an administrator sees. */
const guarded: readonly Route[] = [
  ['people', '/access'],
  ['people-filtered-empty', '/access?text=nobody-of-this-name'],
  ['clients', '/access/clients'],
  ['groups', '/access/groups'],
  ['sign-on', '/access/sign-on'],
  ['sessions', '/access/sessions'],
  ['keys', '/access/keys'],
  ['registry', '/access/registry?scope=repository:shop/web:pull,push'],
  ['trail', '/audit?type=user'],
  ['search-answered', '/search?q=prototype%20pollution'],
  ['search-quality', '/search/quality'],
];

/** Drawn: its heading is there, and nothing of it is loading. */
const settled = async (page: Page): Promise<void> => {
  await page.locator('main h1').first().waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
};

/** Reached from another page, since no address of theirs is known before. */
const doors = [
  ['agent', '/agents', 'harbour-1'],
  ['digest', '/estate?state=DRIFT', 'where else'],
] as const;

const guardedDoors = [
  ['person', '/access', 'Vera Novak'],
  ['client', '/access/clients', 'operator'],
] as const;

type Door = readonly [name: string, path: string, link: string];

/** A user's round through pages of the console. */
interface Rounds {
  readonly part: Parameters<typeof arrive>[2];
  readonly places: readonly Route[];
  readonly doors: readonly Door[];
}

const rounds = (): readonly Rounds[] => [
  { part: 'approver', places: places(product.credentials), doors },
  { part: 'admin', places: guarded, doors: guardedDoors },
];

const visit = async (
  browser: Browser,
  to: Rounds,
  options: Parameters<typeof arrive>[3],
  look: (page: Page, name: string) => Promise<void>,
) => {
  const page = await arrive(browser, product.credentials, to.part, { reducedMotion: 'reduce', ...options });
  for (const [name, path] of to.places) {
    await page.goto(`${product.credentials.baseUrl}${path}`);
    await settled(page);
    await look(page, name);
  }
  for (const [name, path, link] of to.doors) {
    await page.goto(`${product.credentials.baseUrl}${path}`);
    const from = page.url();
    await page.getByRole('link', { name: link }).first().click();
    await page.waitForURL((url) => url.pathname !== new URL(from).pathname);
    await settled(page);
    await look(page, name);
  }
  await page.context().close();
};

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

test('axe finds nothing on any page, in the light, in the dark and on a phone, whose width each page fits', async (t) => {
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
    note('on a phone', await barriers(page));
    await picture(page, `${name}-phone`, { fullPage: true });
    await page.setViewportSize(WIDE);
  };
  for (const round of rounds())
    await visit(browser, round, { colorScheme: 'light', viewport: WIDE, hasTouch: true }, look);
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
