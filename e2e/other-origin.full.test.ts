// A frontend of another origin: registered at the console, it signs people in and works by script alone.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { browserFor } from './browser.ts';
import { arrive, signInByKeyboard, userOf } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

/** The page of e2e/frontend.html, at an origin of its own. */
const serveFrontend = async () => {
  const html = await readFile(join(import.meta.dirname, 'frontend.html'));
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { origin, [Symbol.asyncDispose]: close };
};

const SCOPES = ['openid', 'profile', 'offline_access', 'release:read', 'orch:read'];

/** Registers a public client at the console's form. Returns its id. */
const register = async (admin: Page, origin: string): Promise<string> => {
  await admin.goto(`${product.credentials.baseUrl}/access/clients?ask=register`);
  const form = admin.getByRole('dialog', { name: 'Register a client' });
  await form.getByLabel('Name', { exact: true }).fill('Frontend');
  await form.getByLabel('As itself').uncheck();
  await form.getByLabel('Sign-in of people').check();
  await form.getByLabel('Refresh', { exact: true }).check();
  await form.getByLabel('Redirect URIs', { exact: true }).fill('http://127.0.0.1/');
  for (const scope of SCOPES) await form.getByLabel(scope, { exact: true }).check();
  await form.getByLabel('None: public client').check();
  assert.equal(await form.getByLabel('Secret (Basic)').isChecked(), false, 'a public client has no other method');
  await form.getByLabel('Web origins').fill(origin);
  await form.getByRole('button', { name: 'Register' }).click();
  await form.getByText('so it has no secret').waitFor();
  return (await form.locator('.code').first().innerText()).trim();
};

const worked = Type.Object({
  releases: Type.Integer(),
  username: Type.String(),
  feed: Type.String(),
  challenge: Type.String(),
  revoked: Type.Integer(),
});

test('a frontend of another origin signs people in, asks the graph and follows changes; other origins read nothing', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  await using frontend = await serveFrontend();
  await using stranger = await serveFrontend();
  const { credentials } = product;
  const { baseUrl, authUrl } = credentials;
  const clientId = await register(await arrive(browser, credentials, 'admin'), frontend.origin);
  const place = JSON.stringify({ baseUrl, authUrl, clientId, redirectUri: `${frontend.origin}/` });
  const manager = userOf(credentials, 'manager');

  const page = await (await browser.newContext()).newPage();
  await page.goto(frontend.origin);
  await page.evaluate(`frontend.signIn(${place})`);
  await page.getByLabel('User name').waitFor();
  await signInByKeyboard(page, manager);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL((url) => url.origin === frontend.origin && url.searchParams.has('code'));
  const { feed, challenge, ...rest } = Parse(worked, await page.evaluate(`frontend.work(${place})`));
  assert.deepEqual(rest, { releases: 1, username: manager.username, revoked: 200 });
  assert.match(feed, /event: ready/);
  assert.match(challenge, /error="invalid_token"/, 'the page reads how it was refused');

  const other = await (await browser.newContext()).newPage();
  await other.goto(stranger.origin);
  assert.deepEqual(await other.evaluate(`frontend.read(${place})`), ['rejected', 'rejected', 'rejected', 'rejected']);
});
