import type { Page } from 'playwright';
import { tabTo } from './people.ts';

export const CREATE = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }';

/** Goes to a button by the keyboard and presses it. */
export const press = async (page: Page, name: string | RegExp): Promise<void> => {
  await tabTo(page, page.getByRole('button', { name, exact: true }));
  await page.keyboard.press('Enter');
};
