// Changes of a release, seen before it is approved and launched: components, variables, commits and tickets.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { type Registry, startRegistry } from '@landfall/kernel/testing/oci-registry';
import type { Page } from 'playwright';
import Type from 'typebox';
import { barriers, barriersInTheDark } from './axe.ts';
import { browserFor } from './browser.ts';
import type { Client } from './clients.ts';
import { commitId, type Forge, startForge } from './forge.ts';
import { arrive, tabTo } from './people.ts';
import { type Product, startProduct } from './product.ts';
import {
  changeEnvironment,
  createTestEnvironment,
  launchUntil,
  mutate,
  requestField,
  type TestEnvironment,
} from './test-environment.ts';

const Id = Type.Object({ id: Type.String() });
const Saved = Type.Object({ version: Type.Integer() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Integer() });

/** Name that no other run of the tests has used. */
const name = `lanes-${Date.now().toString(36)}`;

const stack = new AsyncDisposableStack();
let product: Product;
let registry: Registry;
let forge: Forge;
let place: TestEnvironment;
let productId: string;
let story: { readonly first: string; readonly next: string; readonly promotion: string; readonly deployment: string };

const component = (of: string, tag: string, revision: number) => {
  const Labels = {
    'org.opencontainers.image.source': `${forge.origin}/acme/${name}`,
    'org.opencontainers.image.revision': commitId(revision),
  };
  const image = buildImage({ layers: [[{ path: 'app', content: `${of} ${tag}` }]], config: { Labels } });
  registry.push(`${name}/${of}`, image, tag);
  return { name: of, repository: registry.repository(`${name}/${of}`), tag };
};

const readyRelease = async (client: Client, of: string, semver: string, components: readonly object[]) => {
  const draft = await mutate(client, 'createRelease', { name: of, semver, components }, Versioned);
  const { id, version } = await mutate(
    client,
    'finalizeRelease',
    { id: draft.id, expectedVersion: draft.version },
    Versioned,
  );
  await mutate(client, 'markReleaseReady', { id, expectedVersion: version }, Id);
  return id;
};

const requestFor = async (releaseId: string): Promise<string> => {
  const asked = { releaseId, targetEnvironmentId: place.id, reason: 'Lanes for winter' };
  return (await mutate(place.client, 'requestPromotion', asked, Id)).id;
};

/** Creates a product whose path begins in the test's environment, with a target of its own there. */
const createProduct = async (of: string, after: readonly (string | undefined)[] = []): Promise<string> => {
  const { client } = place;
  const made = await mutate(client, 'createProduct', { name: of }, Versioned);
  const steps = [{ environmentId: place.id }, ...after.map((environmentId) => ({ environmentId, after: [place.id] }))];
  await mutate(client, 'setProductPath', { id: made.id, expectedVersion: made.version, steps }, Id);
  const [agent] = await requestField(client, '{ it: agents { id } }', {}, Type.Array(Id));
  const target = { environmentId: place.id, productId: made.id, driver: 'STATIC_SLOT', agentId: agent?.id };
  await mutate(client, 'createTarget', { ...target, name: of, config: { slot: of } }, Id);
  return made.id;
};

const LOG = (value: string) => ({ name: 'LOG', value });
const PORT = { name: 'PORT', value: '8080' };

const saveVariables = (expectedVersion: number, variables: readonly object[]) =>
  mutate(place.client, 'saveVariableSet', { environmentId: place.id, expectedVersion, variables }, Saved);

const MESSAGES = [
  'first',
  'LANE-7: wider lanes',
  '<img src="x" alt="markup"> stays text\n\nLANE-8 asked for it.',
  'LANE-7: again',
];

const DISABLE = 'mutation ($input: VersionedIntegrationInput!) { it: disableIntegration(input: $input) { id } }';

/** Connects the registry and the forge of this test, until it ends. */
const connect = async (client: Client): Promise<void> => {
  for (const integration of [
    { kind: 'REGISTRY', name: `${name} images`, baseUrl: registry.origin },
    { kind: 'SCM', provider: 'GITEA', name: `${name} sources`, baseUrl: forge.origin, password: 'a-token' },
  ]) {
    const { id, version: expectedVersion } = await mutate(client, 'createIntegration', integration, Versioned);
    stack.defer(async () => {
      await requestField(client, DISABLE, { input: { id, expectedVersion } }, Type.Unknown());
    });
  }
};

