import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Id } from '@landfall/kernel/core/ids';
import { toTenantId } from '@landfall/kernel/core/ids';
import { arm } from '@landfall/kernel/system/failpoint';
import { type CatalogueApp, catalogueApp, imageOf, refusal } from '../../testing/catalogue-app.ts';
import * as candidates from './candidates.store.ts';
import { ACTOR } from './poller.ts';
import * as refused from './refused-candidates.store.ts';
import { stateOf } from './source.ts';
import type { ReleaseSource } from './sources.store.ts';

const acme = toTenantId('acme');
const MINUTE = 60_000;

let app: CatalogueApp;
let count = 0;
before(async () => {
  app = await catalogueApp({ hasEtags: true });
  await app.seed.environment({ name: 'dev', stageKind: 'dev', orderIndex: 0, requiredApprovals: 0 });
  await app.seed.environment({ name: 'prod', stageKind: 'prod', orderIndex: 100 });
});
after(() => app[Symbol.asyncDispose]());

const admin = () => app.caller('operator');
const push = (path: string, tag: string, content = `${path} ${tag}`) => app.registry.push(path, imageOf(content), tag);

/** Product of its own with the components `web` and `api`, and the paths of their repositories. */
const product = async (...names: readonly string[]) => {
  count += 1;
  const own = `product-${count}`;
  const components = (names.length > 0 ? names : ['web']).map((name) => ({
    name,
    repository: app.registry.repository(`${own}/${name}`),
  }));
  const created = await app.module.products.create(admin(), { name: own, components });
  return { id: created.id, name: own, path: (name: string) => `${own}/${name}` };
};

type Fields = Readonly<Record<string, unknown>>;

const source = (productId: Id<'Product'>, overrides: Fields = {}): Promise<ReleaseSource> =>
  app.module.sources.create(admin(), { productId, component: 'web', selection: { range: '^1.0' }, ...overrides });

const current = ({ id }: ReleaseSource) => app.module.sources.get(admin(), { id });

const poll = async (): Promise<void> => {
  while ((await app.module.runOnce.sourcePoller()) > 0);
};

const assemble = async (): Promise<void> => {
  while ((await app.module.runOnce.releaseAssembler()) > 0);
};

/** Lets every interval and debounce pass, and both workers do what is due. */
const pass = async (minutes = 3): Promise<void> => {
  await app.clock.advance(minutes * MINUTE);
  await poll();
  await app.clock.advance(minutes * MINUTE);
  await assemble();
};

const releasesOf = async (productId: Id<'Product'>) =>
  (await app.module.releases.list(admin(), { filter: { productId } })).items;

const candidateOf = async (productId: Id<'Product'>) => {
  const [newest] = await app.deps.database.read(acme, (query) => candidates.listNewest(query, acme, [productId]));
  return newest;
};

const refusedOf = (productId: Id<'Product'>) =>
  app.deps.database.read(acme, (query) => refused.listByProducts(query, acme, [productId]));

const requestsOf = (path: string) =>
  app.registry.requests.filter((request) => request.path.includes(`/${path}/`)).map(({ method }) => method);

test('a pushed version becomes a draft after the debounce, created by the sources', async () => {
  const { id, name, path } = await product();
  push(path('web'), '1.0.0');
  push(path('web'), '2.0.0');
  const digest = push(path('web'), '1.2.0');
  const web = await source(id);
  await poll();
  assert.deepEqual([(await current(web)).selectedTag, (await current(web)).selectedDigest], ['1.2.0', digest]);
  await assemble();
  assert.deepEqual(await releasesOf(id), [], 'not before the debounce');
  await app.clock.advance(2 * MINUTE);
  await assemble();
  const [release, ...others] = await releasesOf(id);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [release?.name, release?.semver, release?.status, release?.createdBy],
    [name, '1.2.0', 'draft', ACTOR],
  );
  assert.deepEqual(
    release?.components.map((component) => [component.name, component.requestedTag, component.digest]),
    [['web', '1.2.0', digest]],
  );
  assert.equal((await candidateOf(id))?.state, 'done');
  await pass();
  assert.equal((await releasesOf(id)).length, 1);
});

