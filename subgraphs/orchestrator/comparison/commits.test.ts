import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { buildImage, buildIndex } from '@landfall/kernel/testing/oci-image';
import { commitId, type ForgeServer, startForge } from '../catalogue/integrations/forge.fixture.ts';
import { type CatalogueApp, catalogueApp, refusal } from '../testing/catalogue-app.ts';

let app: CatalogueApp;
let forge: ForgeServer;
before(async () => {
  app = await catalogueApp();
  forge = await startForge('gitea', { token: 'a-token' });
  await app.module.integrations.create(app.caller('operator'), {
    kind: 'scm',
    provider: 'gitea',
    name: 'Forge',
    baseUrl: forge.origin,
    password: 'a-token',
  });
});
beforeEach(() => {
  forge.requests.length = 0;
});
after(async () => {
  await app[Symbol.asyncDispose]();
  await forge[Symbol.asyncDispose]();
});

let count = 0;

interface Built {
  readonly source?: string;
  readonly revision?: string;
  readonly version?: string;
}

const labelsOf = (built: Built) =>
  Object.fromEntries(Object.entries(built).map(([name, value]) => [`org.opencontainers.image.${name}`, value]));

const imageOf = (built: Built) => {
  count += 1;
  return buildImage({ layers: [[{ path: 'app', content: String(count) }]], config: { Labels: labelsOf(built) } });
};

const component = (name: string, built: Built, tag = `1.0.${count}`) => {
  app.registry.push(`shop/${name}`, imageOf(built), tag);
  return { name, repository: app.registry.repository(`shop/${name}`), tag };
};

const release = (...components: readonly object[]) => {
  count += 1;
  return app.seed.finalized({ semver: `3.0.${count}`, components });
};

const COMMITS = `query ($from: ComparedInput!, $to: ComparedInput!) { releaseCommits(from: $from, to: $to) {
  isComplete tickets { key url commits }
  repositories { components repository from to compareUrl state reason total commits { id message author at url } } } }`;

const ask = async (from: { readonly id: string }, to: { readonly id: string }) => {
  const variables = { from: { releaseId: from.id }, to: { releaseId: to.id } };
  const { data, errors } = await app.graph(COMMITS, variables, { as: 'viewer' });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data)).releaseCommits;
};

const COMPONENTS = `query ($from: ComparedInput!, $to: ComparedInput!) { compareReleases(from: $from, to: $to) {
  components { name compareUrl from { version source { uri revision from } } to { version source { revision } } } } }`;

test('finalize keeps what an image says of its source, in annotations or labels, of an index too', async () => {
  const source = 'https://github.com/acme/shop';
  const [old, next] = ['a'.repeat(40), 'b'.repeat(40)];
  const index = buildIndex([
    { ...imageOf({ source, revision: next, version: '2.0.0' }), platform: 'linux/arm64' },
    { ...imageOf({ source, revision: next, version: '2.0.0' }), platform: 'linux/amd64' },
  ]);
  app.registry.push('shop/web', index, 'main');
  const from = await release(
    component('web', { source, revision: old, version: '1.9.0' }, '1.9.0-rc.1'),
    component('api', {}),
  );
  const to = await release(
    { name: 'web', repository: app.registry.repository('shop/web'), tag: 'main' },
    component('api', {}),
  );
  const variables = { from: { releaseId: from.id }, to: { releaseId: to.id } };
  const { data, errors } = await app.graph(COMPONENTS, variables, { as: 'viewer' });
  assert.equal(errors, undefined);
  const [api, web] = JSON.parse(JSON.stringify(data)).compareReleases.components;
  assert.deepEqual([api.compareUrl, api.from.source], [null, null]);
  assert.deepEqual(web, {
    name: 'web',
    compareUrl: `${source}/compare/${old}...${next}`,
    from: { version: '1.9.0-rc.1', source: { uri: source, revision: old, from: 'IMAGE' } },
    to: { version: '2.0.0', source: { revision: next } },
  });
});

test('finalize does not wait for labels that cannot be read', async () => {
  const web = component('web', { source: 'https://github.com/acme/shop', revision: 'a'.repeat(40) });
  using _fault = app.registry.fault({ kind: 'status', match: '/blobs/', status: 500 });
  const { components, status } = await release(web);
  assert.deepEqual([status, components[0]?.source, components[0]?.revision], ['finalized', null, null]);
});

