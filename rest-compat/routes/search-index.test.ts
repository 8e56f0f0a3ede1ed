import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testApp } from '@landfall/kernel/testing/app';
import { createSearch, searchSettings } from '@landfall/search';
import { FINDINGS, finding, POLICIES, policy, scriptedUpstream, VEX } from '@landfall/search/adapters/upstream.fixture';
import { searchRoutes } from './search.ts';
import { searchIndexRoutes } from './search-index.ts';

const noKnowledge = async () => ({ documents: [], apiSpecCount: 0, operations: [], checks: [] });

/** All of search behind its doors, with an upstream that answers as a test says. */
const indexApp = async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await scriptedUpstream());
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-rebuild-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const app = stack.use(
    await testApp({
      createModule: (deps) =>
        createSearch(deps, loadSettings(searchSettings, { env: {} }), {
          location: { dataDir, baseUrl: 'http://127.0.0.1:4000' },
          ports: { upstream: server.upstream, knowledge: noKnowledge },
        }),
      routes: (search) => [...searchRoutes(search), ...searchIndexRoutes(search)],
    }),
  );
  for (const worker of app.module.companions ?? []) stack.use(worker.start());
  await app.module.feed.settled();
  const resources = stack.move();
  return {
    app,
    server,
    rebuild: () => app.rest('POST', '/v1/search/index/rebuild', { as: 'search-admin' }),
    find: async (q: string) => {
      await app.module.feed.settled();
      const { body } = await app.rest('POST', '/v1/search/query', { as: 'search-admin', body: { q } });
      return body.cards.map(({ entityKey }: { entityKey: string }) => entityKey);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const ABSENT_VEX = {
  name: 'vex',
  domain: 'vex',
  source: 'Snapshot',
  cause: 'http_404',
  attemptedTarget: VEX,
  SnapshotBackedCount: 0,
  UpstreamSuppressedUntil: '2026-01-15T09:05:00.000Z',
};

const upstream = (name: string, domain: string, attemptedTarget: string) => ({
  name,
  domain,
  source: 'Upstream',
  cause: null,
  attemptedTarget,
  SnapshotBackedCount: 0,
  UpstreamSuppressedUntil: null,
});

// spec: 4.7/rebuild, 4.7/adapters, 2.8/rebuild-response, 2.8/provenance
test('a rebuild reads every source and says what there is; what it read can be found', async () => {
  await using index = await indexApp();
  const { app, server } = index;
  server.page(FINDINGS, [finding('f1'), finding('f2', 'CVE-2022-22965')]);
  server.page(POLICIES, [policy('approvals:1')]);
  const { status, body } = await index.rebuild();
  assert.equal(status, 200, JSON.stringify(body));
  const adapters = [upstream('findings', 'findings', FINDINGS), upstream('policy', 'policy', POLICIES), ABSENT_VEX];
  assert(Number.isInteger(body.durationMs));
  assert.deepEqual(body, { domainCount: 2, chunkCount: 3, durationMs: body.durationMs, adapters });
  assert.deepEqual(Object.keys(body), ['domainCount', 'chunkCount', 'durationMs', 'adapters']);
  assert.deepEqual(Object.keys(body.adapters[2] ?? {}), Object.keys(ABSENT_VEX));
  assert.deepEqual(await index.find('CVE-2022-22965'), ['vulnerability:CVE-2022-22965']);
  const listed = await app.rest('GET', '/v1/search/adapters', { as: 'searcher' });
  assert.equal(listed.text, JSON.stringify({ adapters }));

  // A second rebuild gives the same index; a removed finding is no longer in it.
  assert.equal((await index.rebuild()).body.chunkCount, 3);
  server.page(FINDINGS, [finding('f1')]);
  assert.equal((await index.rebuild()).body.chunkCount, 2);
  assert.deepEqual(await index.find('CVE-2022-22965'), []);
  assert.deepEqual(app.bugs, []);
});

const REBUILD = `mutation { rebuildSearchIndex(input: {}) { domainCount chunkCount adapters { name source cause } } }`;
const LIST = `{ searchAdapters { name domain source cause attemptedTarget snapshotBackedCount upstreamSuppressedUntil } }`;

test('the graph rebuilds and tells the same', async () => {
  await using index = await indexApp();
  const { app, server } = index;
  server.page(FINDINGS, [finding('f1')]);
  server.answer(POLICIES, { status: 503, body: '' });
  const { data, errors } = await app.graph(REBUILD, {}, { as: 'search-admin' });
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)).rebuildSearchIndex, {
    domainCount: 1,
    chunkCount: 1,
    adapters: [
      { name: 'findings', source: 'UPSTREAM', cause: null },
      { name: 'policy', source: 'SNAPSHOT', cause: 'http_503' },
      { name: 'vex', source: 'SNAPSHOT', cause: 'http_404' },
    ],
  });
  const listed = JSON.parse(JSON.stringify((await app.graph(LIST, {}, { as: 'searcher' })).data)).searchAdapters;
  assert.deepEqual(
    [listed[0].domain, listed[2].upstreamSuppressedUntil],
    ['FINDINGS', ABSENT_VEX.UpstreamSuppressedUntil],
  );
});

test('two rebuilds at once come one after the other, and a scope that does not suffice rebuilds nothing', async () => {
  await using index = await indexApp();
  const { app, server } = index;
  server.page(FINDINGS, [finding('f1')]);
  server.page(POLICIES, []);
  const both = await Promise.all([index.rebuild(), index.rebuild()]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  // The two rebuilds never interleave pages; the second leaves the absent route unchanged.
  assert.deepEqual(
    server.asked.map(({ target }) => target),
    [FINDINGS, POLICIES, VEX, FINDINGS, POLICIES],
  );
  const refused = await app.rest('POST', '/v1/search/index/rebuild', { as: 'searcher' });
  assert.deepEqual([refused.status, refused.text], [403, '{"error":"Missing required scope: advisory-ai:admin"}']);
  const shape = table('kernel.events', { entityId: text });
  const recorded = await app.deps.database.read(toTenantId('acme'), (query) =>
    query.list(shape, sql`select entity_id from kernel.events where type = 'searchIndex.rebuild'`),
  );
  assert.equal(recorded.length, 2);
});