/** Deploys the first release, and after it a release of another product, which is none of what the next one replaces. */
const deployFirst = async (client: Client) => {
  await saveVariables(0, [LOG('info'), PORT]);
  const first = await readyRelease(client, name, '1.0.0', [
    component('web', '1.0.0', 0),
    component('api', '1.0.0', 0),
    component('legacy', '1.0.0', 0),
  ]);
  const deployment = await launchUntil(place, await requestFor(first), 'COMPLETED');
  await createProduct(`other-${name}`);
  const other = await readyRelease(client, `other-${name}`, '9.0.0', [component('web', '9.0.0', 1)]);
  await launchUntil(place, await requestFor(other), 'COMPLETED');
  return { first, deployment };
};

/** Requests the promotion of a release that changes components and variables. */
const requestNext = async (client: Client) => {
  await saveVariables(1, [LOG('debug'), PORT, { name: 'TOKEN', secret: 'env:LANES_TOKEN' }]);
  await changeEnvironment(place, { requiredApprovals: 1 });
  const next = await readyRelease(client, name, '1.1.0', [
    component('web', '1.1.0', 3),
    component('api', '1.0.0', 0),
    component('cart', '1.1.0', 3),
  ]);
  const promotion = await requestFor(next);
  // Nothing waits in the inbox of other tests afterwards.
  stack.defer(async () => {
    await mutate(client, 'cancelPromotion', { id: promotion, reason: 'The test is over' }, Id);
  });
  return { next, promotion };
};

before(async () => {
  product = stack.use(await startProduct());
  registry = stack.use(await startRegistry());
  forge = stack.use(await startForge(`acme/${name}`, MESSAGES));
  const { devEnvironmentId, prodEnvironmentId } = product.credentials.ids;
  place = await createTestEnvironment(product.credentials, name, 0);
  const { client } = place;
  await connect(client);
  productId = await createProduct(name, [devEnvironmentId, prodEnvironmentId]);
  const rules = [{ pattern: 'LANE-\\d+', linkTemplate: 'https://tickets.example/{key}' }];
  await mutate(client, 'saveTicketRules', { productId, expectedVersion: 0, rules }, Saved);
  story = { ...(await deployFirst(client)), ...(await requestNext(client)) };
});
after(() => stack.disposeAsync());

/** Waits for every kind of change between both releases, as each page shows them. */
const seeChanges = async (page: Page): Promise<void> => {
  const changes = page.getByRole('region', { name: 'What changes' });
  const row = (of: string) =>
    changes.getByRole('row').filter({ has: page.getByRole('rowheader', { name: of, exact: true }) });
  await row('web').getByText('changed').waitFor();
  await row('web').getByText('1.0.0', { exact: true }).waitFor();
  await row('web').getByText('1.1.0', { exact: true }).waitFor();
  assert.equal(
    await row('web').locator('mark').count(),
    2,
    'the first character that differs is marked in both digests',
  );
  await row('cart').getByText('new').waitFor();
  await row('legacy').getByText('removed').waitFor();
  assert.equal(await row('api').count(), 0, 'what stays is folded');
  await tabTo(page, changes.getByRole('button', { name: '1 unchanged: api' }));
  await page.keyboard.press('Enter');
  await row('api').getByText('unchanged').waitFor();
};

const seeVariables = async (page: Page): Promise<void> => {
  const variables = page.getByRole('region', { name: 'Variables' });
  await variables.getByText('version 1 to 2').waitFor();
  const row = (of: string) => variables.getByRole('row').filter({ hasText: of });
  await row('LOG').getByText('debug').waitFor();
  await row('TOKEN').getByText('env:LANES_TOKEN').waitFor();
  await variables.getByText('1 variable is the same.').waitFor();
};

const seeCommits = async (page: Page): Promise<void> => {
  const commits = page.getByRole('region', { name: 'Commits' });
  await commits.getByText('3 commits are new.').waitFor();
  await commits.getByText('Revisions are labels of the images, which nobody signed.').waitFor();
  const ticket = commits.getByRole('link', { name: /^LANE-7/ });
  assert.equal(await ticket.getAttribute('href'), 'https://tickets.example/LANE-7');
  assert.match(
    (await commits.getByRole('link', { name: /^Compare on 127/ }).getAttribute('href')) ?? '',
    /\/compare\/c+0\.\.\.c+3$/,
  );
  await commits.getByText('<img src="x" alt="markup"> stays text').waitFor();
  assert.equal(await commits.locator('img').count(), 0);
  const whole = commits.getByText('LANE-8 asked for it.');
  await whole.waitFor({ state: 'hidden' });
  await tabTo(page, commits.locator('summary'));
  await page.keyboard.press('Enter');
  await whole.waitFor();
};

/** Head of the comparison of a release: the address is ahead of the page. */
const headOf = (page: Page, semver: string) =>
  page.getByRole('heading', { name: new RegExp(`${name} ${semver}`), level: 1 });

