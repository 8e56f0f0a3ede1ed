import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { fresh, rowOf, said } from './console-parts.ts';
import { arrive, mutate, press } from './people.ts';
import type { Product } from './product.ts';

const OUTSIDE = 'hooks.outside.example:443';

const Created = Type.Object({
  createNotificationChannel: Type.Object({ channel: Type.Object({ id: Type.String() }) }),
});

const CREATE = `mutation ($input: CreateNotificationChannelInput!) {
  createNotificationChannel(input: $input) { channel { id } }
}`;
const TEST = 'mutation ($input: TestNotificationChannelInput!) { testNotificationChannel(input: $input) { id } }';
const REMOVE = 'mutation ($input: RemoveNotificationChannelInput!) { removeNotificationChannel(input: $input) { id } }';

/** Adds a channel whose address is outside of this machine. @returns its id */
const addOutsideChannel = async (page: Page, { credentials }: Product): Promise<string> => {
  const webhook = { config: { url: `https://${OUTSIDE.split(':')[0]}/hook` } };
  const made = await mutate(page, credentials, CREATE, { name: fresh('outside'), webhook });
  return Parse(Created, made).createNotificationChannel.channel.id;
};

/** Defines the test of a seal, which it ends. */
export const testSeal = (running: () => Product): void => {
  test('an administrator seals after the preflight, sees what is blocked, and unseals, by keyboard', async (t) => {
    const browser = await browserFor(t);
    if (!browser) return;
    const product = running();
    const page = await arrive(browser, product.credentials, 'admin', { path: '/airgap' });
    const id = await addOutsideChannel(page, product);
    await page.getByRole('heading', { level: 1, name: 'Air gap' }).waitFor();
    assert.deepEqual(await faults(page), []);
    await page.setViewportSize({ width: 1440, height: 900 });

    await press(page, page.getByRole('button', { name: 'Seal…' }));
    const dialog = page.getByRole('dialog', { name: 'Seal the environment?' });
    const seal = dialog.getByRole('button', { name: 'Seal environment' });
    await rowOf(page, 'Destinations of Notifications', OUTSIDE).getByText('no rule matches').waitFor();
    await dialog.getByText('Acknowledge what breaks, or allow it in the policy.').waitFor();
    assert.equal(await seal.getAttribute('aria-disabled'), 'true');
    assert.deepEqual(await barriers(page), []);
    await press(page, dialog.getByRole('checkbox', { name: /stops? working$/ }), 'Space');
    await press(page, seal);
    await dialog.getByText('Enter a reason. It is recorded in the audit trail.').waitFor();
    await dialog.getByLabel('Reason').fill('Audit of the site.');
    await press(page, seal);
    await said(page, 'Sealed. Traffic that no rule allows is blocked.');
    await page.getByText('Traffic that no rule allows is blocked in every process.').waitFor();
    await page.getByText('by Ana Duarte: Audit of the site.').waitFor();

    await mutate(page, product.credentials, TEST, { channelId: id });
    await press(page, page.getByRole('button', { name: 'Blocked', exact: true }));
    const blocked = rowOf(page, 'Destinations of the last 30 days', OUTSIDE);
    await blocked.getByText('Blocked: no rule matches').waitFor();
    assert.match(page.url(), /only=blocked/);
    assert.deepEqual(await barriers(page), []);

    await press(page, page.getByRole('button', { name: 'Unseal…' }));
    const question = page.getByRole('dialog', { name: 'Unseal the environment?' });
    await question.getByLabel('Reason').fill('The audit is over.');
    await press(page, question.getByRole('button', { name: 'Unseal environment' }));
    await said(page, 'Unsealed. Traffic passes and is recorded.');
    await page.getByRole('button', { name: 'Seal…' }).waitFor();
    await mutate(page, product.credentials, REMOVE, { id });
    await page.context().close();
  });
};

/** Defines the test of a legal hold on an artifact of the demo. */
export const testHold = (running: () => Product): void => {
  test('an administrator finds a bill of materials by its bom-ref, exports its bundle, holds it, and ends the hold', async (t) => {
    const browser = await browserFor(t);
    if (!browser) return;
    const { credentials } = running();
    const bomRef = credentials.ids.artifactBomRef ?? '';
    const reason = `Audit of the releases of ${fresh('autumn')}.`;
    const page = await arrive(browser, credentials, 'admin', { path: '/evidence?type=SBOM' });
    await page.getByRole('heading', { level: 1, name: 'Evidence' }).waitFor();
    await page.getByLabel('Bom-ref or digest').fill(bomRef);
    await page.waitForURL(/about=/);
    const about = rowOf(page, 'Evidence', bomRef.slice(-4));
    await about.first().waitFor();
    assert.deepEqual(await faults(page), []);
    await page.setViewportSize({ width: 1440, height: 900 });
    await press(page, about.getByRole('link').first());
    await page.getByRole('heading', { name: 'Legal holds' }).waitFor();
    await page.getByText(bomRef).waitFor();

    await page.keyboard.press('h');
    const dialog = page.getByRole('dialog', { name: 'Place hold' });
    await dialog.getByLabel('Reason').fill('Too short');
    await press(page, dialog.getByRole('button', { name: 'Place hold' }));
    await dialog.getByText('Enter at least ten characters.').waitFor();
    await dialog.getByLabel('Reason').fill(reason);
    await press(page, dialog.getByRole('button', { name: 'Place hold' }));
    await said(page, 'Hold placed.');
    const hold = rowOf(page, 'Legal holds', reason);
    await hold.getByText('In force').waitFor();
    await press(page, rowOf(page, 'Referred to by', 'Bundle').getByRole('link').first());
    await rowOf(page, 'Artifacts', bomRef.slice(-4)).getByText('In the store').waitFor();
    await press(page, page.getByRole('button', { name: 'Export', exact: true }));
    await rowOf(page, 'Archive for auditors', '1 artifact').getByText('Complete').waitFor();
    await page.getByRole('button', { name: 'Download archive' }).waitFor();
    assert.deepEqual(await faults(page), []);
    await page.setViewportSize({ width: 1440, height: 900 });
    await press(page, rowOf(page, 'Artifacts', bomRef.slice(-4)).getByRole('link').first());
    await page.getByText(/^After that it stays because of a legal hold/).waitFor();
    assert.deepEqual(await faults(page), []);
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.goto(`${credentials.baseUrl}/evidence/holds`);
    await press(page, rowOf(page, 'Legal holds', reason).getByRole('link').first());
    await page.getByRole('heading', { name: 'Referred to by' }).waitFor();
    await press(page, hold.getByRole('button', { name: `End the hold: ${reason}` }));
    const question = page.getByRole('dialog', { name: 'End the hold?' });
    await question.getByLabel('Reason').fill('The audit is closed.');
    await press(page, question.getByRole('button', { name: 'End hold' }));
    await said(page, 'Hold ended.');
    await hold.getByText('The audit is closed.').waitFor();
    await page.context().close();
  });
};
