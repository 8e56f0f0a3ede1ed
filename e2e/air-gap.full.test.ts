// The air gap as people use it, beyond the seal: the policy's editor against another administrator, kits, anchors, sites,
// and what people without the scopes see.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { rowOf, said } from './console-parts.ts';
import { arrive, mutate, press } from './people.ts';
import { type Product, startProduct } from './product.ts';
import { createSyncSite } from './sync-site.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const SET_POLICY = 'mutation ($input: SetEgressPolicyInput!) { setEgressPolicy(input: $input) { version } }';
const DEMO_POLICY = {
  allowLoopback: true,
  remediationDocumentationUrl: 'https://wiki.acme.example/egress',
  supportContact: 'platform@acme.example',
};

test('a policy is tried, its wrong rules are marked, and a newer one is shown before it is replaced', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/airgap?ask=policy' });
  const dialog = page.getByRole('dialog', { name: 'Edit policy' });
  await press(page, dialog.getByRole('button', { name: 'Add rule' }));
  await dialog.getByLabel('Host', { exact: true }).fill('no host at all');
  await dialog.getByLabel('Port', { exact: true }).fill('many');
  await press(page, dialog.getByRole('button', { name: 'Save policy' }));
  await dialog.getByText('1 to 65535, or empty for any.').waitFor();
  await dialog.getByLabel('Port', { exact: true }).fill('443');
  await press(page, dialog.getByRole('button', { name: 'Save policy' }));
  await dialog.locator('[aria-invalid="true"]').waitFor();
  await dialog.getByLabel('Host', { exact: true }).fill('registry.acme.example');
  await dialog.getByRole('checkbox', { name: /loopback/ }).uncheck();
  await press(page, dialog.getByRole('button', { name: 'Try this policy' }));
  await dialog.getByText('this machine is not allowed').first().waitFor();
  assert.deepEqual(await barriers(page), []);

  const allowRules = [{ hostPattern: '*.acme.example' }];
  await mutate(page, product.credentials, SET_POLICY, { policy: { ...DEMO_POLICY, allowRules } });
  await dialog.getByText('Ana Duarte changed the air gap while you were editing.').waitFor();
  await press(page, dialog.getByRole('button', { name: 'Save policy' }));
  await dialog.getByText('RES_VERSION_CONFLICT').waitFor();
  await press(page, dialog.getByRole('button', { name: 'Load the newer policy' }));
  assert.equal(await dialog.getByLabel('Host', { exact: true }).inputValue(), '*.acme.example');
  await press(page, dialog.getByRole('button', { name: 'Remove *.acme.example' }));
  await press(page, dialog.getByRole('button', { name: 'Save policy' }));
  await said(page, 'Policy saved. It holds in every process within a second.');
  await page.getByText('No rule. Only what is allowed above passes a seal.').waitFor();
  await page.context().close();
});

test('a kit of the inbox is tried, says what it would change, and an anchor of another form is refused', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/airgap/kits' });
  await press(page, page.getByRole('button', { name: 'Dry run of feeds-7' }));
  const dialog = page.getByRole('dialog', { name: 'Try feeds-7 without a change?' });
  await press(page, dialog.getByRole('button', { name: 'Dry run' }));
  await said(page, 'Dry run of feeds-7 is queued.');
  const tried = rowOf(page, 'Imports', 'main 7').first();
  await tried.getByText('Complete').waitFor();
  await press(page, tried.getByRole('button', { name: 'main 7' }));
  await page.getByText('What it would change').waitFor();
  await page.getByRole('link', { name: 'CVE-2024-28863' }).first().waitFor();
  const stopped = rowOf(page, 'Gate of scans', 'shop 1.0.0');
  for (const text of ['Passes', 'Fails', 'known exploited']) await stopped.getByText(text, { exact: true }).waitFor();
  assert.match(page.url(), /import=/);
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.goto(`${product.credentials.baseUrl}/airgap?ask=anchor`);
  const anchor = page.getByRole('dialog', { name: 'Set time anchor' });
  await press(page, anchor.getByRole('button', { name: 'Set time anchor' }));
  await anchor.getByText('Choose a file.').waitFor();
  const file = join(product.dataDir, 'reply.tsr');
  await writeFile(file, 'no timestamp');
  await anchor.getByLabel('Timestamp response (reply.tsr)').setInputFiles(file);
  await press(page, anchor.getByRole('button', { name: 'Set time anchor' }));
  await anchor.getByText('airgap_anchor_rejected').waitFor();
  await anchor.getByLabel('Source').selectOption('Statement of an operator (DSSE)');
  await anchor.getByText(/"tenantId":"acme"/).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.context().close();
});

