// A person adds an address, proves it by the code that comes there, and sets quiet hours, by the keyboard alone.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { clientOf } from './clients.ts';
import { arrive, press, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

test('a person verifies an address and sets quiet hours on the page My notifications', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const bodies: string[] = [];
  const receiver = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.end('{"ok": true, "ts": "1.1"}');
  }).listen(0, '127.0.0.1');
  t.after(() => receiver.close());
  await once(receiver, 'listening');
  // Stands for Slack's Web API, since a person's own webhook may not be on this machine.
  const apiUrl = `http://127.0.0.1:${Object(receiver.address()).port}`;
  const own = 'U0VICTOR';
  const { credentials } = product;
  const administrator = await clientOf(credentials, 'operator');
  const slack = { config: { channel: 'C0TEAM', apiUrl }, credential: { botToken: 'xoxb-1' } };
  const created = await administrator.graph(
    'mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) { channel { id } } }',
    { input: { name: 'Slack', forPeople: true, slack } },
  );
  assert.equal(Object(created.body).errors, undefined, JSON.stringify(created.body));

  const page = await arrive(browser, credentials, 'viewer', { path: '/settings' });
  await press(page, page.getByRole('link', { name: 'Addresses and quiet hours' }));
  await page.getByText('No addresses yet').waitFor();
  await press(page, page.getByRole('button', { name: 'Add an address' }));
  const adding = page.getByRole('dialog', { name: 'Add an address' });
  await tabTo(page, adding.getByLabel('Address'));
  await page.keyboard.type(own);
  await page.keyboard.press('Enter');
  const verifying = page.getByRole('dialog', { name: `Verify ${own}` });
  await verifying.getByLabel('Code').waitFor();
  const code = /Your code is (\d{6})/.exec(bodies.at(-1) ?? '')?.[1] ?? '';
  await tabTo(page, verifying.getByLabel('Code'));
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: `${own} Slack Verified` }).waitFor();

  await press(page, page.getByRole('button', { name: 'Change' }));
  const form = page.getByRole('dialog', { name: 'Preferences' });
  await tabTo(page, form.getByLabel('Quiet from'));
  await page.keyboard.type('22:00');
  await tabTo(page, form.getByLabel('Quiet to'));
  await page.keyboard.type('07:00');
  await page.keyboard.press('Enter');
  await page.getByText('22:00 to 07:00').waitFor();
  assert.deepEqual(await faults(page), []);

  await press(page, page.getByRole('button', { name: `Remove ${own}` }));
  const removing = page.getByRole('dialog', { name: `Remove ${own}` });
  await press(page, removing.getByRole('button', { name: 'Remove address' }));
  await page.getByText('No addresses yet').waitFor();
});
