// Products: created, changed and removed, their path refused where it is wrong, and found in the portfolio.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { fresh } from './console-parts.ts';
import { arrive, mutate, signInByKeyboard, tabTo, userOf } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { CREATE, press } from './products.fixture.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('a product is created with its components, and edited', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const name = fresh('ferry');
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Create product' });
  await dialog.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.type(name);
  await tabTo(page, dialog.getByLabel('Labels'));
  await page.keyboard.type('tier');
  await tabTo(page, dialog.getByLabel('Releases may have declared components only'));
  await page.keyboard.press('Space');
  await tabTo(page, dialog.getByLabel('Name', { exact: true }).last());
  await page.keyboard.type('web');
  await tabTo(page, dialog.getByLabel('Repository'));
  await page.keyboard.type('registry.example.com/ferry/web');
  await page.keyboard.press('Enter');
  await dialog.getByText('A label is name=value').waitFor();
  // The rows come back when the declaration is taken back and made again.
  const declared = dialog.getByLabel('Releases may have declared components only');
  await declared.uncheck();
  await dialog.getByLabel('Repository').waitFor({ state: 'detached' });
  await declared.check();
  assert.equal(await dialog.getByLabel('Repository').inputValue(), 'registry.example.com/ferry/web');
  await dialog.getByLabel('Labels').focus();
  await dialog.getByLabel('Labels').fill('tier=1');
  await dialog.getByLabel('Labels').press('Enter');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('tier=1').waitFor();
  await page.getByText('registry.example.com/ferry/web').waitFor();
  await page.getByText(/^Nothing was deployed to .* in the last 30 days\.$/).waitFor();
  await page.getByRole('button', { name: '90 days' }).click();
  await page.getByText(/in the last 90 days\.$/).waitFor();
  assert.match(page.url(), /days=90/);
  assert.deepEqual(await faults(page), []);

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('e');
  const edit = page.getByRole('dialog', { name: `Edit ${name}` });
  await edit.getByLabel('Owner groups').fill('Payments, On call');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByText('Payments, On call').waitFor();
  await page.context().close();
});

