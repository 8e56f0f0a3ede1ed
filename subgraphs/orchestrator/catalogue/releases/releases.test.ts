import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { buildIndex } from '@landfall/kernel/testing/oci-image';
import { type CatalogueApp, catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';
import { gatedDigestSet } from './gated-digest-set.ts';
import type { Release } from './releases.store.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { releases } = app.module;
const operator = app.caller('operator');
const at = ({ id, version }: Release) => ({ id, expectedVersion: version });

const component = (name: string, tag: string, image = imageOf(`${name}:${tag}`)) => {
  const digest = app.registry.push(`shop/${name}`, image, tag);
  return { name, repository: app.registry.repository(`shop/${name}`), tag, digest };
};

const finalizing = async (components: readonly object[]) => at(await app.seed.draft({ components }));

// spec: 7.2/REL_ALREADY_FINALIZED
test('finalize resolves every tag to its digest, once and for ever', async () => {
  const web = component('web', '2.0.0');
  const api = component('api', '2.0.0');
  const components = [web, { ...api, digest: undefined, dependsOn: ['web'] }];
  const draft = await app.seed.draft({ components });
  assert.equal(draft.gatedDigestSet, null);

  const release = await releases.finalize(operator, at(draft));

  assert.equal(release.status, 'finalized');
  assert.equal(release.version, draft.version + 1);
  assert.equal(release.finalizedBy, operator.subject);
  assert.deepEqual(
    release.components.map(({ name, requestedTag, digest, dependsOn }) => ({ name, requestedTag, digest, dependsOn })),
    [
      { name: 'api', requestedTag: '2.0.0', digest: api.digest, dependsOn: ['web'] },
      { name: 'web', requestedTag: '2.0.0', digest: web.digest, dependsOn: [] },
    ],
  );
  assert.equal(release.gatedDigestSet, gatedDigestSet([web, api]));

  app.registry.push('shop/web', imageOf('moved'), '2.0.0');
  await assert.rejects(releases.finalize(operator, at(release)), refusal('REL_ALREADY_FINALIZED'));
  assert.deepEqual(await releases.get(operator, { id: release.id }), release);
});

// spec: rulings/50
test('finalize keeps each platform of an index, and gates the index itself', async () => {
  const image = (platform: string) => ({ ...imageOf(platform), platform });
  const [amd, arm64] = [image('linux/amd64'), image('linux/arm64')];
  const multi = component('multi', '1.0.0', buildIndex([amd, arm64]));
  const release = await releases.finalize(operator, await finalizing([multi]));
  assert.equal(release.components[0]?.digest, multi.digest);
  assert.equal(release.components[0]?.mediaType, 'application/vnd.oci.image.index.v1+json');
  assert.deepEqual(release.components[0]?.platforms, [
    { platform: 'linux/amd64', digest: amd.digest },
    { platform: 'linux/arm64', digest: arm64.digest },
  ]);
});

// spec: 7.2/REL_DIGEST_MISMATCH, 7.2/REL_TAG_NOT_FOUND, 7.2/INT_RESOURCE_NOT_FOUND
test('finalize refuses a tag that is another digest than declared, and a tag or repository that is not there', async () => {
  const web = component('web', '3.0.0');
  const moved = app.registry.push('shop/web', imageOf('other'), '3.0.0');
  await assert.rejects(
    releases.finalize(operator, await finalizing([web])),
    refusal('REL_DIGEST_MISMATCH', { component: 'web', tag: '3.0.0', declared: web.digest, resolved: moved }),
  );
  const noTag = { ...web, digest: undefined, tag: '3.0.1' };
  await assert.rejects(
    releases.finalize(operator, await finalizing([noTag])),
    refusal('REL_TAG_NOT_FOUND', { component: 'web', tag: '3.0.1' }),
  );
  const nowhere = { name: 'web', repository: app.registry.repository('shop/nowhere'), tag: '1' };
  await assert.rejects(
    releases.finalize(operator, await finalizing([nowhere])),
    refusal('INT_RESOURCE_NOT_FOUND', { component: 'web' }),
  );
});

test('a component by digest alone is asked for by that digest', async () => {
  const { name, repository, digest } = component('web', '4.0.0');
  const release = await releases.finalize(operator, await finalizing([{ name, repository, digest }]));
  assert.equal(release.components[0]?.digest, digest);
  const removed = { name, repository, digest: app.anyDigest };
  await assert.rejects(
    releases.finalize(operator, await finalizing([removed])),
    refusal('INT_RESOURCE_NOT_FOUND', { reference: app.anyDigest }),
  );
});

// spec: 7.2/INT_AUTH_FAILED, 7.2/INT_RATE_LIMITED, 7.2/INT_INVALID_RESPONSE
const brokenBy: readonly [fault: Parameters<CatalogueApp['registry']['fault']>[0], code: string][] = [
  [{ kind: 'corrupt', match: '/broken/' }, 'INT_INVALID_RESPONSE'],
  [{ kind: 'status', match: '/broken/', status: 401 }, 'INT_AUTH_FAILED'],
  [{ kind: 'status', match: '/broken/', status: 403 }, 'INT_AUTH_FAILED'],
  [{ kind: 'status', match: '/broken/', status: 429 }, 'INT_RATE_LIMITED'],
  [{ kind: 'status', match: '/broken/', status: 503 }, 'INT_CONNECTION_FAILED'],
  [{ kind: 'status', match: '/broken/', status: 418 }, 'INT_INVALID_RESPONSE'],
];

for (const [fault, code] of brokenBy)
  test(`finalize says ${code} of a registry that answers ${fault.kind} ${'status' in fault ? fault.status : ''}`, async () => {
    const components = await finalizing([component('broken', '1.0.0')]);
    using _fault = app.registry.fault(fault);
    await assert.rejects(releases.finalize(operator, components), refusal(code, { component: 'broken' }));
    assert.equal((await releases.get(operator, { id: components.id })).status, 'draft');
  });

// spec: 7.2/INT_CONNECTION_FAILED
test('finalize says INT_CONNECTION_FAILED of a registry that is not there', async () => {
  const absent = { name: 'web', repository: '127.0.0.1:9/shop/web', tag: '1' };
  await assert.rejects(releases.finalize(operator, await finalizing([absent])), refusal('INT_CONNECTION_FAILED'));
});

// spec: 7.2/REL_COMPONENT_MISSING
test('finalize refuses a release without components, or with a dependency on an absent one', async () => {
  await assert.rejects(releases.finalize(operator, await finalizing([])), refusal('REL_COMPONENT_MISSING'));
  const open = { ...component('web', '5.0.0'), dependsOn: ['db'] };
  await assert.rejects(
    releases.finalize(operator, await finalizing([open])),
    refusal('REL_COMPONENT_MISSING', { missing: ['db'] }),
  );
});

// spec: 7.2/RES_VERSION_CONFLICT
test('what changed while the registry was asked is not finalized', async () => {
  const draft = await app.seed.draft({ components: [component('web', '6.0.0')] });
  const addApi = () =>
    releases.addComponent(operator, {
      releaseId: draft.id,
      expectedVersion: draft.version,
      component: component('api', '6.0.0'),
    });
  using _point = arm('release.finalize.resolved', async () => void (await addApi()));
  await assert.rejects(
    releases.finalize(operator, at(draft)),
    refusal('RES_VERSION_CONFLICT', { expected: 1, actual: 2 }),
  );
  assert.equal((await releases.get(operator, { id: draft.id })).status, 'draft');
});

test('two who finalize at once: one does, the other is told', async () => {
  const components = await finalizing([component('web', '7.0.0')]);
  const settled = await Promise.allSettled([
    releases.finalize(operator, components),
    releases.finalize(operator, components),
  ]);
  assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('components are added, changed and removed in a draft, each in its version', async () => {
  const draft = await app.seed.draft({ components: [] });
  const web = component('web', '8.0.0');
  const on = (expectedVersion: number) => ({ releaseId: draft.id, expectedVersion });

  await releases.addComponent(operator, { ...on(1), component: web });
  await assert.rejects(releases.addComponent(operator, { ...on(1), component: web }), refusal('RES_VERSION_CONFLICT'));
  await assert.rejects(releases.addComponent(operator, { ...on(2), component: web }), refusal('RES_ALREADY_EXISTS'));
  const other = { ...web, name: 'api' };
  await assert.rejects(releases.updateComponent(operator, { ...on(2), component: other }), refusal('RES_NOT_FOUND'));
  const changed = await releases.updateComponent(operator, { ...on(2), component: { ...web, tag: '8.0.1' } });
  assert.equal(changed.components[0]?.requestedTag, '8.0.1');
  await assert.rejects(releases.removeComponent(operator, { ...on(3), name: 'api' }), refusal('RES_NOT_FOUND'));
  assert.deepEqual((await releases.removeComponent(operator, { ...on(3), name: 'web' })).components, []);
});

test('a component has a tag or a digest, and a name of its own', async () => {
  const { tag: _, digest: __, ...neither } = component('web', '9.0.0');
  await assert.rejects(app.seed.draft({ components: [neither] }), refusal('VAL_REQUIRED_FIELD'));
  const duplicated = component('web', '9.0.0');
  await assert.rejects(app.seed.draft({ components: [duplicated, duplicated] }), refusal('VAL_INVALID_VALUE'));
});

// spec: 7.2/RES_ALREADY_EXISTS
test('a name and version are there once', async () => {
  const { semver } = await app.seed.draft();
  await assert.rejects(app.seed.draft({ semver }), refusal('RES_ALREADY_EXISTS', { name: 'shop', semver }));
  await assert.rejects(app.seed.draft({ semver: '1.0' }), refusal('VAL_INVALID_SEMVER'));
});

// spec: 7.2/REL_INVALID_STATUS_TRANSITION, 3/release-states
test('a release lives as design 3.1 has it', async () => {
  const draft = await app.seed.draft();
  const refused = refusal('REL_INVALID_STATUS_TRANSITION', { from: 'draft' });
  await assert.rejects(releases.markReady(operator, at(draft)), refused);
  await assert.rejects(releases.hold(operator, { ...at(draft), reason: 'Wait for the review.' }), refused);
  await assert.rejects(releases.deprecate(operator, { ...at(draft), reason: 'Old.' }), refused);

  const finalized = await releases.finalize(operator, at(draft));
  assert.equal(finalized.status, 'finalized');
  const heldRelease = await releases.hold(operator, { ...at(finalized), reason: 'Wait for the review.' });
  assert.deepEqual(heldRelease.hold, {
    reason: 'Wait for the review.',
    since: app.clock.now(),
    actor: operator.subject,
  });
  await assert.rejects(releases.markReady(operator, at(heldRelease)), refusal('REL_NOT_READY'));
  const free = await releases.clearHold(operator, at(heldRelease));
  assert.equal(free.hold, null);
  await assert.rejects(releases.clearHold(operator, at(free)), refusal('RES_CONFLICT'));
  const ready = await releases.markReady(operator, at(free));
  assert.equal(ready.status, 'ready');
  const deprecated = await releases.deprecate(operator, { ...at(ready), reason: 'Old.' });
  assert.equal(deprecated.status, 'deprecated');
  await assert.rejects(releases.markReady(operator, at(deprecated)), refusal('REL_INVALID_STATUS_TRANSITION'));
  await assert.rejects(
    releases.removeComponent(operator, { releaseId: ready.id, expectedVersion: deprecated.version, name: 'web' }),
    refusal('REL_ALREADY_FINALIZED'),
  );
});

test('a hold says why, in ten characters at least', async () => {
  const release = await app.seed.finalized();
  await assert.rejects(releases.hold(operator, { ...at(release), reason: 'No.' }), refusal('VAL_TOO_SHORT'));
  await assert.rejects(
    releases.hold(operator, { ...at(release), reason: ' '.repeat(20) }),
    refusal('VAL_REQUIRED_FIELD'),
  );
});

test('another tenant’s release is not there', async () => {
  const { id } = await app.seed.draft();
  const otherCaller = app.caller('other-tenant');
  await assert.rejects(releases.get(otherCaller, { id }), refusal('RES_RELEASE_NOT_FOUND'));
  await assert.rejects(releases.finalize(otherCaller, { id, expectedVersion: 1 }), refusal('RES_RELEASE_NOT_FOUND'));
  await assert.rejects(
    releases.recordEvidence(otherCaller, { releaseId: id, type: 'sbom', digest: app.anyDigest }),
    refusal('RES_RELEASE_NOT_FOUND'),
  );
});

test('pages of releases are newest first and end', async () => {
  const created = [];
  for (const semver of ['1.0.0', '1.1.0', '1.2.0']) created.push(await app.seed.draft({ name: 'paged', semver }));
  const first = await releases.list(operator, { first: 2, filter: { name: 'paged' } });
  assert.deepEqual(
    first.items.map(({ semver }) => semver),
    ['1.2.0', '1.1.0'],
  );
  assert.equal(first.hasNextPage, true);
  const after2 = Buffer.from(first.items[1]?.id ?? '').toString('base64url');
  const rest = await releases.list(operator, { first: 2, after: after2, filter: { name: 'paged' } });
  assert.deepEqual(rest, { items: [created[0]], hasNextPage: false });
});

test('a release has no more components than an agent could read', async () => {
  const component = (i: number) => ({ name: `c-${i}`, repository: 'registry.example/shop/web', tag: '1.0.0' });
  const components = (n: number) => Array.from({ length: n }, (_, i) => component(i));
  await assert.rejects(app.seed.draft({ components: components(65) }), refusal('VAL_TOO_LONG'));
  const { id, version } = await app.seed.draft({ components: components(64) });
  const oneMore = { releaseId: id, expectedVersion: version, component: component(64) };
  await assert.rejects(releases.addComponent(operator, oneMore), refusal('VAL_TOO_LONG'));
});

test('a release tells who did what to it, and when', async () => {
  const release = await app.seed.ready();
  await releases.hold(app.caller('approver'), { ...at(release), reason: 'Wait for the review.' });
  const { data, errors } = await app.graph(
    'query ($id: ID!) { release(id: $id) { history { type actor { id } at } } }',
    {
      id: release.id,
    },
  );
  assert.equal(errors, undefined);
  const { history } = JSON.parse(JSON.stringify(data)).release;
  assert.deepEqual(
    history.map((entry: { type: string; actor: { id: string } }) => [entry.type, entry.actor.id]),
    [
      ['release.create', operator.subject],
      ['release.finalize', operator.subject],
      ['release.ready', operator.subject],
      ['release.hold', app.caller('approver').subject],
    ],
  );
});
