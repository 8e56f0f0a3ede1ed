// Actions in the console, by the keyboard alone. Every step waits for what a person would see.
import type { Page } from 'playwright';
import { acknowledgeOutcomes, tabTo } from './people.ts';

interface Draft {
  readonly name: string;
  readonly semver: string;
  readonly component: { readonly name: string; readonly repository: string; readonly tag: string };
}

/** Waits for the toast of an action. */
const said = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();

const dialog = (page: Page, title: string | RegExp) => page.getByRole('dialog', { name: title });

/** Goes to Releases, fills the form for a draft, and ends on its page. */
export const draftRelease = async (page: Page, { name, semver, component }: Draft): Promise<void> => {
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Releases', level: 1 }).waitFor();
  await page.keyboard.press('c');
  const form = dialog(page, 'Create release');
  await form.getByLabel('Version').waitFor();
  await page.keyboard.type(name);
  for (const [label, message] of [
    ['Version', semver],
    ['Name', component.name],
    ['Repository', component.repository],
    ['Tag', component.tag],
  ] as const) {
    await tabTo(page, form.getByLabel(label, { exact: true }).last());
    await page.keyboard.type(message);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `${name} ${semver}`, level: 1 }).waitFor();
};

/** Finalizes the open draft, which fixes its components to digests, and marks the release as ready. */
export const finalizeRelease = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Finalize' }).waitFor();
  await page.keyboard.press('f');
  await said(page, 'Every tag is pinned to its digest');
  await page.getByRole('button', { name: 'Mark ready' }).waitFor();
  await page.keyboard.press('m');
  await said(page, 'Ready.');
};

/** Asks for the open release to go to the next environment of its path. */
export const requestPromotion = async (page: Page, location: string, reason: string): Promise<void> => {
  await page.getByRole('button', { name: 'Request promotion' }).waitFor();
  await page.keyboard.press('p');
  await dialog(page, `Request promotion to ${location}`).getByLabel('Reason').waitFor();
  await page.keyboard.type(reason);
  await page.keyboard.press('Enter');
  await dialog(page, `Request promotion to ${location}`).waitFor({ state: 'detached' });
};

/** From the open release's page to a deployment under way in an environment whose promotion is approved. */
export const launch = async (page: Page, location: string): Promise<void> => {
  const stop = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: location, exact: true }) });
  await tabTo(page, stop.getByRole('link', { name: 'Deploy', exact: true }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Deploy to ${location}`, level: 1 }).waitFor();
  const button = page.getByRole('button', { name: /^Launch on/, disabled: false });
  await acknowledgeOutcomes(page, button);
  await page.keyboard.press('l');
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/deployments\/[0-9a-f-]{36}/);
};

/** In the inbox: goes down the list to a request and approves what is shown there. */
export const approve = async (page: Page, name: string, location: string): Promise<void> => {
  await chooseRequest(page, name, location);
  await page.keyboard.press('a');
  await dialog(page, `Approve ${name} for ${location}`).getByLabel('Comment').waitFor();
  await page.keyboard.type('Seen and agreed.');
  await page.keyboard.press('Enter');
  await said(page, `Approved: ${name} for ${location}.`);
};

export const rejectPromotion = async (page: Page, name: string, location: string, reason: string): Promise<void> => {
  await chooseRequest(page, name, location);
  await page.keyboard.press('r');
  await dialog(page, `Reject ${name} for ${location}`).getByLabel('Reason').waitFor();
  await page.keyboard.type(reason);
  // Enter begins a new line of the reason.
  await tabTo(page, dialog(page, /^Reject/).getByRole('button', { name: 'Reject', exact: true }));
  await page.keyboard.press('Enter');
  await said(page, `Rejected: ${name} for ${location}.`);
};

const MAX_REQUESTS = 20;

/** Time for a chosen request to open, in milliseconds. */
const TIMEOUT_MS = 1_000;

const chooseRequest = async (page: Page, name: string, location: string): Promise<void> => {
  await page
    .getByRole('listitem')
    .filter({ hasText: name })
    .filter({ hasText: `→ ${location}` })
    .first()
    .waitFor();
  const dossier = page.getByRole('article').getByRole('heading', { name: `${name} → ${location}` });
  // Each request has time to open, so that a slow page does not go past the wanted one.
  const isOpen = (): Promise<boolean> =>
    dossier.waitFor({ timeout: TIMEOUT_MS }).then(
      () => true,
      () => false,
    );
  for (let request = 0; request < MAX_REQUESTS && !(await isOpen()); request++) await page.keyboard.press('j');
  await dossier.waitFor();
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
};
