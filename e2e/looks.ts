// Screenshots of pages, for review: `E2E_LOOKS=1` makes the tests take them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';

const DIRECTORY = join(import.meta.dirname, '../test-results/looks');

/** Saves a picture of the page below test-results/looks, where `E2E_LOOKS` asks for pictures. */
export const picture = async (page: Page, name: string, options: { readonly fullPage?: boolean } = {}) => {
  if (!process.env.E2E_LOOKS) return;
  await mkdir(DIRECTORY, { recursive: true });
  await page.screenshot({ path: join(DIRECTORY, `${name}.png`), ...options });
};
