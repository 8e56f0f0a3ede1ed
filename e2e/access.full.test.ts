// People and programs are let in, watched and stopped at the console, each step by the keyboard alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allowInsecureRequests, ClientSecretBasic, clientCredentialsGrant, discovery } from 'openid-client';
import type { Browser, Locator, Page } from 'playwright';
import { browserFor } from './browser.ts';
import { arrive, press, signInByKeyboard, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const dialog = (page: Page, title: string | RegExp): Locator => page.getByRole('dialog', { name: title });

const write = async (page: Page, field: Locator, words: string): Promise<void> => {
  await tabTo(page, field);
  await page.keyboard.type(words);
};

/** Text that a box shows once. */
const shownIn = async (box: Locator, name: string): Promise<string> => {
  const region = box.getByRole('region', { name, exact: true });
  await region.waitFor();
  return (await region.innerText()).trim();
};

const PASSWORD = 'seven quiet harbours';

/** Opens an invitation as whoever was invited, in a browser of their own, and signs in with what they chose. */
const comeIn = async (browser: Browser, link: string, username: string): Promise<Page> => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  await write(page, page.getByLabel('New password'), PASSWORD);
  await write(page, page.getByLabel('The same again'), PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
  await page.goto(product.credentials.baseUrl);
  await signInByKeyboard(page, { username, password: PASSWORD, scopes: [] });
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
};

test('a person is invited, comes in, is signed out, and the trail tells it', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const admin = await arrive(browser, credentials, 'admin');
  await admin.keyboard.press('g');
  await admin.keyboard.press('u');
  await admin.getByRole('link', { name: 'Vera Novak' }).waitFor();

  await admin.keyboard.press('c');
  const form = dialog(admin, 'Invite');
  await form.getByLabel('User name').waitFor();
  await admin.keyboard.type('Nora Lund');
  await write(admin, form.getByLabel('Name', { exact: true }), 'Nora Lund');
  await admin.keyboard.press('Enter');
  // A refused value is marked at its field, in plain words.
  await form.getByText('Lower-case letters, digits and').waitFor();
  const username = form.getByLabel('User name');
  await tabTo(admin, username);
  await admin.keyboard.press('Control+a');
  await admin.keyboard.type('nora');
  await admin.keyboard.press('Enter');
  const link = await shownIn(form, 'Link');
  await press(admin, form.getByRole('button', { name: 'Close' }));
  await admin.getByRole('row', { name: /Nora Lund.*Invited/ }).waitFor();

  const nora = await comeIn(browser, link, 'nora');
  // The administrator's page is not loaded again.
  await admin.getByRole('row', { name: /Nora Lund.*Active/ }).waitFor();

  await write(admin, admin.getByLabel('Find by name or e-mail'), 'nora');
  await admin.getByRole('link', { name: 'Vera Novak' }).waitFor({ state: 'detached' });
  assert.equal(new URL(admin.url()).search, '?text=nora');

  await press(admin, admin.getByRole('link', { name: 'Nora Lund' }));
  await admin.getByRole('heading', { name: 'Nora Lund', level: 1 }).waitFor();
  const person = admin.url();
  await press(admin, admin.getByRole('button', { name: 'End the session of Nora Lund' }));
  await press(admin, dialog(admin, /^End a session/).getByRole('button', { name: 'End session' }));
  await admin.getByText('No active sessions.').waitFor();
  await press(admin, admin.getByRole('button', { name: /^Revoke Landfall console/ }));
  await press(admin, dialog(admin, /^Revoke/).getByRole('button', { name: 'Revoke tokens' }));
  await admin.getByText('No active applications.').waitFor();
  // Her page notices by itself.
  await nora.getByLabel('Password').waitFor();

  await admin.goto(`${credentials.baseUrl}/audit?type=session.revoke`);
  const row = admin.getByRole('row', { name: /session\.revoke.*Ana Duarte/ }).first();
  await row.waitFor();
  await admin.goto(`${credentials.baseUrl}/audit?type=user.invite`);
  const invited = admin.getByRole('row', { name: /user\.invite.*Person.*Ana Duarte/ }).first();
  await press(admin, invited.getByRole('link', { name: /^Person/ }));
  await admin.getByRole('heading', { name: 'Nora Lund', level: 1 }).waitFor();
  assert.equal(new URL(admin.url()).pathname, new URL(person).pathname);
});

