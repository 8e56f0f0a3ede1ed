// Parts of the console's pages that browser tests look for.
import type { Locator, Page } from 'playwright';

/** Waits until the page has said these words where screen readers are told. */
export const said = (page: Page, words: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();

/** Rows of a table in which these words are. */
export const rowOf = (page: Page, table: string, words: string | RegExp): Locator =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: words });

/** Name that no other run of the tests has used. */
export const fresh = (word: string): string => `${word}-${Date.now().toString(36)}`;
