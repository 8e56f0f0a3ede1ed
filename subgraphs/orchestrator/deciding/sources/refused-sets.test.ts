import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { count, table } from '@landfall/kernel/db/table';
import { arm } from '@landfall/kernel/system/failpoint';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';
import { type Sources, sourcesOf } from './sources.fixture.ts';

const MINUTE = 60_000;
const acme = toTenantId('acme');

let app: CatalogueApp;
let given: Sources;
before(async () => {
  app = await catalogueApp();
  given = sourcesOf(app);
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
  await given.poll();
  await given.assemble();
};

test('a tag that is deleted after its poll is refused once, and released when it is back', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), 'stable', 'one');
  await given.source(id, { policy: 'finalize', selection: { tag: 'stable' } });
  await given.poll();
  app.registry.untag(path('web'), 'stable');
  for (let rounds = 0; rounds < 10; rounds++) await round();
  const settled = await candidatesOf(id);
  assert.ok(settled <= 3, `${settled} candidates`);
  for (let rounds = 0; rounds < 10; rounds++) await round();
  assert.equal(await candidatesOf(id), settled, 'no more by themselves');
  assert.match((await given.refused(id)).map(({ reason }) => reason).join('\n'), /stable/);
  given.push(path('web'), 'stable', 'one');
  for (let rounds = 0; rounds < 5; rounds++) await round();
  assert.deepEqual(
    (await given.releases(id)).map(({ status }) => status),
    ['ready'],
  );
});

test('a tag that moves between each poll and its finalize is given up after a few repeats', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), 'stable', 'start');
  const web = await given.source(id, { policy: 'finalize', selection: { tag: 'stable' }, intervalSeconds: 86_400 });
  await given.poll();
  let moves = 0;
  {
    // The poll does not see what the finalize sees.
    using _lie = arm('sources.drafted', async () => {
      moves += 1;
      given.push(path('web'), 'stable', `moved ${moves}`);
      await app.deps.database.write(acme, (tx) =>
        tx.run(sql`/* test */ update orchestrator.release_sources set next_poll_at = null where id = ${web.id}`),
      );
    });
    for (let rounds = 0; rounds < 90; rounds++) {
      await app.clock.advance(MINUTE);
      await given.assemble();
    }
  }
  assert.equal(moves, 6);
  assert.equal((await given.candidate(id))?.state, 'refused');
});

test('a set that a declaration refused is released when the declaration allows it', async () => {
  const { id, version, path, components } = await given.product('web', 'api');
  given.push(path('web'), '1.0.0');
  await given.source(id, { policy: 'finalize' });
  await given.pass();
  assert.match((await given.candidate(id))?.problem ?? '', /requires api/);
  await app.module.products.update(given.admin, {
    id,
    expectedVersion: version,
    components: components.map((each) => ({ ...each, required: each.name === 'web' })),
  });
  await given.pass();
  assert.deepEqual(
    (await given.releases(id)).map(({ status }) => status),
    ['ready'],
  );
});

test('a draft with a component that the product no longer declares is refused at finalize', async () => {
  const { id, version, path, components } = await given.product('web', 'api');
  given.push(path('web'), '1.0.0');
  given.push(path('api'), '1.0.0');
  await given.source(id, { policy: 'finalize' });
  await given.source(id, { policy: 'finalize', component: 'api' });
  await given.poll();
  await app.clock.advance(3 * MINUTE);
  {
    using _change = arm('sources.drafted', async () => {
      await app.module.products.update(given.admin, {
        id,
        expectedVersion: version,
        components: components.filter(({ name }) => name === 'web'),
      });
    });
    await given.assemble();
  }
  assert.deepEqual(
    (await given.refused(id)).map(({ code }) => code),
    ['VAL_INVALID_VALUE'],
  );
  assert.equal((await given.releases(id))[0]?.status, 'draft');
});

test('a repository that is gone for a while is released when it is back', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), '1.0.0');
  await given.source(id, { policy: 'finalize' });
  await given.poll();
  await app.clock.advance(3 * MINUTE);
  {
    using _gone = app.registry.fault({ kind: 'status', match: `/v2/${path('web')}/`, status: 404 });
    await given.assemble();
  }
  assert.equal((await given.releases(id))[0]?.status, 'draft');
  for (let rounds = 0; rounds < 4; rounds++) await round();
  assert.equal((await given.releases(id))[0]?.status, 'ready');
});

