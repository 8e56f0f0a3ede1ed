// Triage, VEX sources and scoring policies as people use them: an accepted risk is listed and exported, a source of VEX is
// registered with a document, and a scoring policy is refused and then published.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { rowOf, said } from './console-parts.ts';
import { arrive, press } from './people.ts';
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

test('an accepted risk ends, is listed with the scans that it concerns, and is exported as OpenVEX', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: `/scans/${scans.ids.scanId}` });
  await rowOf(page, 'Findings', FENCE)
    .getByRole('button', { name: /^Triage/ })
    .click();
  const dialog = page.getByRole('dialog', { name: `Triage ${FENCE}` });
  await dialog.getByLabel('Status').selectOption('Risk accepted');
  await dialog.getByLabel('Reason').fill('Nobody outside the harbour reaches the fence.');
  await dialog.getByLabel('Expires').selectOption('On a day…');
  await dialog.getByLabel('Day and time, UTC').fill('2099-01-01T00:00');
  await dialog.getByRole('button', { name: 'Save decision' }).click();
  await dialog.getByText(/^A risk is accepted for one year at most/).waitFor();
  await dialog.getByLabel('Expires').selectOption('In 90 days');
  await dialog.getByRole('button', { name: 'Save decision' }).click();
  await said(page, `Decided: Risk accepted for ${FENCE}.`);

  await page.goto(`${product.credentials.baseUrl}/scans`);
  await page.getByRole('link', { name: 'Triage', exact: true }).click();
  await page.getByRole('heading', { name: 'Triage decisions', level: 1 }).waitFor();
  await page.getByLabel('Find by id of a vulnerability').fill(FENCE);
  await page.getByRole('button', { name: 'In force', exact: true }).click();
  const accepted = rowOf(page, 'Triage decisions', 'Risk accepted');
  // Decisions that have ended stay on the page until the filter is answered.
  const row = accepted.filter({ hasText: 'In force' });
  await row.getByRole('button', { name: FENCE, exact: true }).click();
  const detail = page.getByRole('region', { name: `Decision about ${FENCE}` });
  const concerned = detail.getByRole('row').filter({ hasText: 'quay-shop 1.1.0' });
  await concerned.getByText('this decision').waitFor();
  assert.deepEqual(await faults(page), []);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    concerned.getByRole('button', { name: 'Download the decisions about quay-shop 1.1.0 as OpenVEX' }).click(),
  ]);
  const { statements } = JSON.parse(await text(await file.createReadStream()));
  assert.ok(JSON.stringify(statements).includes(FENCE));

  await row.getByRole('button', { name: /^End/ }).click();
  const question = page.getByRole('dialog');
  await question.getByLabel('Reason').fill('The fence is reached from outside now.');
  await question.getByRole('button', { name: 'End decision' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Ended', exact: true }).click();
  await accepted.first().getByText('Ended early').waitFor();
  await page.context().close();
});

test('a viewer reads decisions, sources and policies, and changes none', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: `/scans/${scans.ids.scanId}` });
  await rowOf(page, 'Findings', FENCE).waitFor();
  for (const [path, heading] of [
    ['/scans/triage', 'Triage decisions'],
    ['/scans/vex', 'VEX sources'],
    ['/scans/policies', 'Scoring policies'],
  ] as const) {
    assert.equal(await page.getByRole('button', { name: /^(Triage|End the|Edit|Remove|Register|Publish)/ }).count(), 0);
    await page.goto(`${product.credentials.baseUrl}${path}`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
  }
  assert.equal(await page.getByRole('button', { name: /^Publish/ }).count(), 0);
  await page.context().close();
});

const statement = (name: string, status: string) => ({
  vulnerability: { name },
  products: [{ '@id': 'pkg:npm/quay-mole' }],
  status,
  justification: 'vulnerable_code_not_present',
});

const DOCUMENT = JSON.stringify({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://quay.example/vex/1',
  author: 'Quay',
  timestamp: '2026-11-01T00:00:00Z',
  version: 1,
  statements: [statement('CVE-2026-93000', 'not_affected'), statement('CVE-2026-94000', 'perhaps')],
});

