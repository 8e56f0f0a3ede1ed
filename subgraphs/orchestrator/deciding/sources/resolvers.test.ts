import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { catalogueApp, imageOf } from '../../testing/catalogue-app.ts';
import { ACTOR } from './poller.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

await app.seed.environment({ name: 'dev' });
const registry = app.registry.repository('shop/web');
const shop = await app.module.products.create(app.caller('operator'), {
  name: 'shop',
  components: [{ name: 'web', repository: registry }],
});

const CREATE = `mutation ($input: CreateReleaseSourceInput!) { createReleaseSource(input: $input) {
  id version component repository isEnabled policy versionScheme debounceSeconds intervalSeconds state
  selection { kind range includePrereleases pattern tag } selected { tag } product { name }
  viewerCanUpdate { allowed } viewerCanRemove { allowed } viewerCanPoll { allowed code } } }`;
const SHOW = `query ($id: ID!) { product(id: $id) {
  sources { id state problem selected { tag digest at } nextPollAt lastPollAt }
  candidate { state policy dueAt problem release { semver createdBy { id } } }
  refusedCandidates { component code reason times release { id } } } }`;

const graph = async (text: string, variables: Record<string, unknown>) => {
  const { data, errors } = await app.graph(text, variables);
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data));
};

test('a source is created, shown with what it selected, changed, polled and removed in the graph', async () => {
  const input = { productId: shop.id, component: 'web', selection: { range: '^1' }, debounceSeconds: 0 };
  const { id, version, ...created } = (await graph(CREATE, { input })).createReleaseSource;
  assert.deepEqual(created, {
    component: 'web',
    repository: registry,
    isEnabled: true,
    policy: 'DRAFT',
    versionScheme: 'IMAGE',
    debounceSeconds: 0,
    intervalSeconds: 60,
    state: 'WAITING',
    selection: { kind: 'SEMVER', range: '^1', includePrereleases: false, pattern: null, tag: null },
    selected: null,
    product: { name: 'shop' },
    viewerCanUpdate: { allowed: true },
    viewerCanRemove: { allowed: true },
    viewerCanPoll: { allowed: true, code: null },
  });
  app.registry.push('shop/web', imageOf('0.9.0'), '0.9.0');
  await app.module.runOnce.sourcePoller();
  const before = (await graph(SHOW, { id: shop.id })).product;
  assert.deepEqual(before.refusedCandidates, [
    {
      component: 'web',
      code: 'RES_NOT_FOUND',
      reason: 'web: None of 1 versions is in ^1; the highest is 0.9.0.',
      times: 1,
      release: null,
    },
  ]);
  assert.equal(before.sources[0].state, 'NO_MATCH');
  app.registry.push('shop/web', imageOf('1.0.0'), '1.0.0');
  await graph('mutation ($input: PollReleaseSourceInput!) { pollReleaseSource(input: $input) { id } }', {
    input: { id },
  });
  await app.module.runOnce.sourcePoller();
  await app.module.runOnce.releaseAssembler();
  const { candidate, sources } = (await graph(SHOW, { id: shop.id })).product;
  assert.deepEqual(candidate, {
    state: 'DONE',
    policy: 'DRAFT',
    dueAt: null,
    problem: null,
    release: { semver: '1.0.0', createdBy: { id: ACTOR } },
  });
  assert.deepEqual([sources[0].state, sources[0].selected.tag], ['SELECTED', '1.0.0']);
  const change =
    'mutation ($input: UpdateReleaseSourceInput!) { updateReleaseSource(input: $input) { version state } }';
  const changed = await graph(change, { input: { id, expectedVersion: version, isEnabled: false } });
  assert.deepEqual(changed.updateReleaseSource, { version: version + 1, state: 'DISABLED' });
  const source = '{ releaseSource(id: $id) { state viewerCanPoll { allowed code } } }';
  assert.deepEqual((await graph(`query ($id: ID!) ${source}`, { id })).releaseSource, {
    state: 'DISABLED',
    viewerCanPoll: { allowed: false, code: 'RES_CONFLICT' },
  });
  const remove = 'mutation ($input: RemoveReleaseSourceInput!) { removeReleaseSource(input: $input) { id } }';
  await graph(remove, { input: { id, expectedVersion: version + 1 } });
  assert.deepEqual((await graph(SHOW, { id: shop.id })).product.sources, []);
});