test('images that are pushed together make one release', async () => {
  const { id, path } = await product('web', 'api');
  push(path('web'), '1.0.0');
  await source(id);
  await poll();
  await app.clock.advance(MINUTE);
  push(path('api'), '1.7.0');
  await source(id, { component: 'api' });
  await poll();
  await app.clock.advance(1.5 * MINUTE);
  await assemble();
  assert.equal((await releasesOf(id)).length, 0, 'the second push began the debounce again');
  await app.clock.advance(MINUTE);
  await assemble();
  const all = await releasesOf(id);
  assert.deepEqual(
    all.map(({ semver, components }) => [semver, components.map(({ name }) => name)]),
    [['1.7.0', ['api', 'web']]],
  );
});

test('changes without end do not delay a release beyond five debounces', async () => {
  const { id, path } = await product();
  const web = await source(id, { selection: { pattern: 'main-{build}' } });
  for (let build = 1; build <= 12 && (await releasesOf(id)).length === 0; build++) {
    push(path('web'), `main-${build}`);
    await app.module.sources.poll(admin(), { id: web.id });
    await poll();
    await assemble();
    await app.clock.advance(MINUTE);
  }
  assert.equal((await releasesOf(id)).length, 1);
});

test('components without a source come from the newest release', async () => {
  const { id, name, path } = await product('web', 'api');
  push(path('web'), '1.0.0');
  const digest = push(path('api'), '3.0.0');
  const components = ['web', 'api'].map((each) => ({
    name: each,
    repository: app.registry.repository(path(each)),
    tag: each === 'web' ? '1.0.0' : '3.0.0',
    ...(each === 'web' && { dependsOn: ['api'] }),
  }));
  const { id: first, version } = await app.module.releases.create(admin(), { name, semver: '1.0.0', components });
  await app.module.releases.finalize(admin(), { id: first, expectedVersion: version });
  await source(id);
  await pass();
  assert.equal((await releasesOf(id)).length, 1, 'the same images are no new release');
  push(path('web'), '1.1.0');
  await pass();
  const [newest] = await releasesOf(id);
  assert.equal(newest?.semver, '1.1.0');
  const [api, web] = newest?.components ?? [];
  assert.deepEqual([api?.digest, web?.requestedTag, web?.dependsOn], [digest, '1.1.0', ['api']]);
});

test('a policy goes as far as it says, and the first step is requested by the sources', async () => {
  for (const policy of ['draft', 'finalize', 'request'] as const) {
    const { id, path } = await product();
    push(path('web'), '1.0.0');
    await source(id, { policy });
    await pass();
    const [release] = await releasesOf(id);
    assert.equal(release?.status, { draft: 'draft', finalize: 'ready', request: 'ready' }[policy]);
    const { items: rows } = await app.module.promotions.list(admin(), { filter: { releaseId: release?.id } });
    assert.deepEqual(
      rows.map(({ requestedBy, state, sourceEnvironmentId }) => [requestedBy, state, sourceEnvironmentId]),
      policy === 'request' ? [[ACTOR, 'approved', null]] : [],
    );
    assert.equal((await candidateOf(id))?.state, 'done');
  }
});

test('the most careful policy of the sources counts', async () => {
  const { id, path } = await product('web', 'api');
  push(path('web'), '1.0.0');
  push(path('api'), '1.0.0');
  await source(id, { policy: 'request' });
  await source(id, { component: 'api', policy: 'finalize' });
  await pass();
  const [release] = await releasesOf(id);
  assert.equal(release?.status, 'ready');
  assert.deepEqual((await app.module.promotions.list(admin(), { filter: { releaseId: release?.id } })).items, []);
});

test('a release that lacks evidence is requested when it has it', async () => {
  const { id, path } = await product();
  const strict = await app.module.environments.create(admin(), {
    name: 'strict',
    orderIndex: 200,
    stageKind: 'test',
    requiredEvidence: ['sbom'],
  });
  await app.module.products.setPath(admin(), {
    id,
    expectedVersion: 1,
    steps: [{ environmentId: strict.id, after: [] }],
  });
  push(path('web'), '1.0.0');
  await source(id, { policy: 'request' });
  await pass();
  const [release] = await releasesOf(id);
  assert.ok(release);
  assert.equal(release.status, 'finalized');
  assert.match((await candidateOf(id))?.problem ?? '', /lacks evidence: sbom/);
  await app.module.releases.recordEvidence(admin(), { releaseId: release.id, type: 'sbom', digest: app.anyDigest });
  await pass(6);
  const { items: rows } = await app.module.promotions.list(admin(), { filter: { releaseId: release.id } });
  assert.equal(rows.length, 1);
  assert.equal((await candidateOf(id))?.state, 'done');
});

