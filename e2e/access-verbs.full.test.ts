// Actions on groups, people, clients, keys and providers in the console, each by the keyboard and to its end.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright';
import { browserFor } from './browser.ts';
import { PROVIDER_CLIENT, startIdentityProvider } from './identity-provider.ts';
import { arrive, press, signInByKeyboard, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const dialog = (page: Page, title: string | RegExp): Locator => page.getByRole('dialog', { name: title });
const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, exact: true });

/** Puts these words in place of what stands in a field. */
const write = async (page: Page, field: Locator, words: string): Promise<void> => {
  await tabTo(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(words);
};

const admin = (browser: Browser, path: string): Promise<Page> =>
  arrive(browser, product.credentials, 'admin', { path });

const PASSWORD = 'seven quiet harbours';

/** Makes somebody with a password, and opens their page. */
const createPerson = async (page: Page, username: string, name: string): Promise<void> => {
  await page.goto(`${product.credentials.baseUrl}/access?ask=create`);
  const form = dialog(page, /password/);
  await write(page, form.getByLabel('User name'), username);
  await write(page, form.getByLabel('Password'), PASSWORD);
  await write(page, form.getByLabel('Name', { exact: true }), name);
  await press(page, form.getByRole('checkbox', { name: 'viewer' }), 'Space');
  await press(page, button(form, 'Create'));
  await press(page, page.getByRole('link', { name }));
  await page.getByRole('heading', { name, level: 1 }).waitFor();
};

test('a group is made with somebody in it, brings a role, and takes it along when it is deleted', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await admin(browser, '/access/groups');
  await button(page, 'Create a group').waitFor();
  await page.keyboard.press('c');
  const form = dialog(page, 'Create a group');
  await write(page, form.getByLabel('Name', { exact: true }), 'Harbour masters');
  await write(page, form.getByLabel('Find people'), 'Vera');
  await press(page, form.getByRole('checkbox', { name: /Vera Novak/ }), 'Space');
  await press(page, button(form, 'Create group'));
  await page.getByRole('row', { name: /Harbour masters.*gives no role.*1/ }).waitFor();

  await press(page, button(page, 'Roles of Harbour masters'));
  const roles = dialog(page, 'Roles of Harbour masters');
  await press(page, roles.getByRole('checkbox', { name: 'viewer' }), 'Space');
  await press(page, button(roles, 'Save'));
  await page.getByRole('row', { name: /Harbour masters.*viewer.*1/ }).waitFor();

  await press(page, button(page, 'Delete Harbour masters'));
  await press(page, button(dialog(page, 'Delete Harbour masters'), 'Delete group'));
  await page.getByRole('row', { name: /Harbour masters/ }).waitFor({ state: 'detached' });
});

test('a person without a role is told so; their name is changed; a reset ends their password and gives a link', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await admin(browser, '/access');
  await createPerson(page, 'otto', 'Otto Berg');
  const otto = await (await browser.newContext()).newPage();
  await otto.goto(product.credentials.baseUrl);
  await signInByKeyboard(otto, { username: 'otto', password: PASSWORD, scopes: [] });
  await otto.getByText('You have no role that can read this').waitFor();
  assert.equal(await otto.getByText('PERM_SCOPE_DENIED').count(), 0);

  await press(page, button(page, 'Edit…'));
  const form = dialog(page, 'Edit Otto Berg');
  await write(page, form.getByLabel('Name', { exact: true }), 'Otto Bergström');
  await press(page, form.getByRole('checkbox', { name: 'viewer' }), 'Space');
  await press(page, button(form, 'Save'));
  await page.getByRole('heading', { name: 'Otto Bergström', level: 1 }).waitFor();

  await press(page, button(page, 'Reset…'));
  const box = dialog(page, 'Reset Otto Bergström');
  await press(page, button(box, 'Reset'));
  const shown = box.getByRole('region', { name: 'Link', exact: true });
  await shown.waitFor();
  const link = (await shown.innerText()).trim();
  await press(page, button(box, 'Close'));
  // The reset has ended Otto's session: the page that was open is on its way to the sign-in page by itself.
  await otto.getByLabel('Password').waitFor();
  await otto.goto(link);
  await otto.getByLabel('New password').waitFor();
});