test('sources that are disabled during the debounce release when one is enabled again', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), '1.0.0');
  const web = await given.source(id);
  await given.poll();
  const off = await app.module.sources.update(given.admin, { id: web.id, expectedVersion: 1, isEnabled: false });
  await given.pass();
  assert.deepEqual(await given.releases(id), []);
  await app.module.sources.update(given.admin, { id: web.id, expectedVersion: off.version, isEnabled: true });
  await given.pass();
  assert.equal((await given.releases(id)).length, 1);
});

test('a poll by hand gathers a set that has no release, and none that has one', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), '1.0.0');
  const web = await given.source(id);
  await given.poll();
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`/* test */ delete from orchestrator.release_candidates where product_id = ${id}`),
  );
  await app.module.sources.poll(given.admin, { id: web.id });
  assert.equal((await given.candidate(id))?.state, 'gathering');
  await given.pass();
  assert.equal((await given.releases(id)).length, 1);
  await app.module.sources.poll(given.admin, { id: web.id });
  assert.equal((await given.candidate(id))?.state, 'done');
});

test('a version that another release takes meanwhile is chosen anew', async () => {
  const { id, name, path, components } = await given.product();
  given.push(path('web'), '1.0.0');
  await given.source(id, { policy: 'finalize' });
  await given.poll();
  await app.clock.advance(3 * MINUTE);
  await app.module.releases.create(given.admin, {
    name,
    semver: '1.0.0',
    components: components.map((each) => ({ ...each, tag: '1.0.0' })),
  });
  await given.assemble();
  assert.deepEqual(
    (await given.releases(id)).map(({ semver }) => semver),
    ['1.0.0+2', '1.0.0'],
  );
});

test('a registry that stays away is given up with the reason, and released when a poll finds it again', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), '1.0.0');
  await given.source(id, { policy: 'finalize' });
  await given.poll();
  {
    using _down = app.registry.fault({ kind: 'status', match: `/v2/${path('web')}/`, status: 503 });
    for (let rounds = 0; rounds < 60; rounds++) {
      await app.clock.advance(5 * MINUTE);
      await given.poll();
      await given.assemble();
    }
    assert.equal((await given.candidate(id))?.state, 'refused');
    assert.match((await given.refused(id))[0]?.reason ?? '', /503.*tried 40 times/);
  }
  for (let rounds = 0; rounds < 3; rounds++) {
    await app.clock.advance(60 * MINUTE);
    await given.poll();
    await given.assemble();
  }
  assert.equal((await given.releases(id))[0]?.status, 'ready');
});

test('a source of a component that is no longer declared can be disabled', async () => {
  const { id, version, components } = await given.product('web', 'api');
  const web = await given.source(id);
  await app.module.products.update(given.admin, {
    id,
    expectedVersion: version,
    components: components.filter(({ name }) => name === 'api'),
  });
  const off = await app.module.sources.update(given.admin, { id: web.id, expectedVersion: 1, isEnabled: false });
  assert.equal(off.isEnabled, false);
});

test('candidates that ended are kept up to a hundred of each product', async () => {
  const { id, path } = await given.product();
  given.push(path('web'), '1.0.0');
  await given.source(id);
  await given.pass();
  await app.deps.database.write(acme, (tx) =>
    tx.run(sql`/* test */ insert into orchestrator.release_candidates (tenant, id, product_id, state, policy, first_change_at)
      select ${acme}, gen_random_uuid(), ${id}, 'refused', 'draft', kernel.now() - make_interval(hours => nth)
      from generate_series(1, 120) as nth`),
  );
  await app.module.runOnce.housekeeping();
  assert.equal(await candidatesOf(id), 100);
  assert.equal((await given.candidate(id))?.state, 'done', 'the newest one is kept');
});

test('a product that is removed takes its sources with it', async () => {
  const { id, version, path } = await given.product();
  given.push(path('web'), '1.0.0');
  const web = await given.source(id);
  await given.poll();
  await app.module.products.remove(given.admin, { id, expectedVersion: version });
  const requests = () => app.registry.requests.filter((request) => request.path.includes(`/${path('web')}/`)).length;
  const before = requests();
  await given.pass();
  assert.equal(requests(), before);
  await assert.rejects(given.current(web), /There is no release source/);
  assert.equal(await given.candidate(id), undefined);
});