/** Accessibility violations in both themes, and sideways scrolling of a narrow page. */
const faults = async (page: Page): Promise<string[]> => {
  const found = await barriers(page);
  await page.setViewportSize({ width: 320, height: 900 });
  const over = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
  if (over > 0) found.push(`${over} px too wide at 320`);
  return [...found, ...(await barriers(page)), ...(await barriersInTheDark(page))];
};

test('an approver sees what of the same product changes, and the feed does not ask the forge again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'approver');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url().replace(/.*op=/, '')));
  await page.goto(`${product.credentials.baseUrl}/inbox?item=${story.promotion}`);
  await page.getByText(`It replaces ${name} 1.0.0. It goes to 1 target.`).waitFor();
  await seeChanges(page);
  await seeVariables(page);
  await seeCommits(page);
  const again = page.waitForRequest(/op=PromotionComparison/);
  await changeEnvironment(place, { deployTimeoutSeconds: 700 });
  await again;
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  assert.equal(asked.filter((operation) => operation === 'ReleaseCommits').length, 1);
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test('a launch is prepared with the changes of the same product beside its own targets', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const path = `/releases/${story.next}/deploy?env=${place.id}`;
  const page = await arrive(browser, product.credentials, 'manager', { path });
  await page.getByText(`${name} 1.1.0 replaces ${name} 1.0.0. It goes to 1 target.`).waitFor();
  await page.getByText('Removes a component that runs there: legacy.').waitFor();
  await page.getByText('1.0.0, verified').waitFor();
  await seeChanges(page);
  await seeVariables(page);
  await seeCommits(page);
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test('a release is compared with another by keyboard, and the other way round', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: `/releases/${story.next}` });
  await page.getByRole('heading', { name: `${name} 1.1.0`, level: 1 }).waitFor();
  // Regions in parallel stand above each other, after the step before both.
  const stop = (of: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: of, exact: true }) });
  const [start, dev, prod] = await Promise.all([name, 'dev', 'prod'].map((of) => stop(of).boundingBox()));
  assert.ok(start && dev && prod);
  assert.equal(dev.x, prod.x);
  assert.ok(start.x < dev.x && dev.y !== prod.y);

  const choice = page.getByLabel('Compare with');
  await choice.getByText(`${name} 1.0.0`).waitFor({ state: 'attached' });
  await tabTo(page, choice);
  await page.keyboard.type(`${name} 1.0`);
  await tabTo(page, page.getByRole('button', { name: 'Compare', exact: true }));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/releases/${story.next}/compare/${story.first}`);
  await seeChanges(page);
  await seeCommits(page);
  assert.equal(await page.getByRole('region', { name: 'Variables' }).count(), 0, 'no environment is compared');
  assert.deepEqual(await faults(page), []);

  await page.keyboard.press('s');
  await page.waitForURL(`**/releases/${story.first}/compare/${story.next}`);
  await headOf(page, '1.0.0').waitFor();
  await page
    .getByRole('region', { name: 'What changes' })
    .getByRole('row')
    .filter({ hasText: 'legacy' })
    .getByText('new')
    .waitFor();
  await page.context().close();
});

test('a deployment shows what it changed when it was launched', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const page = await arrive(browser, product.credentials, 'viewer', { path: `/deployments/${story.deployment}` });
  const changes = page.getByRole('region', { name: 'What changed' });
  await changes.getByText(`Nothing of ${name} ran in ${name} before: everything is new.`).waitFor();
  await changes.getByRole('row').filter({ hasText: 'legacy' }).getByText('new').waitFor();
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test('commits show the tickets of changed rules once the comparison is opened again', async (t) => {
  const browser = await browserFor(t);
  if (!browser) return;
  const path = `/releases/${story.next}/compare/${story.first}`;
  const page = await arrive(browser, product.credentials, 'viewer', { path });
  const commits = page.getByRole('region', { name: 'Commits' });
  const ticket = (of: string) => commits.locator(`a[href="https://${of}/LANE-7"]`);
  await ticket('tickets.example').waitFor();
  await page.keyboard.press('s');
  await page.waitForURL(`**/releases/${story.first}/compare/${story.next}`);
  await headOf(page, '1.0.0').waitFor();
  await commits.getByText('3 commits').first().waitFor();
  const rules = [{ pattern: 'LANE-\\d+', linkTemplate: 'https://lanes.example/{key}' }];
  await mutate(place.client, 'saveTicketRules', { productId, expectedVersion: 1, rules }, Saved);
  await page.keyboard.press('s');
  await page.waitForURL(`**${path}`);
  await ticket('lanes.example').waitFor();
  await page.context().close();
});
