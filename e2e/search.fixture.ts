import type { Locator, Page } from 'playwright';

/** Field of the search page. */
export const box = (page: Page): Locator => page.getByRole('textbox', { name: 'Search', exact: true });

/** List of the results. */
export const sources = (page: Page): Locator => page.getByRole('region', { name: 'Sources' });

/** First result in which these words are. */
export const card = (page: Page, words: string | RegExp): Locator =>
  sources(page).getByRole('listitem').filter({ hasText: words }).first();

/** Waits until these words were told, to screen readers alone too. */
export const said = (page: Page, words: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor({ state: 'attached' });
