import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { fresh, rowOf } from './console-parts.ts';
import { arrive, press } from './people.ts';
import type { Product } from './product.ts';

/** Messages that a receiver of the test got. */
const received: string[] = [];
const receiver = createServer(async (request, response) => {
  received.push(await text(request));
  response.end();
}).listen(0, '127.0.0.1');
before(() => receiver.listening || once(receiver, 'listening'));
after(() => receiver.close());

const isAddress = (value: ReturnType<typeof receiver.address>): value is AddressInfo =>
  typeof value === 'object' && value !== null;

const addressOfReceiver = (): string => {
  const address = receiver.address();
  assert.ok(isAddress(address));
  return `http://127.0.0.1:${address.port}/hook`;
};

/** Defines a test that adds a webhook to a product. @returns the name of its channel, for the tests after it */
export const testChannel = (running: () => Product): string => {
  const channel = fresh('desk');
  test('a webhook is added by keyboard, shows its secret once, and a test of it arrives and is explained', async (t) => {
    const browser = await browserFor(t);
    if (!browser) return;
    const product = running();
    const page = await arrive(browser, product.credentials, 'admin', { path: '/notify/channels' });
    await press(page, page.getByRole('button', { name: 'Add channel' }));
    const dialog = page.getByRole('dialog', { name: 'Add channel' });
    await dialog.getByLabel('Type').selectOption('Email');
    await dialog.getByLabel('SMTP server').waitFor();
    assert.deepEqual(await barriers(page), []);
    await dialog.getByLabel('Type').selectOption('Webhook');
    await dialog.getByLabel('Name').fill(channel);
    await dialog.getByLabel('Address', { exact: true }).fill('ftp://nowhere');
    await press(page, dialog.getByRole('button', { name: 'Add channel' }));
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await dialog.getByLabel('Address', { exact: true }).fill(addressOfReceiver());
    await press(page, dialog.getByRole('button', { name: 'Add channel' }));
    await dialog.getByText('This secret is shown once').waitFor();
    await dialog.getByText(/^whsec_/).waitFor();
    await press(page, dialog.getByRole('button', { name: 'Close' }));
    await page.getByRole('heading', { level: 1, name: channel }).waitFor();
    await page.getByText(/^whsec_…/).waitFor();
    assert.deepEqual(await faults(page), []);

    await press(page, page.getByRole('button', { name: 'Send a test' }));
    await page.getByRole('heading', { level: 1, name: `channel.test on ${channel}` }).waitFor();
    await page.getByText('The receiver confirmed it.').waitFor();
    assert.equal(JSON.parse(received[0] ?? '').type, 'channel.test');
    await rowOf(page, 'Attempts', '200').getByText('Delivered').waitFor();
    assert.deepEqual(await faults(page), []);
    await press(page, page.getByRole('link', { name: 'Why this was sent: channel.test' }));
    await page.getByText('One delivery, nothing waits, nothing was kept back.').waitFor();
    await page.getByText('No rules were applied to this event.').waitFor();
    assert.deepEqual(await faults(page), []);

    await page.getByRole('link', { name: channel }).first().click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByText('This secret is shown once').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await rowOf(page, 'Signing secrets', /^whsec_…/)
      .nth(1)
      .waitFor();
    await page.context().close();
  });
  return channel;
};