test('a source of VEX is registered, its document is read with its problems, and it is changed and removed', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/scans/vex' });
  await page.getByRole('button', { name: 'Register source' }).first().waitFor();
  await page.keyboard.press('c');
  const form = page.getByRole('dialog', { name: 'Register source' });
  const name = `quay-${Date.now().toString(36)}`;
  await form.getByLabel('Name').fill('Not a name');
  await form.getByLabel('Trust').selectOption('Signed documents only');
  await form.getByLabel('Public key').fill('no key');
  await press(page, form.getByRole('button', { name: 'Register' }));
  await form.locator('[aria-invalid="true"]').first().waitFor();
  assert.deepEqual(await barriers(page), []);
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Trust').selectOption('Trusted');
  await press(page, form.getByRole('button', { name: 'Register' }));
  await page.getByRole('heading', { name, level: 1 }).waitFor();

  await page.getByRole('button', { name: 'Add document' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('Choose a file.').waitFor();
  const file = { name: 'vex.json', mimeType: 'application/json', buffer: Buffer.from(DOCUMENT) };
  await dialog.getByLabel('File').setInputFiles(file);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await said(page, 'Added: 1 statement, 1 problem.');
  await page.getByRole('table', { name: 'Documents' }).getByRole('button', { expanded: false }).first().click();
  await rowOf(page, 'Statements', 'CVE-2026-93000').getByText('Not affected').waitFor();
  await rowOf(page, 'Parts that could not be read', 'statements[1]').waitFor();
  assert.deepEqual(await faults(page), []);

  await page.getByRole('link', { name: 'VEX sources' }).click();
  const row = rowOf(page, 'VEX sources', name);
  await row.getByRole('button', { name: `Edit ${name}` }).click();
  await dialog.getByLabel('Rank').fill('77');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('77', { exact: true }).waitFor();
  await row.getByRole('button', { name: `Remove ${name}` }).click();
  await dialog.getByText('Its document is in force no more.').waitFor();
  await dialog.getByRole('button', { name: 'Remove source' }).click();
  await row.waitFor({ state: 'detached' });
  await page.context().close();
});

/** Policy in a form, with changes. */
const changed = (policy: string, changes: (values: Record<string, unknown>) => object): string => {
  const values: unknown = JSON.parse(policy);
  return JSON.stringify({ ...Object(values), ...changes(Object(values)) }, null, 2);
};

test('a policy that breaks a rule of the model is refused by field, and then published and in force', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/scans/policies' });
  await page.getByRole('button', { name: 'Publish version' }).waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Publish a version of the policy' });
  const field = dialog.getByLabel('Policy as JSON');
  await dialog.getByText('No value differs. The weights sum to 100%.').waitFor();
  const policy = await field.inputValue();
  const version = `v${Date.now().toString(36)}`;
  // Malicious packages are in no scan of the demo, so that no score changes.
  const next = changed(policy, ({ maliciousFloor }) => ({ version, maliciousFloor: Number(maliciousFloor) + 1 }));
  await field.fill(changed(next, ({ weights }) => ({ weights: { ...Object(weights), freshness: 60_000 } })));
  await dialog.getByText('The weights sum to 101%.').waitFor();
  await press(page, dialog.getByRole('button', { name: 'Publish' }));
  await dialog.getByText('The policy breaks rules of the score model:').waitFor();
  await dialog.getByText('The weights sum to 1010000, and not to 1000000.').waitFor();
  assert.equal(await field.evaluate((element) => element === element.ownerDocument.activeElement), true);
  assert.deepEqual(await barriers(page), []);
  await field.fill(next);
  await press(page, dialog.getByRole('button', { name: 'Publish' }));
  await said(page, `${version}. It is in force.`);
  const row = rowOf(page, 'Scoring policies', version);
  await row.getByText('In force').waitFor();
  await row.getByRole('button', { name: new RegExp(version) }).click();
  const floor = rowOf(page, 'Weights and other values that differ', 'maliciousFloor');
  await floor.getByText('+1', { exact: true }).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});
