// The chain of custody: proven by the keyboard alone, taken along and checked without us, and whom the tenant trusts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';
import { arrive, mutate, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { createTestEnvironment, launchUntil, makeRelease } from './test-environment.ts';

const run = promisify(execFile);

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const said = (page: Page, words: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: words }).first().waitFor();

/** A link of the chain by its name, once it stands so. */
const link = (page: Page, name: string, state: string) =>
  page.getByRole('list', { name: 'Six links' }).getByRole('link', { name: new RegExp(`^${name}\\s*${state}`) });

/** A release that has landed in a place of its own. @returns its id and its name */
const landed = async (name: string) => {
  const place = await createTestEnvironment(product.credentials, name, 1);
  const release = await makeRelease(place, '1.0.0', 'web:1.0.0');
  await launchUntil(place, release.promotionId, 'COMPLETED');
  return release;
};

test('the landing of a release is proven by keyboard alone', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { what } = await landed('proving');
  const page = await arrive(browser, product.credentials, 'manager');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.getByRole('heading', { name: 'Custody', level: 1 }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('proving');
  await page.waitForURL(/name=proving/);
  await tabTo(page, page.getByRole('link', { name: what }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Chain of custody', level: 1 }).waitFor();

  // The statement is signed and logged after the landing: the page is not loaded again.
  await tabTo(page, link(page, 'Deploy', 'Signed'));
  await page.keyboard.press('Enter');
  await page.waitForURL(/link=deploy/);
  await page.getByRole('button', { name: 'Prove deploy link' }).waitFor();
  await page.keyboard.press('p');
  await said(page, /^Deploy link proven: \S+, log entry \d+\./);
  await link(page, 'Deploy', 'Proven').waitFor();
  await page.getByText('8 passed', { exact: true }).waitFor();
  assert.match(page.url(), /link=deploy&statement=/);
  assert.deepEqual(await barriers(page), []);

  await page.keyboard.press('[');
  await page.waitForURL(/link=approve/);
});

/** Fetches by a button, and keeps the file in the directory. */
const fetchBy = async (page: Page, name: string, directory: string): Promise<string> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).first().click(),
  ]);
  await file.saveAs(join(directory, file.suggestedFilename()));
  return file.suggestedFilename();
};

const scratch = async (t: TestContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-auditor-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

/** Checks for the programs that the auditor's recipe needs. */
const hasOpenssl = (): Promise<boolean> =>
  run('openssl', ['version']).then(
    () => true,
    () => false,
  );

test('what an auditor takes along is checked by its own commands, and a changed statement is not', async (t) => {
  if (!(await hasOpenssl())) return t.skip('needs openssl');
  const browser = await browserFor(t);
  if (!browser) return;
  const { id } = await landed('auditing');
  const page = await arrive(browser, product.credentials, 'viewer', { path: `/custody/${id}?link=deploy` });
  await link(page, 'Deploy', 'Signed').waitFor();
  const directory = await scratch(t);
  const archive = await fetchBy(page, 'Download package', directory);
  assert.equal(await fetchBy(page, 'Keys and trusted root', directory), 'trust.json');

  // Exactly what the page tells an auditor to type.
  const recipe = await page.getByRole('region', { name: 'Verification recipe' }).innerText();
  const { stdout } = await run('sh', ['-ec', recipe], { cwd: directory });
  assert.match(stdout, /^OK/m);

  const unpacked = join(directory, archive.replace(/\.tar$/, ''));
  const [statement = ''] = (await readdir(unpacked)).filter((name) => name.startsWith('deployment-'));
  await run('sh', ['-c', `printf ' ' >> '${statement}/statement.json'`], { cwd: unpacked });
  await assert.rejects(run('sh', ['verify.sh', '../trust.json'], { cwd: unpacked }));
});

test('who may not prove is shown the rule', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const path = `/custody/${product.credentials.ids.releaseId}?link=approve`;
  const page = await arrive(browser, product.credentials, 'viewer', { path });
  await page.getByText('PERM_SCOPE_DENIED').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^Prove/ }).count(), 0);
  assert.equal(await page.getByText('press Prove').count(), 0);
});

