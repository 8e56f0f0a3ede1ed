// The console's kit by itself, from its development server: every part in both themes, and the table at 10,000 rows.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright';
import { barriers } from './axe.ts';
import { browserFor } from './browser.ts';

const root = join(import.meta.dirname, '..');

let server: ChildProcess;
let origin: string;
before(async () => {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  // Port 0 lets the system choose one; Vite says which on its first lines.
  server = spawn(process.execPath, [vite, 'console', '--host', '127.0.0.1', '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  origin = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    server.once('exit', (code) => reject(new Error(`The development server ended with ${code}. ${said}`)));
  });
});
after(() => server.kill());

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every part of the kit is without barrier in ${colorScheme}`, async (t) => {
    const browser = await browserFor(t);
    if (!browser) return;
    const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${origin}/kit.html`);
    await page.getByRole('heading', { name: 'Kit', level: 1 }).waitFor();
    assert.deepEqual(await barriers(page), []);
    await context.close();
  });
}

const longTable = async (page: Page) => {
  await page.goto(`${origin}/kit.html#long`);
  const table = page.getByRole('table', { name: 'Components' });
  await table.getByRole('link', { name: 'component-0', exact: true }).waitFor();
  return table;
};

test('a table of 10,000 rows holds only those in sight, and says where each one is', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await browser.newPage();
  const table = await longTable(page);
  assert.equal(await table.getAttribute('aria-rowcount'), '10001');
  assert.ok((await table.getByRole('row').count()) < 100);
  const last = table
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') })
    .last();
  const [, name = ''] = /component-(\d+)/.exec((await last.textContent()) ?? '') ?? [];
  assert.equal(await last.getAttribute('aria-rowindex'), String(Number(name) + 2));
  await page.close();
});

test('the keys walk the table past what was drawn, and the focus stays on the row', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await browser.newPage();
  const table = await longTable(page);
  for (let step = 0; step < 80; step++) await page.keyboard.press('j');
  const row = table.getByRole('row').filter({ has: page.getByText('component-80', { exact: true }) });
  await row.waitFor();
  assert.equal(await row.getAttribute('aria-current'), 'true');
  await row.getByRole('link').and(page.locator(':focus')).waitFor();
  await page.close();
});
