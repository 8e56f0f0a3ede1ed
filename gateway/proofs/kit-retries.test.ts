import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@landfall/airgap/testing/airgap-app';
import { sql } from '@landfall/kernel/db/sql';
import { until } from '@landfall/kernel/testing/until';
import { feedImporter } from '@landfall/scanner';
import { kitSite, osv } from './offline-kits.fixture.ts';

test('an import whose channel another process has waits for a later turn, however often', async () => {
  await using home = await kitSite();
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  const { id } = await home.module.kitImports.request(operator, { folder });
  const [locked, done] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const other = home.deps.database.system.write(async (tx) => {
    locked.resolve(await tx.run(sql`/* test.lock */ select pg_advisory_xact_lock(hashtextextended('*/main', 7))`));
    await done.promise;
  });
  await locked.promise;
  for (let turn = 0; turn < 7; turn++) {
    assert.equal(await home.module.importKits(), 1);
    assert.equal(await home.module.importKits(), 0, 'it is not due at once');
    await home.clock.advance(11_000);
  }
  done.resolve();
  await other;
  assert.partialDeepStrictEqual(await home.module.kitImports.get(operator, { id }), { state: 'queued', attempts: 0 });
  await home.module.importKits();
  assert.partialDeepStrictEqual(await home.module.kitImports.get(operator, { id }), { state: 'complete' });
});

/** A site whose import has read its advisories and holds its transaction open until it is released. */
const heldSite = async () => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const home = await kitSite(() => ({
    feeds: {
      ...feedImporter,
      async importAll(tx, files, note) {
        const changes = await feedImporter.importAll(tx, files, note);
        reached.resolve();
        await released.promise;
        return changes;
      },
    },
  }));
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1'), 'two.json': osv('GHSA-2') });
  const { id } = await home.module.kitImports.request(operator, { folder });
  const first = home.module.importKits();
  await reached.promise;
  return {
    ...home,
    row: () => home.module.kitImports.get(operator, { id }),
    async release() {
      released.resolve();
      await first;
    },
  };
};

test('an import renews its lease while it works, shows how far it is, and no other worker takes it', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  await using home = await heldSite();
  for (let part = 0; part < 3; part++) {
    await home.clock.advance(20_000);
    context.mock.timers.tick(5_000);
    const leaseUntil = new Date(home.clock.now().getTime() + 30_000);
    await until(async () => (await home.row()).leaseUntil?.getTime() === leaseUntil.getTime());
    assert.partialDeepStrictEqual(await home.row(), { state: 'queued', done: 2, total: 2 });
    assert.equal(await home.module.importKits(), 0, 'another worker');
  }
  await home.release();
  assert.partialDeepStrictEqual(await home.row(), { state: 'complete', changes: { added: 2 }, fence: 1 });
});

test('a worker that was silent for longer than its lease changes nothing once another one has its import', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  await using home = await heldSite();
  await home.clock.advance(31_000);
  assert.equal(await home.module.importKits(), 1, 'another worker');
  await home.release();
  assert.partialDeepStrictEqual(await home.row(), { state: 'queued', fence: 2 });
  assert.deepEqual(await home.advisoryIds(), []);
  await home.clock.advance(11_000);
  await home.module.importKits();
  assert.partialDeepStrictEqual(await home.row(), { state: 'complete', changes: { added: 2 } });
});

test('an import that the database interrupts is repeated, and fails for good only where it is so each time', async () => {
  let interruptions = 1;
  await using home = await kitSite(() => ({
    feeds: {
      ...feedImporter,
      async importAll(tx, files) {
        if (interruptions-- > 0) {
          await tx.run(sql`/* test.timeout */ set local statement_timeout = 1`);
          await tx.run(sql`/* test.sleep */ select pg_sleep(5)`);
        }
        return feedImporter.importAll(tx, files);
      },
    },
  }));
  const { folder } = await home.deliver({ 'one.json': osv('GHSA-1') });
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'queued', failureCode: null });
  await home.clock.advance(31_000);
  assert.partialDeepStrictEqual(await home.importFolder(folder), { state: 'complete', changes: { added: 1 } });
  interruptions = Number.POSITIVE_INFINITY;
  const next = await home.deliver({ 'two.json': osv('GHSA-2') }, { sequence: 2 });
  const { id } = await home.module.kitImports.request(operator, { folder: next.folder });
  for (let turn = 0; turn < 6; turn++) {
    await home.module.importKits();
    await home.clock.advance(31_000);
  }
  assert.partialDeepStrictEqual(await home.module.kitImports.get(operator, { id }), { state: 'failed' });
});
