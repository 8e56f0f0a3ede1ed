// Estate and its drift, walked and accepted by the keyboard alone; and a target that is enrolled without a mouse.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { faults } from './axe.ts';
import { browserFor } from './browser.ts';
import { clientOf } from './clients.ts';
import { arrive, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const isFocused = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => node === node.ownerDocument.activeElement);

/** Tabs into a field of cells, whose one tab stop is its first cell. */
const enterGrid = async (page: Page, grid: Locator): Promise<void> => {
  await grid.waitFor();
  await tabTo(page, grid.locator('[data-cell]').first());
};

test('the matrix is walked by arrows, and Enter opens the deployment of a cell', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/environments' });
  const matrix = page.getByRole('grid', { name: 'Versions of components by environment' });
  await enterGrid(page, matrix);
  // Rows are sorted by product, and other tests have products and environments of their own here.
  const cells = matrix
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: /shop$/ }) })
    .first()
    .locator('[data-cell]');
  const rows = await matrix.getByRole('row').count();
  for (let row = 0; row < rows && !(await isFocused(cells.first())); row++) await page.keyboard.press('ArrowDown');

  await page.keyboard.press('ArrowRight');
  assert.ok(await isFocused(cells.nth(1)));
  await page.keyboard.press('End');
  assert.ok(await isFocused(cells.last()));
  await page.keyboard.press('Home');
  assert.ok(await isFocused(cells.first()));
  const isDeployed = (cell: Locator) => cell.evaluate((node) => node.tagName === 'A');
  for (let column = 0; !(await isDeployed(cells.nth(column))); column++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/deployments\/[0-9a-f-]{36}/);
});

test('the drift map is walked by arrows, Enter narrows the table, and one key shows all again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: '/estate' });
  const map = page.getByRole('grid', { name: 'Drift by environment and component' });
  await enterGrid(page, map);

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const cell = map.getByRole('row').nth(2).locator('[data-cell]').nth(1);
  assert.ok(await isFocused(cell));
  const component = /^([^,]+),/.exec((await cell.getAttribute('aria-label')) ?? '')?.[1] ?? '';
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]env=[0-9a-f-]{36}/);
  assert.equal(new URL(page.url()).searchParams.get('component'), component);

  await page.keyboard.press('Escape');
  await page.waitForURL(/\/estate$/);
});

test('a drift is accepted with a reason until a day, and stays a drift that somebody owns', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'admin', { path: '/estate?state=DRIFT' });
  await tabTo(page, page.getByRole('button', { name: 'Accept…' }).first());
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Accept the drift of/ });
  await tabTo(page, dialog.getByLabel('Reason'));
  await page.keyboard.type('The hand-made page stays until Monday.');
  await tabTo(page, dialog.getByRole('button', { name: 'Accept drift' }));
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Withdraw acceptance…' }).first().waitFor();
  const operator = await clientOf(credentials, 'operator');
  const { body } = await operator.graph(
    '{ estate { status { drift deviations } deviations { edges { node { reason target { id } } } } } }',
  );
  assert.partialDeepStrictEqual(body, {
    data: {
      estate: {
        status: { deviations: 1 },
        deviations: {
          edges: [
            {
              node: {
                reason: 'The hand-made page stays until Monday.',
                target: { id: credentials.ids.driftedTargetId },
              },
            },
          ],
        },
      },
    },
  });
});

test('the estate fits every width, with drifts that can be accepted', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'admin', { path: '/estate' });
  const placements = page.getByRole('table', { name: 'Placements' });
  await placements
    .getByRole('button', { name: /^(Accept|Withdraw acceptance)…/ })
    .first()
    .waitFor();
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

const Created = Type.Object({
  data: Type.Object({ createEnvironment: Type.Object({ id: Type.String() }) }),
});

const Targets = Type.Object({
  data: Type.Object({
    environment: Type.Object({
      targets: Type.Array(
        Type.Object({
          name: Type.String(),
          driver: Type.String(),
          config: Type.Object({ slot: Type.Union([Type.String(), Type.Null()]) }),
          agent: Type.Union([Type.Object({ name: Type.String() }), Type.Null()]),
        }),
      ),
    }),
  }),
});