test('commits come by repository with the tickets in them, and are asked for once', async () => {
  const source = `${forge.origin}/acme/shop`;
  forge.push('acme/shop', ['first', 'SHOP-1: pay by card', '<script>alert(1)</script> SHOP-2', 'SHOP-2: again']);
  await app.module.ticketRules.save(app.caller('operator'), {
    expectedVersion: 0,
    rules: [{ pattern: 'SHOP-\\d+', linkTemplate: 'https://tickets.example/{key}' }],
  });
  const at = (revision: number) => ({ source, revision: commitId(revision) });
  const from = await release(component('web', at(0)), component('api', at(0)), component('gone', at(0)));
  const to = await release(component('web', at(3)), component('api', at(3)), component('new', at(3)));
  const answer = await ask(from, to);
  const [only, ...rest] = answer.repositories;
  assert.deepEqual(rest, []);
  assert.deepEqual(only, {
    components: ['api', 'web'],
    repository: `${forge.host}/acme/shop`,
    from: commitId(0),
    to: commitId(3),
    compareUrl: `${source}/compare/${commitId(0)}...${commitId(3)}`,
    state: 'ADDED',
    reason: null,
    total: 3,
    commits: only.commits,
  });
  assert.deepEqual(
    only.commits.map(({ message }: { message: string }) => message),
    ['SHOP-2: again', '<script>alert(1)</script> SHOP-2', 'SHOP-1: pay by card'],
  );
  assert.deepEqual(answer.tickets, [
    { key: 'SHOP-2', url: 'https://tickets.example/SHOP-2', commits: [commitId(3), commitId(2)] },
    { key: 'SHOP-1', url: 'https://tickets.example/SHOP-1', commits: [commitId(1)] },
  ]);
  assert.equal(answer.isComplete, true);
  assert.equal(forge.requests.length, 1);
  using _fault = forge.fault({ kind: 'status', status: 500 });
  assert.deepEqual(await ask(from, to), answer, 'what never changes is kept');
  assert.equal(forge.requests.length, 1);
  await app.clock.advance(91 * 86_400_000);
  await app.module.runOnce.housekeeping();
  assert.equal((await ask(from, to)).repositories[0].state, 'UNKNOWN', 'and kept for 90 days');
});

test('a rollback says which commits go', async () => {
  const source = `${forge.origin}/acme/mail`;
  forge.push('acme/mail', ['first', 'second']);
  const newer = await release(component('mail', { source, revision: commitId(1) }));
  const older = await release(component('mail', { source, revision: commitId(0) }));
  const [only] = (await ask(newer, older)).repositories;
  assert.deepEqual([only.state, only.total, only.commits[0].message], ['REMOVED', 1, 'second']);
});

test('commits between releases of different products are not complete', async () => {
  const own = await release(component('own', {}));
  const other = await app.seed.finalized({
    name: 'billing',
    semver: '9.0.0',
    components: [component('foreign', {})],
  });
  assert.deepEqual(await ask(own, other), { repositories: [], tickets: [], isComplete: false });
  assert.equal((await ask(own, own)).isComplete, true);
});

test('a forge that fails leaves its commits unknown with the reason, and everything else is answered', async () => {
  const at = (name: string, revision: number) => ({
    source: `${forge.origin}/acme/${name}`,
    revision: commitId(revision),
  });
  forge.push('acme/well', ['first', 'second']);
  const from = await release(component('well', at('well', 0)), component('away', at('away', 0)));
  const to = await release(component('well', at('well', 1)), component('away', at('away', 1)));
  const { repositories, isComplete } = await ask(from, to);
  assert.deepEqual(
    repositories.map(({ components, state, reason }: Record<string, unknown>) => [components, state, reason]),
    [
      [['away'], 'UNKNOWN', `INT_RESOURCE_NOT_FOUND: ${forge.host} has no such repository or revision: Not Found`],
      [['well'], 'ADDED', null],
    ],
  );
  assert.equal(isComplete, false);
});

