import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { compile, type Sql } from '@landfall/kernel/db/sql';
import { testDeps } from '@landfall/kernel/testing/app';
import pg from 'pg';
import { type Chunk, SHARED } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import type { DomainHits, LaneAnswer } from '../fts/lane.ts';
import { listByTerms } from './database-search.store.ts';
import { createDatabaseSearch, type DatabaseSearch } from './database-search.ts';

const aChunk = (documentKey: string, overrides: Partial<Chunk> = {}): Chunk => ({
  domain: 'findings',
  source: 'test',
  documentKey,
  part: 0,
  entityType: 'vulnerability',
  entityKey: `vulnerability:${documentKey}`,
  title: documentKey,
  body: '',
  identifiers: [documentKey],
  packages: [],
  ...overrides,
});

const LODASH = ["'lodash'"];

/** Statement that a store function would send. */
const statementOf = async (ask: (query: Query) => Promise<unknown>): Promise<Sql> => {
  const sent: Sql[] = [];
  const list: Query['list'] = async (_shape, statement) => {
    sent.push(statement);
    return [];
  };
  const unused = () => Promise.reject(new TypeError('not a list'));
  await ask({ list, find: unused, get: unused, run: unused });
  const [statement] = sent;
  assert.ok(statement);
  return statement;
};

const keysOf = (found: readonly DomainHits[]): string[] =>
  found.flatMap(({ hits }) => hits.map(({ entityKey }) => entityKey.replace('vulnerability:', '')));