test('removing a product says how many releases it has, and they say afterwards that they go no further', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl } = product.credentials;
  const name = fresh('raft');
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  const Created = Type.Object({ createProduct: Type.Object({ id: Type.String() }) });
  const { createProduct } = Parse(Created, await mutate(page, product.credentials, CREATE, { name }));
  const Draft = Type.Object({ createRelease: Type.Object({ id: Type.String() }) });
  const { createRelease } = Parse(
    Draft,
    await mutate(
      page,
      product.credentials,
      'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { id } }',
      { name, semver: '1.0.0' },
    ),
  );
  await page.goto(`${baseUrl}/products/${createProduct.id}`);
  await page.getByRole('button', { name: 'Remove…', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Remove ${name}` });
  await dialog.getByText('It has 1 release, which stays in the history and can no longer be promoted.').waitFor();
  await dialog.getByRole('button', { name: 'Remove product' }).click();
  await page.waitForURL(`${baseUrl}/products`);

  await page.goto(`${baseUrl}/releases/${createRelease.id}`);
  await page.getByText(`The product ${name} was removed: no release of it can be promoted any more.`).waitFor();
  await page.getByText('The product was removed and has no path any more.').waitFor();
  const main = page.getByRole('main');
  assert.equal(await main.getByRole('link', { name: 'Deploy', exact: true }).count(), 0);
  assert.equal(await main.getByRole('link', { name, exact: true }).count(), 0, 'the product has no page');
  assert.equal(await main.getByRole('button', { name: /^Finalize/ }).count(), 0);
  assert.deepEqual(await faults(page), []);
  await page.goto(`${baseUrl}/releases/${createRelease.id}/deploy`);
  await page.getByText('The product was removed and has no path any more.').waitFor();
  await page.goto(`${baseUrl}/releases`);
  await page
    .getByRole('row', { name: `${name} 1.0.0` })
    .getByText('Product removed')
    .waitFor();
});

const listed = Type.Object({ environments: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })) });

const PATH = 'mutation ($input: SetProductPathInput!) { setProductPath(input: $input) { id } }';

test('changes of a path are asked about before they are left, and made to the newest path', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const name = fresh('wharf');
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  await mutate(page, product.credentials, CREATE, { name });
  await page.reload();
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.keyboard.press('p');
  await press(page, 'Edit the step prod');
  const panel = page.getByRole('complementary', { name: 'Step prod' });
  await tabTo(page, panel.getByLabel('Labels of its targets'));
  await page.keyboard.type('region=eu');
  await page.keyboard.press('Escape');

  // Another person changes the path meanwhile.
  const { environments } = Parse(listed, await mutate(page, product.credentials, '{ environments { id name } }', {}));
  const [first, last] = ['dev', 'prod'].map((wanted) => environments.find((one) => one.name === wanted));
  assert.ok(first && last);
  const steps = [
    { environmentId: first.id, policy: { relaxes: false, requiredApprovals: 1 } },
    { environmentId: last.id, after: [first.id], policy: { relaxes: false } },
  ];
  await mutate(page, product.credentials, PATH, { id, expectedVersion: 1, steps });
  await page.getByText('The path was changed elsewhere meanwhile.').waitFor();
  await press(page, 'Use the newest path and keep the changes');
  await page.getByText('The path was changed elsewhere meanwhile.').waitFor({ state: 'detached' });
  const effect = page.getByRole('region', { name: 'Effect of saving' });
  await effect.getByText('prod changes.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Edit the step staging' }).count(), 0);

  await page.getByRole('link', { name: 'Products', exact: true }).first().click();
  const question = page.getByRole('dialog', { name: 'The path is not saved' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  await page.evaluate('history.back()');
  assert.deepEqual(await barriers(page), []);
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  await effect.getByText('prod changes.').waitFor();

  // The session ends: the changes are there again after the sign-in.
  await page.context().clearCookies();
  await press(page, 'Save path');
  await page.getByLabel('User name').waitFor();
  await signInByKeyboard(page, userOf(product.credentials, 'admin'));
  await effect.getByText('prod changes.').waitFor();
  await press(page, 'Save path');
  await page.getByRole('status').filter({ hasText: 'The path is saved.' }).first().waitFor();
  await page.getByText('Targets with region=eu').waitFor();
  await page.context().close();
});

test('a circle is refused and shown at its steps', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const name = fresh('buoy');
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  await mutate(page, product.credentials, CREATE, { name });
  await page.reload();
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.keyboard.press('p');
  await press(page, 'Edit the step dev');
  const panel = page.getByRole('complementary', { name: 'Step dev' });
  await tabTo(page, panel.getByLabel('prod', { exact: true }));
  await page.keyboard.press('Space');
  await page.getByText('Part of a circle').first().waitFor();
  await press(page, 'Save path');
  await page.getByText(/The path leads in a circle/).waitFor();
  await page.getByText('ENV_CIRCULAR_PROMOTION').waitFor();
  assert.deepEqual(await barriers(page), []);
  await press(page, 'Use the environments in order');
  await page.getByText('Part of a circle').first().waitFor({ state: 'detached' });
  await page.context().close();
});

test('the portfolio is filtered by owner, label and state, and walked by arrows', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const [one, other] = [fresh('quay'), fresh('pier')];
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  await mutate(page, product.credentials, CREATE, {
    name: one,
    ownerGroups: [one],
    labels: [{ name: 'berth', value: one }],
  });
  await mutate(page, product.credentials, CREATE, { name: other });
  await page.reload();
  const grid = page.getByRole('grid', { name: 'Products' });
  await grid.getByRole('link', { name: one, exact: true }).waitFor();
  await grid.getByRole('link', { name: other, exact: true }).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByLabel('Owner group').selectOption(one);
  await grid.getByRole('link', { name: other, exact: true }).waitFor({ state: 'detached' });
  assert.match(page.url(), /owner=quay/);
  await page.keyboard.press('Escape');
  await grid.getByRole('link', { name: other, exact: true }).waitFor();
  await page.getByLabel('Label', { exact: true }).selectOption(`berth=${one}`);
  await grid.getByRole('link', { name: other, exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Failed' }).click();
  await page.getByText('No product matches these filters.').waitFor();
  await page.getByRole('button', { name: /Clear filter/ }).click();

  const shop = grid.getByRole('link', { name: 'shop', exact: true });
  await shop.focus();
  // The first environments may be those of other tests, where nothing of the shop is.
  const open = grid.locator('a[data-cell]:focus:not([href^="/products"])');
  for (let column = 0; column < 20 && (await open.count()) === 0; column++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/(deployments|inbox|releases|estate)/);
  await page.context().close();
});

test('a label that is none is refused with a notice, and filters nothing', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/products?label=berth' });
  // The notice goes by itself: it is looked for before the page's rows.
  await page.getByRole('status').filter({ hasText: 'label' }).first().waitFor();
  await page.getByRole('grid', { name: 'Products' }).getByRole('link', { name: 'shop', exact: true }).waitFor();
  assert.equal(
    await page
      .getByLabel('Label', { exact: true })
      .filter({ hasText: /^berth$/ })
      .count(),
    0,
  );
  await page.context().close();
});

test('the product of a new target stays chosen while another product is created', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/environments' });
  await page.getByRole('link', { name: 'dev', exact: true }).first().click();
  await page.getByRole('heading', { name: 'dev', level: 1 }).waitFor();
  await page.keyboard.press('c');
  const choice = page.getByRole('dialog').getByLabel('Product', { exact: true });
  await choice.selectOption({ label: 'shop' });
  // It comes before the chosen one, where a choice by place would move.
  const name = fresh('abbey');
  await mutate(page, product.credentials, CREATE, { name });
  await choice.locator('option', { hasText: name }).waitFor({ state: 'attached' });
  assert.equal(await choice.locator('option:checked').textContent(), 'shop');
  await page.context().close();
});

test('who may only read sees the rule in place of the verbs', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/products' });
  await page.getByRole('link', { name: 'shop', exact: true }).click();
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
  await page.getByText('your role needs orch:admin').waitFor();
  assert.equal(await page.getByRole('button', { name: /^(Edit|Remove)/ }).count(), 0);
  await page.context().close();
});