test('a moving tag is followed by its digest, and versions are counted', async () => {
  const { id, path } = await product();
  push(path('web'), 'stable', 'first');
  await source(id, { selection: { tag: 'stable' }, versionScheme: 'counter' });
  await pass();
  push(path('web'), 'stable', 'second');
  await pass();
  push(path('web'), 'stable', 'first');
  await pass();
  assert.deepEqual(
    (await releasesOf(id)).map(({ semver }) => semver),
    ['0.1.1', '0.1.0'],
    'a set that was there before makes no release again',
  );
  assert.deepEqual([...new Set(requestsOf(path('web')))].toSorted(), ['GET', 'HEAD']);
});

test('a poll that finds nothing new costs two requests without a body, and moves no version', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  const web = await source(id);
  await pass();
  const { length } = requestsOf(path('web'));
  const currentSource = await current(web);
  await app.clock.advance(2 * MINUTE);
  await poll();
  assert.deepEqual(requestsOf(path('web')).slice(length), ['GET', 'HEAD']);
  const now = await current(web);
  assert.equal(now.version, currentSource.version);
  assert.ok((now.lastPollAt ?? 0) > (currentSource.lastPollAt ?? 0));
  assert.equal(stateOf(now), 'selected');
});

test('polls are an interval apart, a tenth more or less', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  const web = await source(id, { intervalSeconds: 600 });
  await poll();
  const { lastPollAt, nextPollAt } = await current(web);
  const pause = (nextPollAt?.getTime() ?? 0) - (lastPollAt?.getTime() ?? 0);
  assert.ok(pause >= 540_000 && pause <= 660_000, String(pause));
});

test('a version that was selected and is gone is not replaced by an older one', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  push(path('web'), '1.1.0');
  const web = await source(id);
  await pass();
  app.registry.untag(path('web'), '1.1.0');
  await pass();
  assert.equal((await current(web)).selectedTag, '1.1.0');
  assert.equal(stateOf(await current(web)), 'no_match');
  assert.equal((await releasesOf(id)).length, 1);
  const [reason] = await refusedOf(id);
  assert.match(reason?.reason ?? '', /^web: 1\.0\.0 is older than 1\.1\.0/);
});

test('another selection selects anew, also something older', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  push(path('web'), '2.0.0');
  const web = await source(id, { selection: { range: '*' } });
  await pass();
  await app.module.sources.update(admin(), { id: web.id, expectedVersion: 1, selection: { range: '^1' } });
  await pass();
  assert.equal((await current(web)).selectedTag, '1.0.0');
  assert.deepEqual(
    (await releasesOf(id)).map(({ semver }) => semver),
    ['1.0.0', '2.0.0'],
  );
});

test('an edit that sends the same selection keeps what is selected', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  const web = await source(id);
  await poll();
  const { selectedTag, selectedAt } = await current(web);
  assert.equal(selectedTag, '1.0.0');
  const edited = await app.module.sources.update(admin(), {
    id: web.id,
    expectedVersion: 1,
    selection: { range: '^1.0' },
    debounceSeconds: 5,
  });
  assert.deepEqual([edited.selectedTag, edited.selectedAt], [selectedTag, selectedAt]);
});

test('a rule that selects nothing says what there is, once however often it is asked', async () => {
  const { id, path } = await product();
  push(path('web'), '0.9.0');
  const web = await source(id);
  await pass();
  await pass();
  const [row, ...others] = await refusedOf(id);
  assert.deepEqual(others, []);
  assert.equal(row?.reason, 'web: None of 1 versions is in ^1.0; the highest is 0.9.0.');
  assert.ok((row?.times ?? 0) >= 2);
  assert.equal((await current(web)).problem, 'None of 1 versions is in ^1.0; the highest is 0.9.0.');
  assert.equal(await candidateOf(id), undefined);
});

