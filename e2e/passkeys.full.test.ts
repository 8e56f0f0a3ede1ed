// People's own ways in: passkeys by Chromium's virtual authenticator, a second factor by its codes, and the look of the
// pages where they are managed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { picture } from './looks.ts';
import { createViewer, signInByKeyboard } from './people.ts';
import { type Product, startProduct } from './product.ts';

const STEP_MS = 30_000;

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

let created: ReturnType<typeof createViewer> | undefined;
/** User whose passkeys and second factor change here; no other file signs in as this user. */
const viewer = (page: Page) => {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  created ??= createViewer(browser, product.credentials, `olga-${Date.now().toString(36)}`);
  return created;
};

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Page> =>
  (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();

const open = (page: Page, path: string) => page.goto(`${product.credentials.authUrl}${path}`);

/** At the account, by the password. */
const atAccount = async (page: Page, path = '/account'): Promise<void> => {
  await open(page, path);
  await signInByKeyboard(page, await viewer(page));
  await page.getByRole('navigation', { name: 'Your account' }).waitFor();
};

const signOut = async (page: Page): Promise<void> => {
  await open(page, '/end-session');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'You are signed out').waitFor();
};

/** A device that unlocks for whoever asks, and keeps passkeys in itself. */
const withAuthenticator = async (page: Page) => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Puts the counter of its one passkey to `signCount`, as a copy that was made earlier has it. */
    async setCounter(signCount: number): Promise<void> {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      for (const credential of credentials) {
        const { credentialId } = credential;
        await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
        await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } });
      }
    },
  };
};

const byPasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click();

/** Field by its role; items of a closed menu have none. */
const nameField = (place: Page | Locator) => place.getByRole('textbox', { name: 'Name' });

const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words }).waitFor();
const refused = (page: Page) => page.getByRole('alert').filter({ hasText: 'That passkey is not known here' }).waitFor();

test('a passkey is added, signs in to the account and the console, and neither a copy nor a removed one does', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await openPage(browser);
  const authenticator = await withAuthenticator(page);
  await atAccount(page, '/account/passkeys');
  await nameField(page).fill('Test laptop');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await said(page, 'The passkey is added');
  await nameField(page).fill('Again');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await said(page, 'This device has a passkey for you already');

  await signOut(page);
  await open(page, '/account/passkeys');
  await byPasskey(page);
  await heading(page, 'Passkeys').waitFor();
  assert.match((await page.getByRole('list', { name: 'Passkeys' }).textContent()) ?? '', /Test laptop.*Used /s);

  await signOut(page);
  await page.goto(product.credentials.baseUrl);
  await byPasskey(page);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  await signOut(page);
  await authenticator.setCounter(1);
  await open(page, '/account/passkeys');
  await byPasskey(page);
  await refused(page);

  await authenticator.setCounter(1_000);
  await byPasskey(page);
  await heading(page, 'Passkeys').waitFor();
  await page.getByText('Change', { exact: true }).click();
  await nameField(page.getByRole('list', { name: 'Passkeys' })).fill('Old laptop');
  await page.getByRole('button', { name: 'Rename' }).click();
  await said(page, 'new name');
  await page.getByText('Change', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove Old laptop' }).click();
  await said(page, 'The passkey is removed');
  await signOut(page);
  await open(page, '/account');
  await byPasskey(page);
  await refused(page);
});

test('without scripts the sign-in page offers no passkey, and everything else works', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await openPage(browser, { javaScriptEnabled: false });
  await open(page, '/account');
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false);
  await signInByKeyboard(page, await viewer(page));
  await heading(page, 'Your account').waitFor();
  await open(page, '/account/passkeys');
  await page.getByText('To add a passkey, use a browser that knows them').waitFor();
});

/** TOTP code of a time step that no test has used yet. */
const codeOf = (() => {
  const used = new Set<string>();
  return async (words: string): Promise<string> => {
    const secret = Secret.fromBase32(words.replaceAll(' ', ''));
    for (;;) {
      const code = TOTP.generate({ secret });
      if (!used.has(code)) {
        used.add(code);
        return code;
      }
      await new Promise((resolve) => setTimeout(resolve, STEP_MS - (Date.now() % STEP_MS) + 50));
    }
  };
})();

const answerCode = async (page: Page, code: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Code' }).fill(code);
  await page.getByRole('button', { name: 'Go on' }).click();
};

test('a second factor is set up by its code, then asked for, and no code counts twice', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await openPage(browser);
  await atAccount(page, '/account/second-factor');
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  assert.deepEqual(await barriers(page), []);
  await picture(page, 'account-second-factor-set-up');
  const words = (await page.locator('.secret').textContent()) ?? '';
  const first = await codeOf(words);
  await page.getByRole('textbox', { name: 'Code' }).fill(first);
  await page.getByRole('button', { name: 'Turn the second factor on' }).click();
  await said(page, 'The second factor is on');
  const recovery = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
  assert.equal(recovery.length, 10);
  assert.deepEqual(await barriers(page), []);
  await picture(page, 'account-recovery-codes');

  const again = async (code: string): Promise<void> => {
    await signOut(page);
    await open(page, '/account/second-factor');
    await signInByKeyboard(page, await viewer(page));
    await heading(page, 'Enter your code').waitFor();
    assert.deepEqual(await barriers(page), []);
    await answerCode(page, code);
  };
  await again(first);
  await page.getByRole('alert').filter({ hasText: 'used already' }).waitFor();
  await answerCode(page, recovery[0] ?? '');
  await heading(page, 'Second factor').waitFor();
  await again(recovery[0] ?? '');
  await page.getByRole('alert').filter({ hasText: 'used already' }).waitFor();
  await answerCode(page, await codeOf(words));
  await heading(page, 'Second factor').waitFor();
  await page.getByText('9 recovery codes left').waitFor();
  assert.deepEqual(await barriers(page), []);
  await picture(page, 'account-second-factor-on');
  await page.getByRole('button', { name: 'Turn the second factor off' }).click();
  await said(page, 'The second factor is off');
});

const PAGES = ['', '/password', '/second-factor', '/passkeys', '/sessions', '/applications'] as const;
const WIDTHS = { wide: 1280, phone: 320 } as const;

for (const [name, width] of Object.entries(WIDTHS))
  test(`every page of the account is without barriers, light and dark, ${name}`, async (t) => {
    const browser = await browserFor(t);
    if (!browser) return;
    const page = await openPage(browser, { viewport: { width, height: 900 }, colorScheme: 'light' });
    await atAccount(page);
    for (const path of PAGES) {
      await page.emulateMedia({ colorScheme: 'light' });
      await open(page, `/account${path}`);
      const file = `account${path.replace('/', '-')}-${name}`;
      assert.deepEqual(await barriers(page), [], path);
      await picture(page, file, { fullPage: true });
      assert.deepEqual(await barriersInTheDark(page), [], path);
      await picture(page, `${file}-dark`, { fullPage: true });
      const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
      assert.ok(overflow <= 0, `${path} scrolls sideways by ${overflow}`);
    }
  });
