// People at the console: a browser context each, signed in by the keyboard.
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import type { Credentials } from './product.ts';

/** Parts that the demo's people play, by their permissions in `credentials.json`. */
type Part = 'manager' | 'approver' | 'viewer' | 'admin';

const isPart: Readonly<Record<Part, (scopes: readonly string[]) => boolean>> = {
  admin: (scopes) => scopes.includes('authority:admin'),
  manager: (scopes) => scopes.includes('orch:operate') && !scopes.includes('orch:approve'),
  approver: (scopes) => scopes.includes('orch:approve') && !scopes.includes('orch:operate'),
  viewer: (scopes) => !scopes.some((scope) => /^orch:(operate|approve|admin)$/.test(scope)),
};

export const userOf = ({ users }: Credentials, part: Part): Credentials['users'][number] => {
  const user = users.find(({ scopes }) => isPart[part](scopes));
  if (!user) throw new Error(`The demo has no ${part}.`);
  return user;
};

/** Fills the sign-in page that is open, without a mouse. */
export const signInByKeyboard = async (page: Page, { username, password }: Credentials['users'][number]) => {
  await page.getByLabel('User name').focus();
  await page.keyboard.type(username);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
};

/** Cookies of the demo's people after they have signed in, by product and part. */
const signedIn = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();

/** Slows the page's processor down by the factor in `E2E_SLOWDOWN`: as a slow machine does, it shows what is a race. */
const slowDown = async (page: Page): Promise<void> => {
  const rate = Number(process.env.E2E_SLOWDOWN ?? 1);
  if (rate === 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
};

/**
 * Opens the console at `path` as one of the demo's people, in a browser context of its own. The first time in a process
 * they sign in by the keyboard; afterwards their session goes on, as long as it is valid.
 */
export const arrive = async (
  browser: Browser,
  credentials: Credentials,
  part: Part,
  { path = '/', ...options }: BrowserContextOptions & { readonly path?: string } = {},
): Promise<Page> => {
  const key = `${part} ${credentials.baseUrl}`;
  const storageState = signedIn.get(key);
  const context = await browser.newContext({ ...options, ...(storageState && { storageState }) });
  const page = await context.newPage();
  await slowDown(page);
  await page.goto(`${credentials.baseUrl}${path}`);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const userName = page.getByLabel('User name');
  await navigation.or(userName).first().waitFor();
  if (await userName.isVisible()) {
    await signInByKeyboard(page, userOf(credentials, part));
    await navigation.waitFor();
    signedIn.set(key, await context.storageState());
  }
  return page;
};

const answered = Type.Object({ data: Type.Unknown(), errors: Type.Optional(Type.Array(Type.Unknown())) });

/** Sends a mutation as whoever is signed in on the page. @throws with the errors of its answer */
export const mutate = async (
  page: Page,
  { baseUrl }: Credentials,
  mutation: string,
  input: object,
): Promise<unknown> => {
  const session: unknown = await (await page.request.get(`${baseUrl}/session`)).json();
  const response = await page.request.post(`${baseUrl}/graphql`, {
    headers: { 'x-landfall-csrf': Object(session).csrf },
    data: { query: mutation, variables: { input } },
  });
  const { data, errors } = Parse(answered, await response.json());
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
};

const CREATE_USER = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';

/** Creates a viewer for one test, which may change the viewer's sign-in methods. */
export const createViewer = async (browser: Browser, credentials: Credentials, username: string) => {
  const admin = await arrive(browser, credentials, 'admin');
  const password = 'seven quiet harbours';
  await mutate(admin, credentials, CREATE_USER, { username, displayName: username, password, roles: ['viewer'] });
  await admin.context().close();
  return { username, password, scopes: [] };
};

/** More stops than any page of ours has. */
const MAX_STOPS = 120;

/**
 * Moves the focus to an element by Tab alone.
 * @throws when Tab never reaches it
 */
export const tabTo = async (page: Page, requested: Locator): Promise<void> => {
  await requested.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await requested.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${requested}.`);
};

/** Presses a key on an element once no earlier request keeps it busy: a busy button does nothing. */
export const press = async (page: Page, requested: Locator, key = 'Enter'): Promise<void> => {
  await tabTo(page, requested);
  await requested.and(page.locator(':not([aria-busy="true"])')).waitFor();
  await page.keyboard.press(key);
};

/** Acknowledges the outcomes of these digests, where the page asks for it, and waits for the button that continues. */
export const acknowledgeOutcomes = async (page: Page, button: Locator): Promise<void> => {
  const box = page.getByRole('checkbox', { name: /^I know that these digests/ });
  await button.or(box).first().waitFor();
  if (await box.isVisible()) {
    await tabTo(page, box);
    await page.keyboard.press('Space');
  }
  await button.waitFor();
};
