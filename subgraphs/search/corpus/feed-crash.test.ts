import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { createLane } from '../fts/threaded-lane.ts';
import { aChunk } from '../testing/chunk.ts';
import { searchApp } from '../testing/search-app.ts';
import { createFeed } from './feed.ts';

const acme = toTenantId('acme');
const chunks = Array.from({ length: 20 }, (_, i) => aChunk(`CVE-2024-${1000 + i}`, { title: `Parser ${i}` }));

test('a process that dies after changes were applied and before the snapshot reads them again', async () => {
  await using app = await searchApp();
  await app.put('acme', chunks);
  await app.settled();
  await app.put('acme', [aChunk('CVE-2025-1', { title: 'Parser of late' })]);
  await app.remove('acme', 'test', ['CVE-2024-1000']);
  await app.settled();
  const directory = `${app.directory}/other`;
  const program = new URL('./feed-process.fixture.ts', import.meta.url);
  const args = [JSON.stringify(app.connection), directory];
  await runToFailpoint({ program, arguments: args, failpoint: 'search.feed.applied' });
  await using lane = await createLane({ directory, log: app.deps.log });
  const feed = createFeed({ ...app.deps, lane, pollMs: 20 });
  await using _feeding = feed.start();
  await feed.settled();
  assert.equal(lane.state().chunks, 20);
  assert.equal(lane.state().cursor, app.lane.state().cursor);
  const { domains } = await lane.search({ tenant: acme, text: 'parser', limit: 50 });
  assert.equal(domains.flatMap(({ hits }) => hits).length, 20);
});

test('an index comes back from its snapshot and reads only what is new', async () => {
  await using app = await searchApp();
  await app.put('acme', chunks);
  await app.settled();
  const directory = `${app.directory}/other`;
  const open = async () => {
    const lane = await createLane({ directory, log: app.deps.log });
    const feed = createFeed({ ...app.deps, lane, pollMs: 20 });
    const opened = lane.state();
    const feeding = feed.start();
    await feed.settled();
    const { chunks: count } = lane.state();
    await feeding[Symbol.asyncDispose]();
    await lane[Symbol.asyncDispose]();
    return { opened: opened.chunks, count };
  };
  assert.deepEqual(await open(), { opened: 0, count: 20 });
  await app.put('acme', [aChunk('CVE-2025-1')]);
  assert.deepEqual(await open(), { opened: 20, count: 21 });
});

test('an index of another database, or older than what is kept of removals, is read anew', async () => {
  await using app = await searchApp();
  const directory = `${app.directory}/other`;
  await app.put('acme', chunks);
  await app.settled();
  const reopen = async (from: typeof app) => {
    await using lane = await createLane({ directory, log: app.deps.log });
    const feed = createFeed({ ...from.deps, lane, pollMs: 20 });
    await using _feeding = feed.start();
    await feed.settled();
    return lane.state().chunks;
  };
  assert.equal(await reopen(app), 20);
  await app.remove('acme', 'test', ['CVE-2024-1000']);
  await app.clock.advance(8 * 86_400_000);
  const { prune } = await import('./chunk-changes.store.ts');
  assert.equal(await app.deps.database.system.write((tx) => prune(tx, 10)), 1);
  assert.equal(await reopen(app), 19);
  await using other = await searchApp();
  assert.equal(await reopen(other), 0);
  await other.put('acme', chunks.slice(0, 3));
  assert.equal(await reopen(other), 3);
});
