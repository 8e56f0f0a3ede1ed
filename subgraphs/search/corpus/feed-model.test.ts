import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { count, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import fc from 'fast-check';
import { aChunk } from '../testing/chunk.ts';
import { type SearchApp, searchApp } from '../testing/search-app.ts';
import type { Owner } from './chunk.ts';

const OWNERS: readonly Owner[] = [toTenantId('acme'), toTenantId('globex'), '*'];
const KEYS = Array.from({ length: 12 }, (_, i) => `doc-${i}`);

/** A word a revision, none near another. */
const REVISIONS = ['alabaster', 'bergamot', 'cinnamon', 'dandelion'];

/** Action of a writer: documents at a revision, removals, a whole import, or a slow transaction. */
const action = fc.record({
  kind: fc.constantFrom('put', 'put', 'remove', 'whole', 'slow', 'rolledBack'),
  owner: fc.constantFrom(...OWNERS),
  keys: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 6 }),
  revision: fc.integer({ min: 0, max: 3 }),
});
type Deed = typeof action extends fc.Arbitrary<infer T> ? T : never;

const rows = table('search.chunks model', { chunkId: count, tenant: text, entityKey: text, title: text });

const documents = ({ owner, keys, revision }: Deed) =>
  keys.map((key, i) =>
    aChunk(key, {
      entityKey: `vulnerability:${owner}/${key}`,
      title: REVISIONS[revision] ?? '',
      // Some documents have more parts in one revision than in another.
      body: (revision + i) % 3 === 0 ? `${'word '.repeat(500)}\n\n`.repeat(2 + revision) : 'short',
    }),
  );

const inTransaction = async (app: SearchApp, one: Deed, isRetained: boolean): Promise<void> => {
  const write = one.owner === '*' ? app.deps.database.system.write : app.deps.database.write.bind(undefined, one.owner);
  const failure = new Error('rolled back');
  await write(async (tx) => {
    await app.corpus.putIn(tx, one.owner, documents(one));
    await new Promise((resolve) => setTimeout(resolve, 5 * one.keys.length));
    if (!isRetained) throw failure;
  }).catch((error: unknown) => {
    if (error !== failure) throw error;
  });
};

const run = async (app: SearchApp, one: Deed): Promise<void> => {
  const { corpus, deps } = app;
  if (one.kind === 'put') await corpus.put(one.owner, documents(one));
  else if (one.kind === 'remove') await corpus.remove(one.owner, 'test', one.keys);
  else if (one.kind === 'whole') {
    const run = deps.ids.uuid();
    await corpus.put(one.owner, documents(one), run);
    await corpus.sweep(one.owner, 'test', run);
  } else await inTransaction(app, one, one.kind === 'slow');
};

/**
 * Compares by searching: each revision's word finds exactly the documents at that revision, the tenant's own and shared
 * ones.
 */
const compare = async ({ deps, lane }: SearchApp): Promise<void> => {
  const storedChunks = await deps.database.system.read((query) =>
    query.list(rows, sql`select ${rows.columns} from search.chunks where removed_at is null`),
  );
  assert.equal(lane.state().chunks, storedChunks.length);
  const entities = new Map(storedChunks.map(({ chunkId, entityKey }) => [chunkId, entityKey]));
  for (const tenant of ['acme', 'globex'])
    for (const word of REVISIONS) {
      const { domains } = await lane.search({ tenant, text: word, limit: 500, isExhaustive: true });
      const found = domains.flatMap(({ hits }) => hits.map(({ number }) => entities.get(number)));
      const existing = storedChunks.filter((row) => [tenant, '*'].includes(row.tenant) && row.title === word);
      assert.deepEqual(new Set(found), new Set(existing.map(({ entityKey }) => entityKey)));
    }
};

test('whatever writers do side by side, the index ends equal to the table', async () => {
  await using app = await searchApp();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { maxLength: 4 }), async (writers) => {
      await Promise.all(
        writers.map(async (actions) => {
          for (const one of actions) await run(app, one);
        }),
      );
      await app.settled();
      await compare(app);
    }),
    { numRuns: 25 },
  );
});