test('a statement that the link does not show is said to be elsewhere, and the way there is offered', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { releaseId, attestationRef } = product.credentials.ids;
  const path = `/custody/${releaseId}?link=approve&statement=${attestationRef}`;
  const page = await arrive(browser, product.credentials, 'viewer', { path });
  const notice = page.getByText('This statement is not listed');
  await notice.waitFor();
  await page.getByRole('link', { name: 'Open it in the deploy link' }).click();
  await page.waitForURL(/link=deploy/);
  await notice.waitFor({ state: 'detached' });

  await page.goto(`${product.credentials.baseUrl}/custody/${releaseId}?link=run&statement=nonsense`);
  await notice.waitFor();
  await page.getByRole('link', { name: 'Show current statements' }).click();
  await notice.waitFor({ state: 'detached' });
});

test('a signer is trusted by its key, and no longer', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/integrations' });
  await page.getByRole('button', { name: 'Trust a signer' }).waitFor();
  await page.keyboard.press('t');
  const form = page.getByRole('dialog', { name: 'Trust a signer' });
  await form.getByLabel('Name').fill('Night builds');
  await form.getByRole('button', { name: 'Trust', exact: true }).click();
  await form.getByText('This field is required.').waitFor();

  await form.getByLabel('Public key').fill('no key at all');
  await form.getByRole('button', { name: 'Trust', exact: true }).click();
  await form.getByLabel('Public key').and(page.locator('[aria-invalid="true"]')).waitFor();
  await form.getByText('Must be one public key in PEM, and nothing beside it.').waitFor();

  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await form.getByLabel('Public key').fill(publicKey.export({ type: 'spki', format: 'pem' }).toString());
  await form.getByLabel('Build: how the image was made').check();
  await form.getByRole('button', { name: 'Trust', exact: true }).click();
  await said(page, 'Trusted: Night builds.');
  const row = page.getByRole('row').filter({ hasText: 'Night builds' });
  await row.getByText('images and build').waitFor();

  await row.getByRole('button', { name: 'Remove Night builds' }).click();
  const question = page.getByRole('dialog', { name: 'Remove the trusted signer Night builds' });
  await question.getByRole('button', { name: 'Remove signer' }).click();
  await said(page, 'Removed: Night builds.');
  await row.waitFor({ state: 'detached' });
});

test('an image is checked against whom the tenant trusts', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'viewer', { path: `/releases/${credentials.ids.releaseId}` });
  const component = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'web', exact: true }) });
  const repository = await component.getByRole('cell').first().innerText();
  await page.goto(`${credentials.baseUrl}/integrations?ask=image`);
  const form = page.getByRole('dialog', { name: 'Check an image' });
  await form.getByLabel('Repository').fill(repository);
  await form.getByLabel('Digest').fill(`sha256:${'0'.repeat(64)}`);
  await form.getByRole('button', { name: 'Check', exact: true }).click();
  await form.getByText('The image could not be checked, so it does not pass').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
});

const PLACE = 'mutation ($input: PlaceEvidenceHoldInput!) { placeEvidenceHold(input: $input) { id } }';
const PUT = 'mutation ($input: PutArtifactInput!) { putArtifact(input: $input) { artifact { id } } }';

test('what a hold would refuse is not sent, and a bom-ref of anybody is not named like the release that it names', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { baseUrl, ids } = product.credentials;
  const page = await arrive(browser, product.credentials, 'admin');
  const bomRef = `landfall:release:${ids.releaseId}`;
  const content = Buffer.from('{"a":1}').toString('base64');
  const put = Object(await mutate(page, product.credentials, PUT, { bomRef, type: 'OTHER', content }));
  const { id } = put.putArtifact.artifact;
  await page.goto(`${baseUrl}/evidence/${id}?ask=delete`);
  const dialog = page.getByRole('dialog', { name: 'Delete this artifact?' });
  await dialog.getByText('It leaves every list.').waitFor();
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), bomRef);
  await mutate(page, product.credentials, PLACE, { artifactId: id, reason: 'The court asks for it.' });
  await dialog.getByText('A legal hold lasts, so it cannot be deleted. End the hold first.').waitFor();
  const verb = dialog.getByRole('button', { name: 'Delete artifact' });
  assert.equal(await verb.getAttribute('aria-disabled'), 'true');
  assert.deepEqual(await barriers(page), []);
  await page.context().close();
});