test('a registry that is down is polled less each time, and the release comes when it is back', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  const web = await source(id);
  {
    using _down = app.registry.fault({ kind: 'status', match: `/v2/${path('web')}/`, status: 503 });
    const pauses: number[] = [];
    for (let i = 0; i < 4; i++) {
      await poll();
      const { nextPollAt, lastPollAt, failures } = await current(web);
      assert.equal(failures, i + 1);
      const pause = (nextPollAt?.getTime() ?? 0) - (lastPollAt?.getTime() ?? 0);
      pauses.push(pause);
      await app.clock.advance(pause + 1);
    }
    assert.ok(pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0) * 1.5));
    assert.equal(stateOf(await current(web)), 'failing');
    assert.match((await current(web)).problem ?? '', /503/);
  }
  await pass();
  assert.equal(stateOf(await current(web)), 'selected');
  assert.equal((await releasesOf(id)).length, 1);
});

test('a tag that is no image is refused with the reason', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  const web = await source(id);
  {
    using _bad = app.registry.fault({ kind: 'corrupt', match: `/v2/${path('web')}/manifests/` });
    await poll();
  }
  assert.equal(stateOf(await current(web)), 'failing');
  const [row] = await refusedOf(id);
  assert.equal(row?.code, 'INT_INVALID_RESPONSE');
});

test('a list of 100,000 tags is cut with a reason, and a moving tag of it is followed', async () => {
  const { id, path } = await product('web', 'api');
  const image = imageOf('many');
  for (let index = 0; index < 100_000; index++) app.registry.push(path('web'), image, `1.0.${index}`);
  const web = await source(id);
  await poll();
  assert.match((await current(web)).problem ?? '', /lists more than 10000 tags/);
  assert.ok(requestsOf(path('web')).length <= 22);
  await app.module.sources.update(admin(), { id: web.id, expectedVersion: 1, selection: { tag: '1.0.5' } });
  await poll();
  assert.equal((await current(web)).selectedTag, '1.0.5');
});

test('a tag that moves between poll and finalize is refused, and what it moved to is released', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0', 'polled');
  await source(id, { policy: 'finalize' });
  await poll();
  const moved = push(path('web'), '1.0.0', 'moved');
  await app.clock.advance(2 * MINUTE);
  await assemble();
  const [draft] = await releasesOf(id);
  assert.equal(draft?.status, 'draft');
  const [row] = await refusedOf(id);
  assert.deepEqual([row?.code, row?.releaseId], ['REL_DIGEST_MISMATCH', draft?.id]);
  await pass();
  const [release, ...others] = await releasesOf(id);
  assert.deepEqual(others, [], 'the draft of the refused set is used');
  assert.deepEqual([release?.semver, release?.status, release?.components[0]?.digest], ['1.0.0', 'ready', moved]);
});

test('a version whose tag moves after its release has build metadata', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0', 'one');
  await source(id, { policy: 'finalize' });
  await pass();
  push(path('web'), '1.0.0', 'two');
  await pass();
  assert.deepEqual(
    (await releasesOf(id)).map(({ semver }) => semver),
    ['1.0.0+2', '1.0.0'],
  );
});

test('a draft that somebody changed is left to them', async () => {
  const { id, path } = await product('web', 'api');
  push(path('web'), '1.0.0');
  push(path('api'), '1.0.0');
  await app.module.products.update(admin(), {
    id,
    expectedVersion: 1,
    components: ['web', 'api'].map((each) => ({
      name: each,
      repository: app.registry.repository(path(each)),
      required: false,
    })),
  });
  await source(id, { policy: 'finalize' });
  await poll();
  await app.clock.advance(2 * MINUTE);
  {
    using _crash = arm('sources.drafted', () => Promise.reject(new Error('killed')));
    await assemble();
  }
  const [draft] = await releasesOf(id);
  assert.ok(draft);
  await app.module.releases.addComponent(admin(), {
    releaseId: draft.id,
    expectedVersion: draft.version,
    component: { name: 'api', repository: app.registry.repository(path('api')), tag: '1.0.0' },
  });
  await pass();
  assert.equal((await releasesOf(id))[0]?.status, 'draft');
  assert.match((await candidateOf(id))?.problem ?? '', /changed by somebody/);
});