describe('the way without the index', () => {
  let base: Awaited<ReturnType<typeof testDeps>>;
  let fallback: DatabaseSearch;

  before(async () => {
    base = await testDeps();
    fallback = createDatabaseSearch(base.deps);
    const corpus = createCorpus(base.deps);
    const [acme, globex] = [toTenantId('acme'), toTenantId('globex')];
    await corpus.put(acme, [
      aChunk('CVE-2024-1', {
        title: 'Denial of service in lodash templates',
        body: 'A crafted template makes the parser loop for ever.',
        packages: ['lodash'],
        severity: 'high',
        ecosystem: 'npm',
      }),
      aChunk('CVE-2024-2', {
        title: 'Path traversal in flask uploads',
        body: 'A name with dots leaves the folder of templates.',
        packages: ['flask'],
        severity: 'critical',
        ecosystem: 'PyPI',
      }),
      aChunk('vex-1', {
        domain: 'vex',
        entityKey: 'vulnerability:CVE-2024-1',
        title: 'CVE-2024-1 is not reachable in checkout',
        identifiers: ['CVE-2024-1'],
      }),
      aChunk('GHSA-aaaa-bbbb-cccc', { title: 'Regular expressions of lodash', packages: ['lodash'] }),
    ]);
    await corpus.put(globex, [
      aChunk('CVE-2024-9', { title: 'Denial of service in lodash at globex', body: 'lodash' }),
    ]);
    await corpus.put(SHARED, [aChunk('KEV-1', { title: 'Known exploited: lodash', severity: 'high' })]);
  });
  after(() => base[Symbol.asyncDispose]());

  const ask = (text: string, overrides: Partial<Parameters<DatabaseSearch['search']>[0]> = {}): Promise<LaneAnswer> =>
    fallback.search({ tenant: 'acme', text, limit: 40, ...overrides });

  it('names exactly what is called so, however it is capitalised', async () => {
    for (const text of ['CVE-2024-1', 'cve-2024-1', ' (cve-2024-1), ']) {
      const { exact } = await ask(text);
      assert.deepEqual(
        exact.map(({ domain, hits }) => [domain, hits.map(({ entityKey }) => entityKey)]),
        [
          ['findings', ['vulnerability:CVE-2024-1']],
          ['vex', ['vulnerability:CVE-2024-1']],
        ],
      );
    }
    assert.deepEqual(keysOf((await ask('ghsa-AAAA-bbbb-cccc')).exact), ['GHSA-aaaa-bbbb-cccc']);
  });

  it('puts what has all of the words before what has some', async () => {
    const { domains } = await ask('lodash templates');
    assert.deepEqual(keysOf(domains).slice(0, 1), ['CVE-2024-1']);
    assert.deepEqual(keysOf(domains).sort(), ['CVE-2024-1', 'CVE-2024-2', 'GHSA-aaaa-bbbb-cccc', 'KEV-1']);
    const coverage = new Map(domains.flatMap(({ hits }) => hits.map((hit) => [hit.entityKey, hit.coverage])));
    assert.equal(coverage.get('vulnerability:CVE-2024-1'), 1);
    assert.equal(coverage.get('vulnerability:CVE-2024-2'), 0.5);
  });

  it('finds and counts documents of the tenant and everybody’s, never another’s', async () => {
    const { domains, facets } = await ask('denial service lodash');
    assert.ok(!keysOf(domains).includes('CVE-2024-9'));
    assert.deepEqual(facets.domain, { findings: 3 });
    assert.deepEqual(facets.severity, { high: 2 });
    assert.deepEqual((await ask('CVE-2024-9')).exact, []);
    const other = await ask('lodash', { tenant: 'globex' });
    assert.deepEqual(keysOf(other.domains).sort(), ['CVE-2024-9', 'KEV-1']);
    assert.deepEqual(other.facets.domain, { findings: 2 });
  });

  it('is narrowed by every filter, names too', async () => {
    const keys = async (filters: Parameters<DatabaseSearch['search']>[0]['filters'], text = 'templates lodash') => {
      const { exact, domains } = await ask(text, { filters });
      return [keysOf(exact), keysOf(domains)];
    };
    assert.deepEqual(await keys({ severity: ['critical'] }), [[], ['CVE-2024-2']]);
    assert.deepEqual(await keys({ ecosystem: ['npm'] }), [[], ['CVE-2024-1']]);
    assert.deepEqual(await keys({ domains: ['vex'] }, 'CVE-2024-1'), [['CVE-2024-1'], ['CVE-2024-1']]);
    assert.deepEqual(await keys({ entityType: ['policy'] }), [[], []]);
    assert.deepEqual(await keys({ severity: ['low'] }, 'CVE-2024-1'), [[], []]);
  });

  it('leaves out what is everybody’s where a tenant asks for its own alone', async () => {
    const filters = { isTenantScoped: true };
    assert.ok(keysOf((await ask('lodash', { filters })).domains).includes('CVE-2024-1'));
    for (const text of ['lodash exploited', 'KEV-1']) {
      const { exact, domains, facets } = await ask(text, { filters });
      assert.ok(![...keysOf(exact), ...keysOf(domains)].includes('KEV-1'), text);
      assert.ok(Object.values(facets.domain).every((count) => count <= 2));
    }
    assert.deepEqual(keysOf((await ask('KEV-1', { tenant: 'globex', filters })).exact), []);
  });

  it('completes the last word while it is written', async () => {
    assert.deepEqual(keysOf((await ask('lod trav')).domains), []);
    assert.deepEqual(keysOf((await ask('flask trav', { isTyping: true })).domains), ['CVE-2024-2']);
  });

  it('takes no sign for an operator', async () => {
    const signs = [
      '*',
      '%',
      '\\',
      "'",
      '"',
      '& | ! :*',
      "lodash' | flask:*",
      '((((',
      '<->',
      '!lodash',
      ':',
      '\\\\:*',
      '_',
    ];
    for (const text of signs) {
      const { exact, domains } = await ask(text);
      const keys = [...keysOf(exact), ...keysOf(domains)];
      assert.ok(
        keys.every((key) => key !== 'CVE-2024-9'),
        text,
      );
      if (!/\p{L}/u.test(text)) assert.deepEqual(keys, [], text);
    }
    assert.ok(keysOf((await ask('!lodash')).domains).includes('CVE-2024-1'), 'a sign before a word takes nothing away');
    assert.deepEqual(keysOf((await ask('the of and')).domains), [], 'words that say nothing find nothing');
    assert.deepEqual(keysOf((await ask('שלום \u202eעולם')).domains), []);
  });

  it('has the tenant, the domain and the words in one index, and visits no other tenant’s rows', async () => {
    const client = new pg.Client(base.connection);
    await client.connect();
    try {
      await client.query(`insert into search.chunks
          (tenant, domain, source, document_key, entity_type, entity_key, title, body, content_hash)
        select 'initech', 'vex', 'many', i::text, 'vulnerability', 'vulnerability:' || i, case when i % 100 = 0 then 'lodash ' else 'flask ' end || i, '', ''
        from generate_series(1, 5000) as i`);
      await client.query('vacuum analyze search.chunks');
      await client.query('set role landfall_system');
      const statement = compile(await statementOf((query) => listByTerms(query, 'initech', LODASH, 'all', {})));
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${statement.text}`, statement.values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Cond: .*tenant = 'initech'.*domain = 'vex'.*words @@/);
      const scans = plan.split('\n').filter((line) => /Scan (?:using|on) (?:search\.)?chunks/.test(line));
      const conditions = plan.split('\n').filter((line) => /(?:Index|Recheck) Cond/.test(line));
      assert.ok(
        scans.every((line) => !line.includes('Seq Scan')),
        plan,
      );
      assert.ok(
        conditions.every((line) => line.includes('tenant =')),
        plan,
      );
    } finally {
      await client.end();
    }
  });
});