test('a client’s name and scopes are changed', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await admin(browser, '/access/clients');
  await page.getByRole('link', { name: 'operator' }).waitFor();
  await page.keyboard.press('c');
  const form = dialog(page, 'Register a client');
  await write(page, form.getByLabel('Name', { exact: true }), 'weekly');
  await press(page, form.getByRole('checkbox', { name: 'orch:read' }), 'Space');
  await press(page, button(form, 'Register'));
  await press(page, button(form, 'Close'));
  await press(page, page.getByRole('link', { name: 'weekly' }));
  await press(page, button(page, 'Edit…'));
  const edit = dialog(page, 'Edit weekly');
  await write(page, edit.getByLabel('Name', { exact: true }), 'monthly');
  // Folded, as long as nobody changes them.
  await press(page, edit.locator('summary'));
  await press(page, edit.getByRole('checkbox', { name: 'release:read' }), 'Space');
  await press(page, button(edit, 'Save'));
  await page.getByRole('heading', { name: 'monthly', level: 1 }).waitFor();
  await page.getByText('release:read').first().waitFor();
});

test('the signing key is not rotated while those who verify may not know the next one', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await admin(browser, '/access/keys');
  await press(page, button(page, 'Rotate…'));
  const box = dialog(page, 'Rotate the signing key');
  await press(page, button(box, 'Rotate key'));
  await box.getByText('less than an hour ago').waitFor();
});

test('a provider is trusted, corrected, disabled and deleted', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  await using provider = await startIdentityProvider('Nobody');
  const page = await admin(browser, '/access/sign-on');
  await button(page, 'Add a provider').waitFor();
  await page.keyboard.press('c');
  const form = dialog(page, 'Add a provider');
  await write(page, form.getByLabel('Issuer'), `${provider.issuer}/nowhere`);
  await write(page, form.getByLabel('Name', { exact: true }), 'Harbour login');
  await write(page, form.getByLabel('Client ID at the provider'), PROVIDER_CLIENT.id);
  await write(page, form.getByLabel('Client secret at the provider'), PROVIDER_CLIENT.secret);
  await press(page, button(form, 'Add provider'));
  await form.getByText('discovery document').nth(1).waitFor();
  await write(page, form.getByLabel('Issuer'), provider.issuer);
  await press(page, button(form, 'Add provider'));
  await form.getByRole('region', { name: 'Redirect URI' }).waitFor();
  await press(page, button(form, 'Close'));
  await page.getByRole('heading', { name: 'Harbour login' }).waitFor();

  await press(page, button(page, 'Edit Harbour login'));
  const edit = dialog(page, 'Edit Harbour login');
  await write(page, edit.getByLabel('Name', { exact: true }), 'Quay login');
  await press(page, button(edit, 'Save'));
  await press(page, button(page, 'Disable Quay login'));
  await press(page, button(dialog(page, 'Disable Quay login'), 'Disable provider'));
  await press(page, button(page, 'Delete Quay login'));
  await press(page, button(dialog(page, 'Delete Quay login'), 'Delete provider'));
  await page.locator('main').getByRole('heading', { name: 'Quay login' }).waitFor({ state: 'detached' });
});

test('the trail is a file, as far as the filter lets through', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await admin(browser, '/audit?type=user.signIn');
  const file = page.waitForEvent('download');
  await press(page, button(page, 'Download as CSV'));
  const [head, ...lines] = (await text(await (await file).createReadStream())).trim().split('\r\n');
  assert.equal(head, 'id,at,type,entity,entityId,version,actor,actorName,correlationId,data');
  assert.ok(lines.length > 0 && lines.every((line) => /,"?user\.signIn/.test(line)));
});

test('the account at the authority is in the menu of every page', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer');
  await press(page, page.getByRole('button', { name: /account menu$/ }));
  await press(page, button(page, 'Your account'));
  await page.waitForURL(`${product.credentials.authUrl}/account`);
});

test('the simulator begins with what tokens of the tenant say', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await admin(browser, '/access/registry');
  await page
    .getByLabel('Registry plan')
    .or(page.getByLabel('Plan', { exact: true }))
    .first()
    .waitFor();
  assert.equal(await page.locator('select[name=plan]').inputValue(), 'team');
  await write(page, page.getByLabel('Scope'), 'repository:shop/web:pull,push');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Access simulator' }).getByText('Yes', { exact: true }).first().waitFor();
});
