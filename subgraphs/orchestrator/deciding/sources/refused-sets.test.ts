import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { arm } from '@landfall/kernel/system/failpoint';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';
import { type Sources, sourcesOf } from './sources.fixture.ts';

const MINUTE = 60_000;
const acme = toTenantId('acme');

let app: CatalogueApp;
let sources: Sources;
before(async () => {
  app = await catalogueApp();
  sources = sourcesOf(app);
  await app.seed.environment({ name: 'dev', stageKind: 'dev', orderIndex: 0, requiredApprovals: 0 });
});
after(() => app[Symbol.asyncDispose]());

const counts = table('counts', { count });

/** Candidates of a product. */
const candidatesOf = async (productId: string): Promise<number> => {
  const row = await app.deps.database.read(acme, (query) =>
    query.get(
      counts,
      sql`/* test */ select count(*) from orchestrator.release_candidates where product_id = ${productId}`,
    ),
  );
  return row.count;
};

const round = async (): Promise<void> => {
  await app.clock.advance(MINUTE);
  await sources.poll();
  await sources.assemble();
};

test('a tag that is deleted after its poll is refused once, and released when it is back', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), 'stable', 'one');
  await sources.source(id, { policy: 'finalize', selection: { tag: 'stable' } });
  await sources.poll();
  app.registry.untag(path('web'), 'stable');
  for (let rounds = 0; rounds < 10; rounds++) await round();
  const settled = await candidatesOf(id);
  assert.ok(settled <= 3, `${settled} candidates`);
  for (let rounds = 0; rounds < 10; rounds++) await round();
  assert.equal(await candidatesOf(id), settled, 'no more by themselves');
  assert.match((await sources.refused(id)).map(({ reason }) => reason).join('\n'), /stable/);
  sources.push(path('web'), 'stable', 'one');
  for (let rounds = 0; rounds < 5; rounds++) await round();
  assert.deepEqual(
    (await sources.releases(id)).map(({ status }) => status),
    ['ready'],
  );
});

test('a tag that moves between each poll and its finalize is given up after a few repeats', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), 'stable', 'start');
  const web = await sources.source(id, { policy: 'finalize', selection: { tag: 'stable' }, intervalSeconds: 86_400 });
  await sources.poll();
  let moves = 0;
  {
    // The poll does not see what the finalize sees.
    using _wrongState = arm('sources.drafted', async () => {
      moves += 1;
      sources.push(path('web'), 'stable', `moved ${moves}`);
      await app.deps.database.write(acme, (tx) =>
        tx.run(sql`/* test */ update orchestrator.release_sources set next_poll_at = null where id = ${web.id}`),
      );
    });
    for (let rounds = 0; rounds < 90; rounds++) {
      await app.clock.advance(MINUTE);
      await sources.assemble();
    }
  }
  assert.equal(moves, 6);
  assert.equal((await sources.candidate(id))?.state, 'refused');
});

test('a set that a declaration refused is released when the declaration allows it', async () => {
  const { id, version, path, components } = await sources.product('web', 'api');
  sources.push(path('web'), '1.0.0');
  await sources.source(id, { policy: 'finalize' });
  await sources.pass();
  assert.match((await sources.candidate(id))?.problem ?? '', /requires api/);
  await app.module.products.update(sources.admin, {
    id,
    expectedVersion: version,
    components: components.map((each) => ({ ...each, required: each.name === 'web' })),
  });
  await sources.pass();
  assert.deepEqual(
    (await sources.releases(id)).map(({ status }) => status),
    ['ready'],
  );
});

test('a draft with a component that the product no longer declares is refused at finalize', async () => {
  const { id, version, path, components } = await sources.product('web', 'api');
  sources.push(path('web'), '1.0.0');
  sources.push(path('api'), '1.0.0');
  await sources.source(id, { policy: 'finalize' });
  await sources.source(id, { policy: 'finalize', component: 'api' });
  await sources.poll();
  await app.clock.advance(3 * MINUTE);
  {
    using _change = arm('sources.drafted', async () => {
      await app.module.products.update(sources.admin, {
        id,
        expectedVersion: version,
        components: components.filter(({ name }) => name === 'web'),
      });
    });
    await sources.assemble();
  }
  assert.deepEqual(
    (await sources.refused(id)).map(({ code }) => code),
    ['VAL_INVALID_VALUE'],
  );
  assert.equal((await sources.releases(id))[0]?.status, 'draft');
});