test('the integrity of the air gap is verified, sites are added, and a viewer reads all of it without a verb', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const admin = await arrive(browser, product.credentials, 'admin', { path: '/airgap' });
  await press(admin, admin.getByRole('button', { name: 'Verify now' }));
  await said(admin, 'All checks hold.');
  await rowOf(admin, 'Integrity', 'policy').getByText('The policy is the one that was set.').waitFor();
  await admin.goto(`${product.credentials.baseUrl}/airgap/sites?ask=site`);
  const dialog = admin.getByRole('dialog', { name: 'Add site' });
  await press(admin, dialog.getByRole('button', { name: 'Add site' }));
  await dialog.getByText('This field is required.').first().waitFor();
  assert.deepEqual(await barriers(admin), []);
  await admin.context().close();

  const page = await arrive(browser, product.credentials, 'viewer', { path: '/airgap' });
  await page.getByRole('heading', { name: 'Trusted time' }).waitFor();
  for (const name of ['Seal…', 'Edit policy', 'Set time anchor'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  await page.goto(`${product.credentials.baseUrl}/airgap/sites`);
  await page.getByText('Sites agree: no conflict waits.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Export bundle' }).count(), 0);
  await page.context().close();
});

const ADD_SITE = 'mutation ($input: AddSyncSiteInput!) { addSyncSite(input: $input) { siteId } }';
const IMPORT_BUNDLE = 'mutation ($input: ImportSyncBundleInput!) { importSyncBundle(input: $input) { conflicts } }';

test('an administrator decides between two sites, sees the effect before, and decides again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials, dataDir } = product;
  const page = await arrive(browser, credentials, 'admin', { path: '/airgap/sites' });
  await page.getByText('Sites agree: no conflict waits.').waitFor();
  const inbox = join(dataDir, 'sync', 'inbox', credentials.tenant);
  for (const [count, name] of ['Plant 7', 'Harbour'].entries()) {
    const { siteId, siteKey, send } = createSyncSite();
    await mutate(page, credentials, ADD_SITE, { siteId, siteKey, name });
    const file = await send(inbox, { key: 'crane 12', text: name, count });
    await mutate(page, credentials, IMPORT_BUNDLE, { file });
  }

  await press(page, page.getByRole('button', { name: 'Resolve crane 12' }));
  const dialog = page.getByRole('dialog', { name: 'Resolve crane 12' });
  await dialog.getByText('Nothing changes at this site: what Plant 7 says goes on to count.').waitFor();
  await dialog.getByLabel('Side that counts').selectOption({ label: 'Take what Harbour says' });
  await dialog
    .getByText(/^At this site, what Harbour says counts from then on, and no more what Plant 7 says/)
    .waitFor();
  await dialog.getByLabel('Reason').fill('Harbour measured again.');
  assert.deepEqual(await barriers(page), []);
  await press(page, dialog.getByRole('button', { name: 'Resolve' }));
  await said(page, 'Resolved: crane 12.');
  await page.getByText('Sites agree: no conflict waits.').waitFor();

  await press(page, page.getByRole('button', { name: 'Resolved too' }));
  await rowOf(page, 'Conflicts', 'Harbour measured again.').waitFor();
  await press(page, page.getByRole('button', { name: 'Decide again about crane 12' }));
  await dialog.getByText('Last decision: Harbour measured again.').waitFor();
  await dialog.getByLabel('Side that counts').selectOption({ label: 'Take what Plant 7 says' });
  await dialog.getByLabel('Reason').fill('Its gauge was wrong.');
  await press(page, dialog.getByRole('button', { name: 'Decide again' }));
  await rowOf(page, 'Conflicts', 'Its gauge was wrong.').getByText('counts here').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

const IMPORT_KIT = 'mutation ($input: ImportOfflineKitInput!) { importOfflineKit(input: $input) { kitDigest } }';

/** Takes a kit back by the next root, as the holders of the demo's keys would. */
const revokeKit = async (digest: string): Promise<void> => {
  const keys = await Array.fromAsync(glob('**/kit-*/*.pem', { cwd: product.dataDir }), (key) =>
    join(product.dataDir, key),
  );
  const root = join(product.dataDir, 'root-2.json');
  const run = promisify(execFile);
  const landfall = (...args: string[]) =>
    run(process.execPath, ['boot.mjs', 'landfall', 'kit', 'root', ...args], {
      env: { ...process.env, LANDFALL_DATA_DIR: product.dataDir },
    });
  const rule = ['--version', '2', '--threshold', '2', '--expires', '2038-01-01T00:00:00Z', '--revoke-kit', digest];
  await landfall('new', root, ...rule, ...keys.flatMap((key) => ['--key', `${key}.pub`]));
  await landfall('sign', root, ...keys.flatMap((key) => ['--key', key]));
  await landfall('install', root);
};

test('a kit that a later root takes back is said to be revoked, and why', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/airgap/kits' });
  const asked = await mutate(page, product.credentials, IMPORT_KIT, { folder: 'feeds-7', idempotencyKey: 'revoked' });
  await rowOf(page, 'Kits in force', 'main').waitFor();
  await revokeKit(Object(asked).importOfflineKit.kitDigest);
  await page.reload();
  const kit = rowOf(page, 'Kits in force', 'main');
  await kit.getByText('Revoked').waitFor();
  await press(page, kit.getByRole('button', { name: 'main' }));
  await page.getByText('Root 2 revokes the kit.').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});
