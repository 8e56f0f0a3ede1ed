// Triage as people use it: a finding is triaged and the decision ended. The full run has what is around it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { rowOf, said } from './console-parts.ts';
import { arrive, press, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { seedScans } from './scanner.ts';

let product: Product;
let scans: Awaited<ReturnType<typeof seedScans>>;
before(async () => {
  product = await startProduct();
  scans = await seedScans(product);
});
after(() => product[Symbol.asyncDispose]());

const FENCE = 'CVE-2026-92000';

test('a finding is triaged by keyboard, is suppressed, and is undecided again once the decision is ended', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: `/scans/${scans.ids.scanId}` });
  const row = rowOf(page, 'Findings', FENCE);
  await row.getByText('undecided').waitFor();
  await press(page, row.getByRole('button', { name: `Triage ${FENCE} in npm/quay-fence@1.0.0` }));
  const dialog = page.getByRole('dialog', { name: `Triage ${FENCE}` });
  await dialog.getByLabel('Reason').fill('Too short');
  await press(page, dialog.getByRole('button', { name: 'Save decision' }));
  await dialog.getByText('Choose a justification, or write an impact statement.').waitFor();
  await dialog.getByLabel('Justification').selectOption('The vulnerable code is never executed');
  await press(page, dialog.getByRole('button', { name: 'Save decision' }));
  await dialog.getByText('Enter at least ten characters.').waitFor();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByLabel('Reason').fill('The height of the fence is never measured by this product.');
  await press(page, dialog.getByRole('button', { name: 'Save decision' }));
  await said(page, `Decided: Not affected for ${FENCE}.`);
  await row.getByText('Not affected').waitFor();
  await row.getByText('The height of the fence').waitFor();

  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Suppressed', exact: true }).click();
  await row.waitFor();
  assert.match(page.url(), /triage=suppressed/);
  await tabTo(page, row.getByRole('button', { name: FENCE, exact: true }));
  await page.keyboard.press('Enter');
  const detail = page.getByRole('region', { name: `Detail of ${FENCE}` });
  await detail.getByText('The vulnerable code is never executed').waitFor();
  await detail.getByText('Findings notify nobody.').waitFor();
  assert.deepEqual(await faults(page), []);

  await page.keyboard.press('Escape');
  await press(page, row.getByRole('button', { name: `End the decision about ${FENCE}` }));
  const question = page.getByRole('dialog', { name: `End the decision about ${FENCE}` });
  await question.getByLabel('Reason').fill('The next release measures the fence.');
  await press(page, question.getByRole('button', { name: 'End decision' }));
  await said(page, `Ended: the decision about ${FENCE}.`);
  await row.getByText('undecided').waitFor();
  await page.context().close();
});