test('a target is enrolled by keyboard: a missing field is told at its place, then it stands beside the page', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const operator = await clientOf(credentials, 'operator');
  // The last on the path: nothing of the demo is deployed there.
  const environment = { name: 'quay', orderIndex: 900, stageKind: 'TEST', requiredApprovals: 0 };
  const create = 'mutation ($input: CreateEnvironmentInput!) { createEnvironment(input: $input) { id } }';
  const { id } = Parse(Created, (await operator.graph(create, { input: environment })).body).data.createEnvironment;
  const page = await arrive(browser, credentials, 'admin', { path: `/environments/${id}` });
  await page.getByRole('button', { name: 'Create target' }).waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Create a target in quay' });
  await dialog.getByLabel('Target', { exact: true }).waitFor();
  await page.keyboard.type('pages');
  await tabTo(page, dialog.getByLabel('Driver'));
  await page.keyboard.type('Static');
  await dialog.getByLabel('Slot').waitFor();
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Create target' }));
  await page.keyboard.press('Enter');
  await dialog.getByText('This field is required.').waitFor();
  assert.ok(await isFocused(dialog.getByLabel('Slot')));
  await page.keyboard.type('pages');
  await page.keyboard.press('Enter');

  // The new target is open beside the page, and its panel has the focus.
  await page.waitForURL(/[?&]target=[0-9a-f-]{36}/);
  const panel = page.getByRole('complementary', { name: 'pages' });
  await panel.getByText('Static slot').waitFor();
  const query = 'query ($id: ID!) { environment(id: $id) { targets { name driver config { slot } agent { name } } } }';
  const { body } = await operator.graph(query, { id });
  const made = Parse(Targets, body).data.environment.targets.find(({ name }) => name === 'pages');
  assert.partialDeepStrictEqual(made, { driver: 'STATIC_SLOT', config: { slot: 'pages' } });
  assert.notEqual(made?.agent, null);
});

test('an environment is kept for one product at a time by its policy, which then says so', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const operator = await clientOf(credentials, 'operator');
  const environment = { name: 'lock-chamber', orderIndex: 910, stageKind: 'TEST' };
  const create = 'mutation ($input: CreateEnvironmentInput!) { createEnvironment(input: $input) { id } }';
  const { id } = Parse(Created, (await operator.graph(create, { input: environment })).body).data.createEnvironment;
  const page = await arrive(browser, credentials, 'admin', { path: `/environments/${id}` });
  const policy = page.getByRole('region', { name: 'Policy' });
  await policy.getByText('Several, each by itself').waitFor();
  await tabTo(page, policy.getByRole('button', { name: 'Edit policy…' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Edit lock-chamber' });
  await tabTo(page, dialog.getByLabel('Products at a time'));
  await page.keyboard.type('Only');
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await policy.getByText('Only one').waitFor();
  const query = 'query ($id: ID!) { environment(id: $id) { isExclusive } }';
  const { body } = await operator.graph(query, { id });
  assert.partialDeepStrictEqual(body, { data: { environment: { isExclusive: true } } });
  await page.context().close();
});

test('variables are saved as a version, after what it changes was shown', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'admin', { path: `/environments/${credentials.ids.environmentId}` });
  await page.getByRole('button', { name: 'Edit variables…' }).waitFor();
  await page.keyboard.press('v');
  const dialog = page.getByRole('dialog', { name: 'Edit the variables' });
  await dialog.getByText('No changes to save.').waitFor();
  await tabTo(page, dialog.getByRole('button', { name: 'Add variable' }));
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByLabel('Name', { exact: true }));
  await page.keyboard.type('LOG_LEVEL');
  await tabTo(page, dialog.getByLabel('Value', { exact: true }));
  await page.keyboard.type('debug');
  await dialog.getByRole('table', { name: 'Changes' }).getByText('debug').waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('region', { name: 'Variables' }).getByText('version 1').waitFor();
  const operator = await clientOf(credentials, 'operator');
  const { body } = await operator.graph(
    'query ($id: ID!) { environment(id: $id) { variableSet { version variables { name value } } } }',
    { id: credentials.ids.environmentId },
  );
  assert.partialDeepStrictEqual(body, {
    data: { environment: { variableSet: { version: 1, variables: [{ name: 'LOG_LEVEL', value: 'debug' }] } } },
  });
});

test('who may not administer an environment is shown the rule where others have the verb', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const { credentials } = product;
  const page = await arrive(browser, credentials, 'viewer', { path: `/environments/${credentials.ids.environmentId}` });
  await page.getByText('Changing this needs orch:admin.').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^(Create target|Edit |Roll back)/ }).count(), 0);
  await page.getByText('PERM_SCOPE_DENIED').first().waitFor();
});
