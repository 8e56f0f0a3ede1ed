// Forms under rough hands: slips, sessions that end, words without a space, and refusals in people's words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import { browserFor } from './browser.ts';
import { arrive, signInByKeyboard, userOf } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const WIDTHS = [1280, 390] as const;

const beginRelease = async (page: Page) => {
  await page.getByRole('button', { name: 'Create release' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create release' });
  await dialog.getByLabel('Version').waitFor();
  return dialog;
};

/** Pixels by which the page is wider than its window. */
const overflow = (page: Page): Promise<number> =>
  page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);

test('a slip closes no form that has words in it', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager', { path: '/releases' });
  const dialog = await beginRelease(page);
  await dialog.getByLabel('Notes').fill('Long thought over');

  await page.mouse.click(5, 5);
  await dialog.getByText('Your changes are not saved.').waitFor();
  await dialog.getByRole('button', { name: 'Continue editing' }).click();
  assert.equal(await dialog.getByLabel('Notes').inputValue(), 'Long thought over');

  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard changes' }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a refused form says what would fit, where it is wrong, and keeps its verbs in place', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager', {
    path: '/releases',
    // The whole form is in sight: nothing moves by scrolling.
    viewport: { width: 1280, height: 1400 },
  });
  const dialog = await beginRelease(page);
  await dialog.getByLabel('Version').fill('three');
  const create = dialog.getByRole('button', { name: 'Create draft' });
  await create.click();
  await dialog.getByText('A version has three numbers, such as 1.4.0 or 1.4.0-rc.1.').waitFor();
  assert.equal(
    await dialog
      .getByLabel('Name', { exact: true })
      .first()
      .evaluate((input) => input === input.ownerDocument.activeElement),
    true,
  );
  const before = await create.boundingBox();
  await create.click();
  await create.click();
  assert.deepEqual(await create.boundingBox(), before);
  assert.equal(await dialog.count(), 1);
});

test('a text that is too long is not cut, and says at once how many characters fit', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/products' });
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Create product' });
  const name = dialog.getByLabel('Name', { exact: true }).first();
  await name.fill('n'.repeat(70));
  await dialog.getByText('70 characters are too many. At most 64 fit.').waitFor();
  assert.equal((await name.inputValue()).length, 70);
  await dialog.getByRole('button', { name: 'Create product' }).click();
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  await dialog.getByLabel('Description').fill('d'.repeat(2001));
  await dialog.getByText('2,001 characters are too many. At most 2,000 fit.').waitFor();
  await name.fill('n'.repeat(64));
  await dialog.getByText('70 characters are too many.').waitFor({ state: 'detached' });
});

test('what was typed is there again after the session ended', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'manager', { path: '/releases' });
  const dialog = await beginRelease(page);
  await dialog.getByRole('button', { name: 'Add another component' }).click();
  await dialog.getByLabel('Version').fill('9.9.9');
  await dialog.getByLabel('Repository').last().fill('registry.example.com/second');
  await page.context().clearCookies();
  await dialog.getByRole('button', { name: 'Create draft' }).click();
  await page.getByLabel('User name').waitFor();
  await signInByKeyboard(page, userOf(credentials, 'manager'));

  await dialog.getByLabel('Version').waitFor();
  assert.equal(await dialog.getByLabel('Version').inputValue(), '9.9.9');
  assert.equal(await dialog.getByLabel('Repository').last().inputValue(), 'registry.example.com/second');
});

test('an empty rejection says what is missing', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'approver', { path: '/inbox' });
  await page.getByRole('button', { name: /^Reject/ }).waitFor();
  await page.keyboard.press('r');
  const reason = page.getByRole('dialog').getByLabel('Reason');
  await reason.waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('A rejection needs a reason.').waitFor();
  assert.equal(await reason.evaluate((area) => area === area.ownerDocument.activeElement), true);
});

test('words without a space widen no page', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager', { path: '/releases' });
  const dialog = await beginRelease(page);
  const name = 'n'.repeat(64);
  await dialog.getByLabel('Name', { exact: true }).first().fill(name);
  await dialog.getByLabel('Version').fill('1.0.0');
  await dialog.getByLabel('Name', { exact: true }).last().fill('c'.repeat(64));
  await dialog.getByLabel('Repository').fill(`registry.example.com/${'r'.repeat(200)}`);
  await dialog.getByLabel('Tag', { exact: true }).fill('t'.repeat(128));
  await dialog.getByLabel('Notes').fill('w'.repeat(400));
  await dialog.getByRole('button', { name: 'Create draft' }).click();
  const heading = page.getByRole('heading', { name: `${name} 1.0.0`, level: 1 });
  await heading.waitFor();
  const release = page.url();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(release);
    await heading.waitFor();
    assert.equal(await overflow(page), 0, `the release at ${width}`);
    await page.goto(`${product.credentials.baseUrl}/releases`);
    await page.getByRole('link', { name: `${name} 1.0.0` }).waitFor();
    assert.equal(await overflow(page), 0, `the releases at ${width}`);
  }
});

test('the token of an agent and its command stay in their box, and no slip loses them', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', {
    path: '/agents',
    viewport: { width: 1280, height: 900 },
  });
  await page.getByRole('button', { name: 'Register an agent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Register an agent' });
  await dialog.getByLabel('Agent name').fill('harbour-9');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const command = dialog.getByRole('region', { name: 'Command that starts the agent' });
  await command.getByText('subgraphs/agent/main.ts --server https://').waitFor();
  await command.getByText('--name harbour-9').waitFor();
  assert.equal(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth), 0);
  await page.mouse.click(5, 5);
  await dialog.getByRole('button', { name: 'Continue editing' }).waitFor();
});
