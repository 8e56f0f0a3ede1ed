// Notifications as people manage them: a rule that is tried before it is saved, what failed for good, why an event was told
// or not, a silence, and a template of one's own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers, faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { rowOf, said } from './console-parts.ts';
import { testChannel } from './notifications.fixture.ts';
import { arrive, press } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const channel = testChannel(() => product);

test('a rule is tried on an event of the past and on a pasted one, compared with the past, saved and disabled', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/notify/events?kind=deployment.failed' });
  await page.getByRole('link', { name: 'deployment.failed' }).first().click();
  await press(page, page.getByRole('button', { name: 'Try a rule on it' }));
  await page.getByRole('heading', { level: 1, name: 'New rule' }).waitFor();
  await page.getByLabel('Value', { exact: true }).fill('deployment.landed');
  await page.getByLabel('To', { exact: true }).selectOption('People');
  await page.getByRole('checkbox', { name: 'Approvers of the promotion' }).uncheck();
  await page.getByLabel('Find people').fill('Ana');
  await page.getByRole('checkbox', { name: 'Ana Duarte' }).check();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByLabel('To', { exact: true }).selectOption('A channel');
  await page.getByLabel('Channel', { exact: true }).selectOption(channel);
  await press(page, page.getByRole('button', { name: 'Try rule' }));
  await said(page, 'The event’s kind is “deployment.failed”; the rule wants eq “deployment.landed”.');
  await page.getByLabel('Value', { exact: true }).fill('deployment.failed');
  await press(page, page.getByRole('button', { name: 'Try rule' }));
  await said(page, 'All its matchers match.');
  const planned = page.getByRole('region', { name: 'Action 1' });
  await planned.getByText('Would be sent').waitFor();
  await planned.getByText(/"type": "deployment.failed"/).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByText('Pasted event').click();
  await page.getByLabel('Event in JSON').fill('{"kind": ');
  await press(page, page.getByRole('button', { name: 'Try rule' }));
  await page.locator('textarea[aria-invalid="true"]').waitFor();
  await page.getByLabel('Event in JSON').fill('{"kind":"risk.score.changed"}');
  await press(page, page.getByRole('button', { name: 'Try rule' }));
  await said(page, /The event’s kind is “risk.score.changed”/);

  await press(page, page.getByRole('button', { name: 'Compare' }));
  await rowOf(page, 'Messages by channel', channel).waitFor();
  await rowOf(page, 'Events with a difference', 'deployment.failed').first().waitFor();
  assert.deepEqual(await faults(page), []);

  await page.getByLabel('Name', { exact: true }).fill(channel);
  await page.getByLabel('Priority').fill('many');
  await press(page, page.getByRole('button', { name: 'Create rule' }));
  await page.locator('input[aria-invalid="true"]').waitFor();
  await page.getByLabel('Priority').fill('900');
  await press(page, page.getByRole('button', { name: 'Create rule' }));
  await said(page, `Saved: ${channel}. It is in force.`);
  await page.goto(`${product.credentials.baseUrl}/notify/rules`);
  const row = rowOf(page, 'Rules', channel);
  await row.getByText('kind is deployment.failed').waitFor();
  await press(page, row.getByRole('button', { name: `Disable ${channel}` }));
  await row.getByText('Disabled').waitFor();
  assert.deepEqual(await faults(page), []);

  await page.goto(`${product.credentials.baseUrl}/notify/silences?ask=inhibition`);
  const dialog = page.getByRole('dialog', { name: 'New inhibition' });
  await dialog.getByLabel('Name').fill(channel);
  await dialog.getByLabel('Value', { exact: true }).first().fill('channel.failed');
  await dialog.getByLabel('Value', { exact: true }).last().fill('deployment.failed');
  assert.deepEqual(await barriers(page), []);
  await press(page, dialog.getByRole('button', { name: 'Add', exact: true }));
  const inhibition = rowOf(page, 'Inhibitions', channel);
  await inhibition.getByText('kind is channel.failed → keeps quiet kind is deployment.failed').waitFor();
  await press(page, inhibition.getByRole('button', { name: `Remove ${channel}` }));
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await inhibition.waitFor({ state: 'detached' });
  await page.context().close();
});

