// Search at the console: found while it is written, and answered in a stream that Esc stops. The full run has the rest.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator } from 'playwright';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import { type DrippingModel, modelSettings, sharedModel, startModel } from './model.ts';
import { arrive, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { box, card, said, sources } from './search.fixture.ts';

let model: DrippingModel;
let product: Product;
before(async () => {
  const shared = sharedModel();
  model = shared ?? (await startModel());
  product = await startProduct(shared ? undefined : modelSettings(model));
});
after(async () => {
  await product?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const isFocused = (wanted: Locator): Promise<boolean> =>
  wanted.evaluate((element) => element === element.ownerDocument.activeElement);

test('a question is asked, answered in a stream and stopped, by keyboard alone', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager');
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await box(page).waitFor();
  assert.ok(await isFocused(box(page)));

  // Results follow the typing; no answer is requested.
  await page.keyboard.type('prototype poll');
  await card(page, 'minimist').waitFor();
  await page.waitForURL(/q=prototype(\+|%20)poll/);
  assert.equal(await page.getByRole('region', { name: 'From the sources' }).count(), 0);
  const before = await model.asked();

  await page.keyboard.type('ution');
  await page.keyboard.press('Enter');
  const record = page.getByRole('region', { name: 'From the sources' });
  const words = page.getByRole('region', { name: 'Model answer' });
  await record
    .getByRole('link', { name: /^Source \d+: / })
    .first()
    .waitFor();
  await words
    .getByRole('link', { name: /^Source \d+: / })
    .first()
    .waitFor();
  const told = await record.innerText();
  assert.deepEqual(await barriers(page), []);

  const left = await model.left();
  await page.keyboard.press('Escape');
  await page.getByText('You stopped the answer.').first().waitFor();
  await said(page, 'You stopped the answer.');
  // The model is not asked to write what nobody reads.
  await left();
  assert.equal(await model.asked(), before + 1);
  assert.equal(await record.innerText(), told);
  assert.ok((await words.innerText()).length > 0);
  assert.equal(await words.getByRole('button', { name: 'Stop' }).count(), 0);
  assert.deepEqual(await barriersInTheDark(page), []);

  // A citation leads to its card.
  const [chip] = await record.getByRole('link', { name: /^Source \d+: / }).all();
  assert.ok(chip);
  const [, number = ''] = /^Source (\d+)/.exec((await chip.getAttribute('aria-label')) ?? '') ?? [];
  await tabTo(page, chip);
  await page.keyboard.press('Enter');
  await page.waitForURL(/card=/);
  const lit = sources(page).locator('[aria-current="true"]');
  await lit.waitFor();
  assert.equal((await lit.innerText()).startsWith(number), true);
  assert.ok(await isFocused(lit.locator('[data-open]')));
});

test('who may not have answers written is answered from the record, and told so calmly', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/search?q=prototype%20pollution' });
  const record = page.getByRole('region', { name: 'From the sources' });
  await record
    .getByRole('link', { name: /^Source \d+: / })
    .first()
    .waitFor();
  await record.getByText('which your role does not have').waitFor();
  assert.equal(await page.getByRole('alert').filter({ hasText: /\S/ }).count(), 0);
  assert.equal(await page.getByRole('region', { name: 'Model answer' }).count(), 0);
});

// spec: 2.8/legacy-fallback
test('where the graph does not search, the older search answers, which is said and told', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/search' });
  await box(page).waitFor();
  await page.route('**/graphql?op=Search', (route) => route.abort());
  const told = page.waitForRequest(
    (request) => request.url().includes('op=RecordSearchEvents') && /legacy-fallback/.test(request.postData() ?? ''),
  );
  await box(page).fill('how is a deployment rolled back');
  await page.keyboard.press('Enter');
  await page.getByText('These results are from the older search').waitFor();
  await told;
  assert.deepEqual(await barriers(page), []);
});
