// Signing in through another provider, from the console's door and back to the console.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { PROVIDER_CLIENT, startIdentityProvider } from './identity-provider.ts';
import { picture } from './looks.ts';
import { arrive, mutate, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';

const GROUP = 'Observers of the provider';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const CREATE = `mutation ($input: CreateIdentityProviderInput!) {
  createIdentityProvider(input: $input) { id redirectUri }
}`;
const created = Type.Object({
  createIdentityProvider: Type.Object({ id: Type.String(), redirectUri: Type.String() }),
});

/** Assigns a domain as the operator of the installation does, beside the running server. */
const assignDomain = async (domain: string): Promise<void> => {
  const args = ['gateway/cli/landfall.ts', 'tenant', 'domain', product.credentials.tenant, domain];
  const env = { ...process.env, LANDFALL_DATA_DIR: product.dataDir };
  await promisify(execFile)(process.execPath, args, { cwd: join(import.meta.dirname, '..'), env });
};

const press = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, page.getByRole('button', { name, exact: true }));
  await page.keyboard.press('Enter');
};

test('somebody comes to the console through their company’s provider', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const provider = await startIdentityProvider(GROUP);
  const admin = await arrive(browser, product.credentials, 'admin');
  const trust = {
    name: 'Example Identity',
    issuer: provider.issuer,
    clientId: PROVIDER_CLIENT.id,
    clientSecret: PROVIDER_CLIENT.secret,
    scopes: ['openid', 'profile', 'groups'],
    domains: ['corp.example'],
    createsUsers: true,
  };
  const { createIdentityProvider: made } = Parse(created, await mutate(admin, product.credentials, CREATE, trust));
  provider.allow(made.redirectUri);
  await assignDomain('corp.example');
  const team = { displayName: GROUP, roles: ['viewer'], sources: [made.id] };
  await mutate(
    admin,
    product.credentials,
    'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }',
    team,
  );

  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await page.goto(product.credentials.baseUrl);
  await page.getByLabel('User name').fill('ines@corp.example');
  await press(page, 'Continue with single sign-on');
  await page.locator('input[name=login]').fill('ines@corp.example');
  await page.locator('input[name=password]').fill('anything');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  assert.ok(page.url().startsWith(product.credentials.baseUrl));

  await provider[Symbol.asyncDispose]();
});

test('a refusal at the provider is a page in words, for everybody, with a way back', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const provider = await startIdentityProvider(GROUP);
  const admin = await arrive(browser, product.credentials, 'admin');
  const trust = {
    name: 'Second Identity',
    issuer: provider.issuer,
    clientId: PROVIDER_CLIENT.id,
    clientSecret: PROVIDER_CLIENT.secret,
    domains: ['second.example'],
  };
  const { createIdentityProvider: made } = Parse(created, await mutate(admin, product.credentials, CREATE, trust));
  provider.allow(made.redirectUri);
  await assignDomain('second.example');
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await page.goto(product.credentials.baseUrl);
  await page.getByLabel('User name').fill('nobody@second.example');
  await press(page, 'Continue with single sign-on');
  await page.getByRole('link', { name: /cancel/i }).click();
  await page.getByRole('heading', { name: 'You are not signed in through Second Identity', level: 1 }).waitFor();
  const found = [...(await barriers(page)), ...(await barriersInTheDark(page))];
  await picture(page, 'provider-refusal', { fullPage: true });
  assert.deepEqual(found, []);
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Sign in to Landfall', level: 1 }).waitFor();
  await provider[Symbol.asyncDispose]();
});
