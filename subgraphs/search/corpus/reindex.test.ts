import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import { until } from '@landfall/kernel/testing/until';
import { createLane } from '../fts/threaded-lane.ts';
import { aChunk } from '../testing/chunk.ts';
import { searchApp } from '../testing/search-app.ts';
import { createFeed } from './feed.ts';

const acme = toTenantId('acme');
const documents = Array.from({ length: 20 }, (_, i) => aChunk(`CVE-2024-${1000 + i}`, { title: `Parser ${i}` }));

/** A chunk of acme's that no row tells of. */
const leftover = {
  number: 2 ** 40,
  tenant: 'acme',
  domain: 'findings',
  entityKey: 'vulnerability:stray',
  entityType: 'vulnerability',
  identifiers: [],
  packages: [],
  title: 'Parser astray',
  body: '',
  severity: null,
  ecosystem: null,
} as const;

/**
 * Creates an index of its own over acme's documents, read by a few rows at a time; `read` is called before each read by
 * the system role.
 */
const indexed = async () => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await searchApp());
  await app.put('acme', documents);
  const lane = stack.use(await createLane({ directory: undefined, log: app.deps.log }));
  const watch = { read: async (): Promise<void> => {} };
  const { system } = app.deps.database;
  const database: Database = {
    ...app.deps.database,
    system: {
      ...system,
      async read(use) {
        await watch.read();
        return system.read(use);
      },
    },
  };
  const feed = createFeed({ ...app.deps, database, lane, batch: 3, pollMs: 20 });
  const feeding = stack.use(feed.start());
  await feed.settled();
  await lane.apply([{ kind: 'put', chunk: leftover }], lane.state().cursor);
  const find = async (text = 'parser'): Promise<number[]> =>
    (await lane.search({ tenant: acme, text, limit: 50 })).domains.flatMap(({ hits }) =>
      hits.map(({ number }) => number),
    );
  const resources = stack.move();
  return { app, lane, feed, feeding, watch, find, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

test('while a tenant’s documents are put again each search finds all of them, and what is none of them is gone after it', async () => {
  await using at = await indexed();
  const counts = new Set<number>();
  at.watch.read = async () => void counts.add((await at.find()).length);
  assert.equal((await at.find()).length, 21);
  await at.feed.reindex('acme');
  assert.ok(counts.has(21) && [...counts].every((count) => count >= 20), [...counts].join());
  assert.equal((await at.find()).length, 20);
  assert.equal(at.lane.state().chunks, 20);
});

test('a putting again that fails half-way leaves everything found, and is brought to its end by itself', async () => {
  await using at = await indexed();
  let readings = 0;
  at.watch.read = async () => {
    readings += 1;
    // The polling loop reads too, so one of these reads is not the reindexer's.
    if (readings >= 4 && readings <= 8) throw new Error('the database is away');
  };
  await assert.rejects(at.feed.reindex('acme'), /the database is away/);
  const found = await at.find();
  assert.equal(found.filter((number) => number !== leftover.number).length, 20);
  await until(async () => !(await at.find()).includes(leftover.number));
  assert.equal((await at.find()).length, 20);
});

test('others’ changes are found while a tenant’s documents are put again', async () => {
  await using at = await indexed();
  const { app, feed } = at;
  await app.put(
    'acme',
    Array.from({ length: 600 }, (_, i) => aChunk(`CVE-2025-${i}`)),
  );
  await feed.settled();
  let readings = 0;
  let isFound = false;
  at.watch.read = async () => {
    readings += 1;
    if (readings === 3) await app.put('globex', [aChunk('CVE-2026-1', { title: 'Parser number1' })]);
    if (readings > 3 && !isFound)
      isFound = (await at.lane.search({ tenant: 'globex', text: 'number1', limit: 1 })).domains.length > 0;
  };
  await feed.reindex('acme');
  assert.equal(isFound, true);
});