test('what failed for good is counted before it is sent again, discarded with a note, or sent on another channel', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  // The demo's pager was taken away.
  const page = await arrive(browser, product.credentials, 'admin', { path: '/notify' });
  await press(page, page.getByRole('link', { name: 'Open dead letters' }));
  const rows = rowOf(page, 'Dead letters', 'deployment.failed');
  await rows.first().waitFor();
  const open = await rows.count();
  assert.ok(open >= 2, `the demo has ${open} dead letters`);
  assert.deepEqual(await faults(page), []);
  await press(page, page.getByRole('button', { name: 'Retry dead letters' }));
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${open} open dead letters will be sent again.`).waitFor();
  assert.deepEqual(await barriers(page), []);
  await press(page, dialog.getByRole('button', { name: 'Cancel' }));
  await press(page, rows.first().getByRole('button', { name: /^Discard/ }));
  await dialog.getByLabel('Reason').fill('The pager is gone for good.');
  await press(page, dialog.getByRole('button', { name: 'Discard' }));
  await said(page, 'Discarded: deployment.failed.');
  await page.getByRole('button', { name: 'Discarded' }).click();
  await rows.getByText('The pager is gone for good.').first().waitFor();

  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await rows.getByText('Open', { exact: true }).first().waitFor();
  await rows.getByRole('link', { name: 'deployment.failed' }).first().click();
  await press(page, page.getByRole('button', { name: 'Retry delivery' }));
  await dialog.getByLabel('Channel').selectOption(channel);
  await dialog.getByLabel('Reason').fill('The desk takes over.');
  await press(page, dialog.getByRole('button', { name: 'Retry delivery' }));
  await page.getByRole('heading', { level: 1, name: `deployment.failed on ${channel}` }).waitFor();
  await page.getByText('The receiver confirmed it.').waitFor();
  await page.getByRole('link', { name: 'The delivery on the other channel' }).click();
  await page.getByText('Another delivery took its place.').waitFor();
  await page.context().close();
});

test('an event is silenced from its explanation, and the silence is ended', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'manager', { path: '/notify/events?kind=deployment.failed' });
  await page.getByRole('link', { name: 'deployment.failed' }).first().click();
  await page.getByRole('table', { name: 'Rules as they were then' }).getByText('Matched').first().waitFor();
  await page.getByRole('link', { name: 'deployment', exact: true }).waitFor();
  assert.deepEqual(await faults(page), []);
  await press(page, page.getByRole('button', { name: 'Silence this' }));
  const dialog = page.getByRole('dialog', { name: 'New silence' });
  await dialog.getByLabel('Name').fill(channel);
  await press(page, dialog.getByRole('button', { name: 'Silence' }));
  await dialog.locator('textarea[aria-invalid="true"]').waitFor();
  assert.deepEqual(await barriers(page), []);
  await dialog.getByLabel('Reason').fill('The registry is being moved.');
  await press(page, dialog.getByRole('button', { name: 'Silence' }));
  await said(page, `Silenced: ${channel}.`);
  await page.goto(`${product.credentials.baseUrl}/notify/silences`);
  const row = rowOf(page, 'Silences', channel);
  await row.getByText('kind is deployment.failed', { exact: false }).waitFor();
  assert.deepEqual(await faults(page), []);
  await press(page, row.getByRole('button', { name: `End ${channel}` }));
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await row.waitFor({ state: 'detached' });
  // The page of a deployment leads to its events.
  await page.goto(`${product.credentials.baseUrl}/deployments/${product.credentials.ids.failedDeploymentId}`);
  await page.getByRole('main').getByRole('link', { name: 'Notifications' }).click();
  await page.waitForURL(/\/notify\/events\?about=/);
  await rowOf(page, 'Events', 'deployment.failed').waitFor();
  // A release manager changes no channel.
  await page.goto(`${product.credentials.baseUrl}/notify/channels`);
  await page.getByRole('link', { name: channel }).waitFor();
  assert.equal(await page.getByRole('button', { name: /Add channel|Send a test/ }).count(), 0);
  await page.context().close();
});

test('a template begins with the shipped one, shows its message while it is written, and is published and removed', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/notify/templates' });
  await page.getByRole('link', { name: 'drift.seen' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'drift.seen' }).waitFor();
  await page.getByLabel('Type', { exact: true }).selectOption('Email');
  await page.getByLabel('Language', { exact: true }).selectOption('de');
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('bytes of the subject').first().waitFor();
  await page.getByLabel('Subject', { exact: true }).fill('Ours: {{ event.kind }}');
  await preview.getByText('Ours: drift.seen').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.getByRole('textbox', { name: 'Body' }).fill('{% if %}');
  await preview.getByText('This cannot be sent as it is').waitFor();
  await page.getByLabel('Format').selectOption('Plain text');
  await page
    .getByRole('textbox', { name: 'Body' })
    .fill('What runs on {{ event.attributes.target }} was not approved.');
  await preview.getByText('was not approved.').waitFor();
  await press(page, page.getByRole('button', { name: 'Publish' }));
  await said(page, 'Published: it is in force.');
  await page.getByText('Published', { exact: true }).waitFor();
  await press(page, page.getByRole('button', { name: 'Remove template' }));
  await page.getByRole('dialog').getByRole('button', { name: 'Remove template' }).click();
  await page.getByText('Shipped', { exact: true }).waitFor();
  await page.context().close();
});