test('a product that lacks a required component is told why nothing is released', async () => {
  const { id, path } = await product('web', 'api');
  push(path('web'), '1.0.0');
  await source(id, { policy: 'finalize' });
  await pass();
  const [row] = await refusedOf(id);
  assert.deepEqual([row?.code, row?.component], ['REL_COMPONENT_MISSING', null]);
  assert.match(row?.reason ?? '', /requires api/);
  assert.equal((await candidateOf(id))?.state, 'refused');
});

test('a source that has no image yet holds back the others', async () => {
  const { id, path } = await product('web', 'api');
  push(path('web'), '1.0.0');
  await source(id);
  const api = await source(id, { component: 'api' });
  await pass();
  assert.deepEqual(await releasesOf(id), []);
  assert.match((await refusedOf(id)).map(({ reason }) => reason).join('\n'), /api has no image yet/);
  push(path('api'), '1.0.0');
  await app.module.sources.poll(admin(), { id: api.id });
  await pass();
  assert.equal((await releasesOf(id)).length, 1);
});

test('a component that the product does not declare, or declares elsewhere, gets no source', async () => {
  const { id, path } = await product();
  await assert.rejects(source(id, { component: 'db' }), refusal('VAL_INVALID_VALUE'));
  await assert.rejects(source(id, { repository: 'other.example/web' }), refusal('VAL_INVALID_VALUE'));
  const web = await source(id);
  assert.equal(web.repository, app.registry.repository(path('web')));
  await assert.rejects(source(id), refusal('RES_ALREADY_EXISTS'));
  const free = await app.module.products.create(admin(), { name: `free-${count}` });
  await assert.rejects(source(free.id), refusal('VAL_REQUIRED_FIELD'));
});

test('a selection is one rule that can be read', async () => {
  const { id } = await product();
  for (const [selection, code] of [
    [{}, 'VAL_REQUIRED_FIELD'],
    [{ range: '^1', tag: 'stable' }, 'VAL_INVALID_VALUE'],
    [{ range: 'one' }, 'VAL_INVALID_VALUE'],
    [{ pattern: '(a+)+$' }, 'VAL_INVALID_VALUE'],
    [{ tag: 'a b' }, 'VAL_INVALID_VALUE'],
  ] as const)
    await assert.rejects(source(id, { selection }), refusal(code));
});

test('a disabled source is not polled, and an enabled one is at once', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  const web = await source(id, { isEnabled: false });
  await pass();
  assert.deepEqual(requestsOf(path('web')), []);
  await assert.rejects(app.module.sources.poll(admin(), { id: web.id }), refusal('RES_CONFLICT'));
  await app.module.sources.update(admin(), { id: web.id, expectedVersion: 1, isEnabled: true });
  await pass();
  assert.equal((await releasesOf(id)).length, 1);
  const enabled = await current(web);
  await app.module.sources.remove(admin(), { id: web.id, expectedVersion: enabled.version });
  push(path('web'), '1.1.0');
  await pass();
  assert.equal((await releasesOf(id)).length, 1);
});

test('settings that change during a poll are those of the next one', async () => {
  const { id, path } = await product();
  push(path('web'), '1.0.0');
  push(path('web'), '2.0.0');
  const web = await source(id);
  {
    using _change = arm('sources.polled', async () => {
      const { version } = await current(web);
      if (version === 1)
        await app.module.sources.update(admin(), { id: web.id, expectedVersion: 1, selection: { range: '^2' } });
    });
    await poll();
  }
  assert.equal((await current(web)).selectedTag, '2.0.0');
});

test('sources are created by administrators and polled by operators', async () => {
  const { id } = await product();
  const web = await source(id);
  const create = app.module.sources.create(app.caller('viewer'), {
    productId: id,
    component: 'web',
    selection: { range: '*' },
  });
  await assert.rejects(create, refusal('PERM_SCOPE_DENIED'));
  await assert.rejects(app.module.sources.poll(app.caller('viewer'), { id: web.id }), refusal('PERM_SCOPE_DENIED'));
});
