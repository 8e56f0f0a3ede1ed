// Pages of the authority on the way to an application or a device, by the keyboard alone, without scripts, in both
// themes and on a phone.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { picture } from './looks.ts';
import { arrive, mutate, signInByKeyboard, tabTo, userOf } from './people.ts';
import { type Product, startProduct } from './product.ts';

/** The application that people come back to. */
const application = createServer((_, response) => response.end('You are back.'));
let callback = '';
let product: Product;
before(async () => {
  await once(application.listen(0, '127.0.0.1'), 'listening');
  const address = application.address();
  callback = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/callback`;
  product = await startProduct();
});
after(async () => {
  application.closeAllConnections();
  application.close();
  await product[Symbol.asyncDispose]();
});

const created = Type.Object({
  createClient: Type.Object({ client: Type.Object({ id: Type.String() }), secret: Type.String() }),
});
type Application = Static<typeof created>['createClient'];

const CREATE = 'mutation ($input: CreateClientInput!) { createClient(input: $input) { client { id } secret } }';

/** Registers an application as an administrator. */
const register = async (browser: Browser, input: object): Promise<Application> => {
  const page = await arrive(browser, product.credentials, 'admin');
  const data = await mutate(page, product.credentials, CREATE, input);
  await page.context().close();
  return Parse(created, data).createClient;
};

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

const press = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, page.getByRole('button', { name, exact: true }));
  await page.keyboard.press('Enter');
};

/** Checks accessibility of the page in both themes, and that it fits a phone. */
const lookAt = async (page: Page, name: string): Promise<void> => {
  await page.emulateMedia({ colorScheme: 'light' });
  const found = await barriers(page);
  await picture(page, `${name}-light`, { fullPage: true });
  found.push(...(await barriersInTheDark(page)));
  await picture(page, `${name}-dark`, { fullPage: true });
  await page.setViewportSize({ width: 320, height: 640 });
  const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual([found, overhang], [[], 0], name);
};

const authorizeUrl = ({ client }: Application, prompt = ''): string => {
  const url = new URL('/authorize', product.credentials.authUrl);
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url');
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: callback,
    scope: 'openid profile orch:read',
    state: 'st',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt,
  }))
    if (value !== '') url.searchParams.set(name, value);
  return url.href;
};

/** Parameters that return to the application. */
const wayBack = async (page: Page): Promise<URLSearchParams> => {
  await page.waitForURL((url) => url.href.startsWith(callback));
  return new URL(page.url()).searchParams;
};

test('a person is asked whether an application may have what it asks for, denies it, allows it, and is not asked again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const display = await register(browser, {
    name: 'Wall display',
    grants: ['AUTHORIZATION_CODE'],
    scopes: ['openid', 'profile', 'orch:read'],
    redirectUris: [callback],
    requiresConsent: true,
  });
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await page.goto(authorizeUrl(display));
  await signInByKeyboard(page, userOf(product.credentials, 'viewer'));
  await heading(page, 'Allow Wall display?');
  await page.getByText('See releases, environments and deployments').waitFor();
  await lookAt(page, 'consent');
  await press(page, 'Deny');
  const denied = await wayBack(page);
  assert.deepEqual([denied.get('error'), denied.get('state')], ['access_denied', 'st']);
  await page.goto(authorizeUrl(display));
  await press(page, 'Allow');
  const allowed = await wayBack(page);
  assert.deepEqual([allowed.has('code'), allowed.get('iss')], [true, product.credentials.authUrl]);
  await page.goto(authorizeUrl(display));
  assert.ok((await wayBack(page)).has('code'));
  await page.goto(authorizeUrl(display, 'select_account'));
  await lookAt(page, 'select-account');
  await tabTo(page, page.getByRole('button', { name: /^Continue as/ }));
  await page.keyboard.press('Enter');
  assert.ok((await wayBack(page)).has('code'));
  await page.context().close();
});

const deviceAnswer = Type.Object({ user_code: Type.String(), device_code: Type.String() });
const tokenAnswer = Type.Object({ error: Type.Optional(Type.String()), scope: Type.Optional(Type.String()) });

const ask = async (path: string, { client, secret }: Application, form: Record<string, string>): Promise<unknown> => {
  const response = await fetch(new URL(path, product.credentials.authUrl), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` },
    body: new URLSearchParams(form),
  });
  return response.json();
};

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

test('a device shows a code, a person types it without a script, approves, and the device has its tokens', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const terminal = await register(browser, {
    name: 'Rack terminal',
    grants: ['DEVICE_CODE'],
    scopes: ['openid', 'profile', 'orch:read'],
  });
  const device = Parse(deviceAnswer, await ask('/device_authorization', terminal, { scope: 'openid orch:read' }));
  const context = await browser.newContext({ reducedMotion: 'reduce', javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${product.credentials.authUrl}/device`);
  await page.getByLabel('Code').and(page.locator(':focus')).waitFor();
  // In one piece, as it is pasted: single keys were seen to arrive wrong on a busy machine.
  await page.keyboard.insertText(device.user_code.toLowerCase());
  await page.keyboard.press('Enter');
  await heading(page, 'Sign in to Landfall');
  await signInByKeyboard(page, userOf(product.credentials, 'viewer'));
  await heading(page, 'Connect Rack terminal?');
  await page.getByText('Only approve what you started yourself.').waitFor();
  await page.getByText(device.user_code, { exact: true }).waitFor();
  await press(page, 'Approve');
  await heading(page, 'The device is connected');
  await context.close();
  const tokens = await ask('/token', terminal, { grant_type: GRANT, device_code: device.device_code });
  assert.deepEqual(Parse(tokenAnswer, tokens), { ...Object(tokens), scope: 'openid orch:read' });
});

test('the pages of a device have no barrier, and what is typed wrong is said beside the field', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const terminal = await register(browser, {
    name: 'Bench terminal',
    grants: ['DEVICE_CODE'],
    scopes: ['openid', 'orch:read'],
  });
  const device = Parse(deviceAnswer, await ask('/device_authorization', terminal, { scope: 'openid orch:read' }));
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await page.goto(`${product.credentials.authUrl}/sign-in?to=device`);
  await signInByKeyboard(page, userOf(product.credentials, 'viewer'));
  await heading(page, 'Connect a device');
  await lookAt(page, 'device-code');
  await page.getByLabel('Code').focus();
  await page.keyboard.type('BCDF-GHJK');
  await page.keyboard.press('Enter');
  const error = page.getByRole('alert');
  await error.filter({ hasText: 'No device waits for that code' }).waitFor();
  assert.match((await page.getByLabel('Code').getAttribute('aria-describedby')) ?? '', /error/);
  await lookAt(page, 'device-code-wrong');
  await page.goto(`${product.credentials.authUrl}/device?user_code=${device.user_code}`);
  await lookAt(page, 'device-question');
  await press(page, 'Deny');
  await heading(page, 'The device is not connected');
  await lookAt(page, 'device-done');
  const refused = await ask('/token', terminal, { grant_type: GRANT, device_code: device.device_code });
  assert.equal(Parse(tokenAnswer, refused).error, 'access_denied');
  await page.context().close();
});
