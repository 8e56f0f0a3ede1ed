import assert from 'node:assert/strict';
import { toTenantId } from '@landfall/kernel/core/ids';
import { testDeps } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { type PlanMode, planRecorder, type StatementPlan } from '@landfall/kernel/testing/plans';
import pg from 'pg';
import { listChanges, listOrphanedNumbers } from '../corpus/chunk-changes.store.ts';
import { createCorpus } from '../corpus/corpus.ts';
import { listTexts } from '../vectors/vectors.store.ts';
import { queryModule } from './query.fixture.ts';

const ACME = toTenantId('acme');
/** Rows of one transaction of the fill, as an import writes them. */
const BATCH = 2_000;
/** Chunks that one query reads. */
const READ = 60;
/** Pages that one chunk takes: the way down the index, and its row. */
const PAGES_A_CHUNK = 8;
/** Catalogue pages that a horizon reads while other transactions run. */
const HORIZON_PAGES = 600;
const READS_HORIZON = ['search.chunks.listChanges', 'search.chunks.listTexts'];

const FILL = `
insert into search.chunks (tenant, domain, source, document_key, entity_type, entity_key, title, body, identifiers, content_hash)
select case when n % 50 = 0 then 'acme' when n % 20 = 0 then 'globex' else '*' end,
  case when n % 3 = 0 then 'vex' else 'findings' end, 'osv', 'DOC-' || n, 'vulnerability', 'vulnerability:CVE-2024-' || n,
  'denial of service in package' || n % 5000, 'A crafted request number ' || n || ' stops the server of everybody.',
  array['CVE-2024-' || n], md5(n::text)
from generate_series($1::integer, $2::integer) as n`;

/** Fills a table with chunks of two tenants and shared ones, which is analysed only when a test says so. */
export const chunkTable = async () => {
  const base = await testDeps();
  const client = new pg.Client(base.connection);
  await client.connect();
  await client.query('alter table search.chunks set (autovacuum_enabled = false)');
  let rows = 0;
  return {
    ...base,
    async fill(until: number): Promise<void> {
      for (; rows < until; rows += BATCH) await client.query(FILL, [rows + 1, Math.min(until, rows + BATCH)]);
    },
    analyse: () => client.query('analyze search.chunks'),
    numbers: (): number[] => Array.from({ length: READ }, (_, index) => 1 + Math.floor((index * rows) / READ)),
    async [Symbol.asyncDispose]() {
      await client.end();
      await base[Symbol.asyncDispose]();
    },
  };
};

type ChunkTable = Awaited<ReturnType<typeof chunkTable>>;

/**
 * Sends every statement by which a query reads the results of the index, and by which index and vectors follow the
 * chunks.
 */
export const plansOfQuery = async (table: ChunkTable, mode: PlanMode): Promise<readonly StatementPlan[]> => {
  await using recorder = await planRecorder(table.connection, mode);
  const { database, plans } = recorder;
  const corpus = createCorpus({ database });
  const numbers = table.numbers();
  await corpus.loadCards(ACME, numbers);
  await corpus.load(ACME, numbers);
  const end = { xid: 2n ** 62n, id: 0n };
  await database.system.read((query) => listChanges(query, end, READ));
  await database.system.read((query) => listOrphanedNumbers(query, ACME, numbers));
  // A tenant without chunks, for which a wrong index would read those of every tenant.
  for (const owner of [ACME, 'initech'])
    await database.system.read((query) => listTexts(query, owner, { xid: 0n, id: 0n }, READ));
  return plans;
};

/**
 * Sends every statement by which the database answers while the index is loading. The planner has to estimate how many
 * chunks contain the words, and must not read all of them.
 */
export const plansOfDatabaseQuery = async (table: ChunkTable, mode: PlanMode): Promise<readonly StatementPlan[]> => {
  await using recorder = await planRecorder(table.connection, mode);
  const module = queryModule({ ...table.deps, database: recorder.database });
  await module.query.find({ ...people.operator, tenant: ACME }, { q: 'CVE-2024-77 denial of service' });
  return recorder.plans;
};

/** Statements whose cost must follow what they are asked for, never the size of the table, each with its one way in. */
const ONE_WAY: Readonly<Record<string, string>> = {
  'search.chunks.listCardsByNumbers': 'Index Scan chunks_pkey',
  'search.chunks.listByNumbers': 'Index Scan chunks_pkey',
  'search.chunks.listOrphanedNumbers': 'Index Scan chunks_pkey',
  'search.chunks.listChanges': 'Index Scan chunks_changed',
  'search.chunks.listTexts': 'Index Scan chunks_changed_of_owner',
};

/** Names of statements that each query's plans must include. */
export const FREQUENT_STATEMENTS = Object.keys(ONE_WAY);

/**
 * Asserts that each statement reads the table by its index, and no more rows than requested.
 * @throws AssertionError
 */
export const assertPlans = (plans: readonly StatementPlan[], when: string): void => {
  assert.ok(plans.length > 0, when);
  for (const { name, scans, buffers } of plans) {
    const context = `${when}: ${name} ${scans.join(', ')}, ${buffers} pages`;
    assert.ok(!scans.includes('Seq Scan chunks'), context);
    const route = ONE_WAY[name];
    if (route === undefined) continue;
    assert.deepEqual(
      scans.filter((scan) => scan.includes('chunks')),
      [route],
      context,
    );
    const more = READS_HORIZON.includes(name) ? HORIZON_PAGES : 0;
    assert.ok(buffers <= READ * PAGES_A_CHUNK + more, context);
  }
};