test('a repository that is gone for a while is released when it is back', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), '1.0.0');
  await sources.source(id, { policy: 'finalize' });
  await sources.poll();
  await app.clock.advance(3 * MINUTE);
  {
    using _gone = app.registry.fault({ kind: 'status', match: `/v2/${path('web')}/`, status: 404 });
    await sources.assemble();
  }
  assert.equal((await sources.releases(id))[0]?.status, 'draft');
  for (let rounds = 0; rounds < 4; rounds++) await round();
  assert.equal((await sources.releases(id))[0]?.status, 'ready');
});

test('sources that are disabled during the debounce release when one is enabled again', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), '1.0.0');
  const web = await sources.source(id);
  await sources.poll();
  const off = await app.module.sources.update(sources.admin, { id: web.id, expectedVersion: 1, isEnabled: false });
  await sources.pass();
  assert.deepEqual(await sources.releases(id), []);
  await app.module.sources.update(sources.admin, { id: web.id, expectedVersion: off.version, isEnabled: true });
  await sources.pass();
  assert.equal((await sources.releases(id)).length, 1);
});

test('a poll by hand gathers a set that has no release, and none that has one', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), '1.0.0');
  const web = await sources.source(id);
  await sources.poll();
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`/* test */ delete from orchestrator.release_candidates where product_id = ${id}`),
  );
  await app.module.sources.poll(sources.admin, { id: web.id });
  assert.equal((await sources.candidate(id))?.state, 'gathering');
  await sources.pass();
  assert.equal((await sources.releases(id)).length, 1);
  await app.module.sources.poll(sources.admin, { id: web.id });
  assert.equal((await sources.candidate(id))?.state, 'done');
});

test('a version that another release takes meanwhile is chosen anew', async () => {
  const { id, name, path, components } = await sources.product();
  sources.push(path('web'), '1.0.0');
  await sources.source(id, { policy: 'finalize' });
  await sources.poll();
  await app.clock.advance(3 * MINUTE);
  await app.module.releases.create(sources.admin, {
    name,
    semver: '1.0.0',
    components: components.map((each) => ({ ...each, tag: '1.0.0' })),
  });
  await sources.assemble();
  assert.deepEqual(
    (await sources.releases(id)).map(({ semver }) => semver),
    ['1.0.0+2', '1.0.0'],
  );
});

test('a registry that stays away is given up with the reason, and released when a poll finds it again', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), '1.0.0');
  await sources.source(id, { policy: 'finalize' });
  await sources.poll();
  {
    using _down = app.registry.fault({ kind: 'status', match: `/v2/${path('web')}/`, status: 503 });
    for (let rounds = 0; rounds < 60; rounds++) {
      await app.clock.advance(5 * MINUTE);
      await sources.poll();
      await sources.assemble();
    }
    assert.equal((await sources.candidate(id))?.state, 'refused');
    assert.match((await sources.refused(id))[0]?.reason ?? '', /503.*tried 40 times/);
  }
  for (let rounds = 0; rounds < 3; rounds++) {
    await app.clock.advance(60 * MINUTE);
    await sources.poll();
    await sources.assemble();
  }
  assert.equal((await sources.releases(id))[0]?.status, 'ready');
});

test('a source of a component that is no longer declared can be disabled', async () => {
  const { id, version, components } = await sources.product('web', 'api');
  const web = await sources.source(id);
  await app.module.products.update(sources.admin, {
    id,
    expectedVersion: version,
    components: components.filter(({ name }) => name === 'api'),
  });
  const off = await app.module.sources.update(sources.admin, { id: web.id, expectedVersion: 1, isEnabled: false });
  assert.equal(off.isEnabled, false);
});

test('candidates that ended are kept up to a hundred of each product', async () => {
  const { id, path } = await sources.product();
  sources.push(path('web'), '1.0.0');
  await sources.source(id);
  await sources.pass();
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`/* test */ insert into orchestrator.release_candidates (tenant, id, product_id, state, policy, first_change_at)
      select ${acme}, gen_random_uuid(), ${id}, 'refused', 'draft', kernel.now() - make_interval(hours => nth)
      from generate_series(1, 120) as nth`),
  );
  await app.module.runOnce.housekeeping();
  assert.equal(await candidatesOf(id), 100);
  assert.equal((await sources.candidate(id))?.state, 'done', 'the newest one is kept');
});

test('a product that is removed takes its sources with it', async () => {
  const { id, version, path } = await sources.product();
  sources.push(path('web'), '1.0.0');
  const web = await sources.source(id);
  await sources.poll();
  await app.module.products.remove(sources.admin, { id, expectedVersion: version });
  const requests = () => app.registry.requests.filter((request) => request.path.includes(`/${path('web')}/`)).length;
  const before = requests();
  await sources.pass();
  assert.equal(requests(), before);
  await assert.rejects(sources.current(web), /There is no release source/);
  assert.equal(await sources.candidate(id), undefined);
});