const revision = 'd'.repeat(40);
const unknown: readonly (readonly [what: string, from: Built, to: Built, reason: RegExp])[] = [
  ['images without labels', {}, {}, /names no source/],
  [
    'an image without a revision',
    { source: 'https://github.com/acme/shop' },
    { source: 'https://github.com/acme/shop', revision },
    /names no revision/,
  ],
  [
    'another repository',
    { source: 'https://github.com/acme/shop', revision },
    { source: 'https://github.com/acme/web', revision },
    /moved from github.com\/acme\/shop to/,
  ],
  ['an address that is none', { source: 'somewhere', revision }, { source: 'somewhere', revision }, /cannot be read/],
  [
    'a revision that is none',
    { source: 'https://github.com/a/b', revision: '../x' },
    { source: 'https://github.com/a/b', revision },
    /none that a forge/,
  ],
  [
    'a forge without an integration',
    { source: 'https://github.com/a/b', revision: 'e'.repeat(40) },
    { source: 'https://github.com/a/b', revision },
    /No integration asks github.com/,
  ],
];
for (const [name, from, to, reason] of unknown)
  test(`commits are unknown for ${name}, and no forge is asked`, async () => {
    const [before, next] = [await release(component('web', from)), await release(component('web', to))];
    const [only] = (await ask(before, next)).repositories;
    assert.deepEqual([only.state, only.commits, only.total], ['UNKNOWN', [], null]);
    assert.match(only.reason, reason);
    assert.deepEqual(forge.requests, []);
  });

test('the same revision on both sides has no commits and asks nobody', async () => {
  const built = { source: `${forge.origin}/acme/same`, revision };
  const [before, next] = [await release(component('web', built)), await release(component('web', built))];
  const [only] = (await ask(before, next)).repositories;
  assert.deepEqual([only.state, only.total, forge.requests], ['ADDED', 0, []]);
});

test('ticket rules are the product’s own, else the tenant’s, and are checked before they are saved', async () => {
  const operator = app.caller('operator');
  const { productId } = await release(component('web', {}));
  const rule = { pattern: '#(\\d+)', linkTemplate: 'https://forge.example/issues/{key}' };
  const save = (overrides: object) =>
    app.module.ticketRules.save(operator, { expectedVersion: 0, rules: [rule], ...overrides });
  assert.equal((await save({ productId })).version, 1);
  await assert.rejects(save({ productId }), refusal('RES_VERSION_CONFLICT', { expected: 0, actual: 1 }));
  const { data } = await app.graph(
    'query ($id: ID!) { ticketRules(productId: $id) { product { name } version rules { pattern linkTemplate } } }',
    { id: productId },
    { as: 'viewer' },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).ticketRules, {
    product: { name: 'shop' },
    version: 1,
    rules: [rule],
  });
  for (const [field, value] of [
    ['pattern', '(a'],
    ['pattern', '(?=a)'],
    ['linkTemplate', 'http://forge.example/{key}'],
    ['linkTemplate', 'https://forge.example/'],
  ])
    await assert.rejects(
      save({ productId, expectedVersion: 1, rules: [{ ...rule, [String(field)]: value }] }),
      refusal('VAL_INVALID_FORMAT'),
      value,
    );
  await assert.rejects(save({ productId: app.deps.ids.uuid() }), refusal('RES_NOT_FOUND'));
  await assert.rejects(
    app.module.ticketRules.save(app.caller('other-tenant'), { productId, expectedVersion: 0, rules: [rule] }),
    refusal('RES_NOT_FOUND'),
  );
});

test('a product whose own ticket rules are removed has those of the tenant again', async () => {
  const source = `${forge.origin}/acme/tea`;
  forge.push('acme/tea', ['first', 'TEA-7: pour']);
  const at = (revision: number) => component('web', { source, revision: commitId(revision) });
  const [from, to] = [await release(at(0)), await release(at(1))];
  const rulesOf = (productId?: string) =>
    app.module.ticketRules.get(app.caller('viewer'), { ...(productId && { productId }) });
  const save = async (rules: readonly object[], productId?: string) => {
    const { version: expectedVersion } = await rulesOf(productId);
    const input = { rules, expectedVersion, ...(productId && { productId }) };
    await app.module.ticketRules.save(app.caller('operator'), input);
    return (await ask(from, to)).tickets.map(({ url }: { readonly url: string }) => url);
  };
  const ruleOf = (host: string) => ({ pattern: 'TEA-\\d+', linkTemplate: `https://${host}.example/{key}` });
  await save([ruleOf('tenant')]);
  assert.deepEqual(await save([ruleOf('own')], from.productId), ['https://own.example/TEA-7']);
  assert.deepEqual(await save([], from.productId), ['https://tenant.example/TEA-7']);
});
