// Release sources with their webhooks and refused candidates, ticket rules, and an environment that is in use.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { arrive, mutate, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const WINDOW = { width: 1440, height: 900 };
const Created = Type.Object({ createProduct: Type.Object({ id: Type.String() }) });
const Followed = Type.Object({
  product: Type.Object({ sources: Type.Array(Type.Object({ repository: Type.String() })) }),
});

/** Creates a product of a test's own with the component `pages`, whose images are the demo's books. */
const createProduct = async (page: Page): Promise<string> => {
  const { credentials } = product;
  const { booksProductId } = credentials.ids;
  const asked = `query { product(id: "${booksProductId}") { sources { repository } } }`;
  const books = Parse(Followed, await mutate(page, credentials, asked, {})).product.sources[0];
  assert.ok(books, 'the demo follows its books');
  const create = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }';
  const name = `harbour-${Date.now().toString(36)}`;
  const components = [{ name: 'pages', repository: books.repository }];
  return Parse(Created, await mutate(page, credentials, create, { name, components })).createProduct.id;
};

const press = async (page: Page, button: Locator): Promise<void> => {
  await tabTo(page, button);
  await page.keyboard.press('Enter');
};

test('a source is added by keyboard, shows what it refused, and follows the images once its range is right', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products', viewport: WINDOW });
  const id = await createProduct(page);
  await page.goto(`${product.credentials.baseUrl}/products/${id}`);
  await press(page, page.getByRole('button', { name: 'Add source…' }));
  const dialog = page.getByRole('dialog', { name: 'Add a release source' });
  await tabTo(page, dialog.getByRole('textbox', { name: 'Range' }));
  await page.keyboard.type('so much');
  await page.keyboard.press('Enter');
  await dialog.getByText('Is no range of semantic versions').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize(WINDOW);
  await dialog.getByRole('textbox', { name: 'Range' }).fill('^9');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });

  const sources = page.getByRole('table', { name: 'Release sources' });
  await sources.getByText('Nothing new selected').waitFor();
  await sources.getByText('Versions in ^9').waitFor();
  const refused = page.getByRole('table', { name: 'Refused candidates' });
  await refused.getByText(/^pages: None of \d+ versions is in \^9; the highest is 1\.1\.0\./).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize(WINDOW);

  await press(page, page.getByRole('button', { name: 'Edit the source of pages' }));
  const edit = page.getByRole('dialog', { name: 'Source of pages' });
  await edit.getByRole('textbox', { name: 'Range' }).fill('^1');
  await edit.getByLabel('Debounce in seconds').fill('0');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  await sources.getByText('Image selected').waitFor();
  await page.getByRole('region', { name: 'Newest set of images' }).getByText('Done').waitFor();
  await page.getByRole('table', { name: 'Releases' }).getByRole('link', { name: '1.1.0' }).waitFor();
  await press(page, page.getByRole('button', { name: 'Disable the source of pages' }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Disable source' }));
  await sources.getByText('Disabled').waitFor();
  await press(page, page.getByRole('button', { name: 'Remove the source of pages' }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Remove source' }));
  await page.getByText('No source. Releases of this product').waitFor();
  await page.context().close();
});

test('the URL and the secret of a webhook are shown once, and the registry that has them is heard', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl } = product.credentials;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products', viewport: WINDOW });
  const productId = await createProduct(page);
  const create = 'mutation ($input: CreateReleaseSourceInput!) { createReleaseSource(input: $input) { id } }';
  await mutate(page, product.credentials, create, { productId, component: 'pages', selection: { tag: '1.0.0' } });
  await page.goto(`${baseUrl}/products/${productId}`);
  await press(page, page.getByRole('button', { name: 'Webhook of the source of pages' }));
  const dialog = page.getByRole('dialog', { name: 'Webhook of pages' });
  await press(page, dialog.getByRole('button', { name: 'Create webhook' }));
  await dialog.getByText('The secret is shown this once.').waitFor();
  for (const registry of ['Docker Registry', 'Harbor', 'GHCR', 'GitLab', 'Quay'])
    await dialog.getByText(registry, { exact: true }).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize(WINDOW);
  const url = (await dialog.getByRole('region', { name: 'URL' }).textContent()) ?? '';
  const secret = (await dialog.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
  assert.ok(url.startsWith(`${baseUrl}/api/v1/webhooks/registries/`), url);
  const announce = async (authorization: string) =>
    (await page.request.post(url, { headers: { authorization }, data: { events: [] } })).status();
  assert.deepEqual([await announce(`Bearer ${secret}`), await announce('Bearer another')], [202, 401]);
  await press(page, dialog.getByRole('button', { name: 'Close' }).last());
  await press(page, page.getByRole('button', { name: 'Remove the webhook of the source of pages' }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Remove webhook' }));
  await page.getByRole('button', { name: 'Remove the webhook of the source of pages' }).waitFor({ state: 'detached' });
  assert.equal(await announce(`Bearer ${secret}`), 401);
  await page.context().close();
});

test('ticket rules of a product are tried, corrected where they are wrong, and saved', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products', viewport: WINDOW });
  const productId = await createProduct(page);
  await page.goto(`${product.credentials.baseUrl}/products/${productId}`);
  await page.getByText('The rules of the tenant apply.').waitFor();
  await press(page, page.getByRole('button', { name: 'Edit ticket rules…' }));
  const dialog = page.getByRole('dialog', { name: 'Ticket rules of this product' });
  await tabTo(page, dialog.getByLabel('Expression'));
  await page.keyboard.type('(SHOP');
  await tabTo(page, dialog.getByLabel('Link template'));
  await page.keyboard.type('https://tickets.example.com/browse/{key}');
  await page.keyboard.press('Enter');
  await dialog.getByText(/^Missing closing \)/).waitFor();
  await dialog.getByLabel('Expression').fill('SHOP-\\d+');
  await dialog.getByText('Found: SHOP-142').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize(WINDOW);

  // Another administrator saves first.
  const save = 'mutation ($input: SaveTicketRulesInput!) { saveTicketRules(input: $input) { version } }';
  const rules = [{ pattern: '#(\\d+)', linkTemplate: 'https://forge.example.com/issues/{key}' }];
  await mutate(page, product.credentials, save, { productId, expectedVersion: 0, rules });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText('These rules have been changed since you opened them.').waitFor();
  await dialog.getByRole('button', { name: 'Use the saved rules' }).click();
  await dialog.getByRole('button', { name: 'Add rule' }).click();
  await dialog.getByLabel('Expression').last().fill('SHOP-\\d+');
  await dialog.getByLabel('Link template').last().fill('https://tickets.example.com/browse/{key}');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const table = page.getByRole('table', { name: 'Ticket rules' });
  await table.getByText('SHOP-\\d+').waitFor();
  await table.getByText('#(\\d+)').waitFor();
  await page.goto(`${product.credentials.baseUrl}/integrations`);
  await page.getByText('No rule. Tickets are not found in commit messages.').waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.context().close();
});

test('an environment that is in use is not removed, and the refusal says where it is used', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl, ids } = product.credentials;
  const options = { path: `/environments/${ids.prodUsEnvironmentId}`, viewport: WINDOW };
  const page = await arrive(browser, product.credentials, 'admin', options);
  await press(page, page.getByRole('button', { name: 'Remove environment…' }));
  const dialog = page.getByRole('dialog', { name: 'Remove prod-us?' });
  await press(page, dialog.getByRole('button', { name: 'Remove environment' }));
  const uses = dialog.getByRole('region', { name: 'Uses of this environment' });
  await uses.getByRole('link', { name: 'prod-us-books' }).waitFor();
  await dialog.getByText('RES_CONFLICT').waitFor();
  const [list, button] = await Promise.all([
    uses.boundingBox(),
    dialog.getByRole('button', { name: 'Remove environment' }).boundingBox(),
  ]);
  assert.ok(list && button && list.y + list.height <= button.y, 'the uses are above the buttons');
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize(WINDOW);
  await uses.getByRole('link', { name: 'books', exact: true }).click();
  await page.waitForURL(`${baseUrl}/products/${ids.booksProductId}`);

  const create = 'mutation ($input: CreateEnvironmentInput!) { createEnvironment(input: $input) { id } }';
  const name = `berth-${Date.now().toString(36)}`;
  const Environment = Type.Object({ createEnvironment: Type.Object({ id: Type.String() }) });
  const input = { name, orderIndex: 100_000 + (Date.now() % 800_000), stageKind: 'TEST' };
  const { createEnvironment } = Parse(Environment, await mutate(page, product.credentials, create, input));
  await page.goto(`${baseUrl}/environments/${createEnvironment.id}`);
  await press(page, page.getByRole('button', { name: 'Remove environment…' }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Remove environment' }));
  await page.waitForURL(`${baseUrl}/environments`);
  await page.context().close();
});

test('lists and the estate are filtered by product', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl, ids } = product.credentials;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/releases', viewport: WINDOW });
  for (const [path, table] of [
    ['/releases', 'Releases'],
    ['/deployments', 'Deployments'],
    ['/custody', 'Custody'],
  ] as const) {
    await page.goto(`${baseUrl}${path}`);
    const rows = page.getByRole('table', { name: table });
    await rows
      .getByText(/shop 1\.0\.0/)
      .first()
      .waitFor();
    await page.getByLabel('Product', { exact: true }).selectOption({ label: 'books' });
    await rows
      .getByText(/shop 1\.0\.0/)
      .first()
      .waitFor({ state: 'detached' });
    await rows
      .getByText(/books 1\.0\.0/)
      .first()
      .waitFor();
    assert.match(page.url(), new RegExp(`product=${ids.booksProductId}`));
  }
  await page.goto(`${baseUrl}/estate?state=IN_SYNC&product=${ids.booksProductId}`);
  const placements = page.getByRole('table', { name: 'Placements' });
  await placements.getByRole('link', { name: 'books' }).first().waitFor();
  assert.equal(await placements.getByRole('link', { name: 'shop' }).count(), 0);
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});