test('a client is registered, gets a token, and gets none once it is deactivated', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const admin = await arrive(browser, credentials, 'admin', { path: '/access/clients' });
  await admin.getByRole('link', { name: 'operator' }).waitFor();
  await admin.keyboard.press('c');
  const form = dialog(admin, 'Register a client');
  await form.getByLabel('Name', { exact: true }).waitFor();
  await admin.keyboard.type('nightly');
  await press(admin, form.getByRole('checkbox', { name: 'orch:read' }), 'Space');
  await press(admin, form.getByRole('button', { name: 'Register', exact: true }));
  const secret = await shownIn(form, 'Secret');
  const id = /[0-9a-f-]{36}/.exec(await form.innerText())?.[0] ?? '';
  await press(admin, form.getByRole('button', { name: 'Close' }));

  const configure = () =>
    discovery(new URL(credentials.authUrl), id, undefined, ClientSecretBasic(secret), {
      execute: [allowInsecureRequests],
    });
  const token = await clientCredentialsGrant(await configure(), { scope: 'orch:read' });
  const graph = (accessToken: string) =>
    fetch(`${credentials.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ environments { name } }' }),
    });
  assert.equal((await graph(token.access_token)).status, 200);

  await press(admin, admin.getByRole('link', { name: 'nightly' }));
  await admin.getByRole('heading', { name: 'nightly', level: 1 }).waitFor();
  await press(admin, admin.getByRole('button', { name: 'Deactivate…' }));
  await press(admin, dialog(admin, 'Deactivate nightly').getByRole('button', { name: 'Deactivate', exact: true }));
  await admin.getByText('It gets no tokens, and its earlier tokens are rejected.').waitFor();
  assert.equal((await graph(token.access_token)).status, 401);
  await assert.rejects(clientCredentialsGrant(await configure()), { status: 401 });
});

test('whether a caller may push is asked and answered with its reason, and the address keeps the question', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const admin = await arrive(browser, credentials, 'admin', { path: '/access/registry?plan=nowhere' });
  await write(admin, admin.getByLabel('Scope'), 'repository:shop/web:pull,push');
  await admin.keyboard.press('Enter');
  const answer = admin.getByRole('region', { name: 'Access simulator' });
  await answer.getByText('No', { exact: true }).first().waitFor();
  await answer.getByText(/^403/).waitFor();
  assert.match(admin.url(), /scope=repository/);
});

test('who may not administer is told so, and shown the way to what is theirs', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/access/clients' });
  const refused: string[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/graphql')) return;
    // The body of a response that a navigation aborted cannot be read.
    const text = await response.text().catch(() => '');
    if (text.includes('PERM_')) refused.push(response.url());
  });
  await page.getByText('your role needs authority:admin.').waitFor();
  await page.goto(`${product.credentials.baseUrl}/audit`);
  await page.getByText('your role needs authority:admin.').waitFor();
  await page.goto(`${product.credentials.baseUrl}/access`);
  await press(page, page.getByRole('link', { name: 'Your own sign-in and security' }));
  await page.getByRole('link', { name: 'Your account' }).waitFor();
  assert.deepEqual(refused, []);
});

test('a view of the trail is saved and is in the palette', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const admin = await arrive(browser, credentials, 'admin', { path: '/audit?type=user' });
  await admin
    .getByRole('row', { name: /user\.signIn/ })
    .first()
    .waitFor();
  await admin.keyboard.press('v');
  await dialog(admin, 'Save this view').getByLabel('Name').waitFor();
  await admin.keyboard.type('Comings and goings');
  await admin.keyboard.press('Enter');
  await dialog(admin, 'Save this view').waitFor({ state: 'detached' });

  await admin.goto(credentials.baseUrl);
  await admin.getByRole('heading', { level: 1 }).waitFor();
  await admin.getByRole('navigation', { name: 'Main' }).waitFor();
  await admin.waitForResponse((response) => response.url().includes('op=ViewCommands'));
  await admin.keyboard.press('Control+k');
  await admin.getByRole('dialog').waitFor();
  await admin.keyboard.type('Comings');
  await admin.getByRole('dialog').getByText('Comings and goings').first().waitFor();
  await admin.keyboard.press('Enter');
  await admin.waitForURL(/\/audit\?type=user/);
});

test('a passkey is made on the page where the authority has the same host, and removed', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'manager', { path: '/settings' });
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await press(page, page.getByRole('button', { name: 'Add a passkey' }));
  await dialog(page, 'Add a passkey').getByLabel('Name').waitFor();
  await page.keyboard.type('laptop');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^laptop/ }).waitFor();

  await press(page, page.getByRole('button', { name: 'Remove laptop' }));
  await press(page, dialog(page, 'Remove laptop').getByRole('button', { name: 'Remove passkey' }));
  await page.getByText('No passkeys yet.').waitFor();
});
