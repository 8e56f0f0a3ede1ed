import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import type { Deps } from '@landfall/kernel/module';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { SHARED } from '../corpus/chunk.ts';
import { createCorpus } from '../corpus/corpus.ts';
import { aChunk } from '../testing/chunk.ts';
import { createCorpusOperations } from './operations.ts';
import { corpusResolvers } from './resolvers.ts';

const corpusModule = (deps: Deps) => {
  const corpus = createCorpus(deps);
  const corpora = createCorpusOperations(deps, corpus);
  return {
    name: 'search',
    operations: Object.values(corpora),
    schema: buildSubgraph(new URL('../schema.graphql', import.meta.url), corpusResolvers),
    context: (caller: Caller) => ({ caller, corpora }),
    workers: [],
    migrations: '',
    corpus,
  };
};

const as = (scope: string, tenant = 'acme'): { readonly as: Caller } => ({
  as: { ...people.operator, tenant: toTenantId(tenant), scopes: new Set([scope]) },
});
const admin = as('advisory-ai:admin');
const operator = as('advisory-ai:operate');

const CORPORA = `{ searchCorpora { domain source documentCount chunkCount isShared } }`;
const IMPORTS = `{ searchImports { source state documents chunks refusedCount removed refused { line } } }`;
const IMPORT = `mutation ($input: ImportSearchDocumentsInput!) {
  importSearchDocuments(input: $input) {
    importId source state documents chunks refusedCount removed error refused { file line reason }
  }
}`;

const advisory = (id: string): string =>
  JSON.stringify({ id, modified: '2026-01-01T00:00:00Z', summary: `About ${id}` });
const open = () => testApp({ createModule: corpusModule });

test("corpora are told by domain and source, a tenant's own and everybody's, to who may operate", async () => {
  await using app = await open();
  const { corpus } = app.module;
  await corpus.put(toTenantId('acme'), [aChunk('a'), aChunk('b', { body: 'word '.repeat(1_000) })]);
  await corpus.put(SHARED, [aChunk('c', { domain: 'vex', source: 'openvex' })]);
  await corpus.put(toTenantId('globex'), [aChunk('d', { source: 'theirs' })]);
  const { data } = await app.graph(CORPORA, {}, operator);
  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    searchCorpora: [
      { domain: 'FINDINGS', source: 'test', documentCount: 2, chunkCount: 3, isShared: false },
      { domain: 'VEX', source: 'openvex', documentCount: 1, chunkCount: 1, isShared: true },
    ],
  });
  const refused = await app.graph(CORPORA, {}, as('advisory-ai:view'));
  assert.equal(refused.errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
});

test('a file through the graph is imported in one transaction with its event; what is broken is told by line', async () => {
  await using app = await open();
  const content = [advisory('A-1'), '{', advisory('A-2')].join('\n');
  const { data } = await app.graph(IMPORT, { input: { fileName: 'mine.ndjson', content } }, admin);
  assert.partialDeepStrictEqual(data?.importSearchDocuments, {
    source: 'osv',
    state: 'COMPLETED',
    documents: 2,
    chunks: 2,
    refusedCount: 1,
    refused: [{ file: 'mine.ndjson', line: 2 }],
    error: null,
  });
  const complete = { fileName: 'mine.json', content: advisory('A-2'), replace: true, source: 'osv' };
  const repeated = await app.graph(IMPORT, { input: complete }, admin);
  assert.partialDeepStrictEqual(repeated.data?.importSearchDocuments, { documents: 1, removed: 1 });
  const listed = await app.graph(IMPORTS, {}, operator);
  assert.partialDeepStrictEqual(listed.data, {
    searchImports: [
      { documents: 1, removed: 1 },
      { documents: 2, refusedCount: 1 },
    ],
  });
  assert.deepEqual((await app.graph(IMPORTS, {}, as('advisory-ai:admin', 'globex'))).data?.searchImports, []);
});

test('texts that are given under two names are two files, and one that is given again corrects itself', async () => {
  await using app = await open();
  const vex = (status: string) =>
    JSON.stringify({
      '@context': 'https://openvex.dev/ns',
      '@id': 'shared',
      statements: [{ vulnerability: 'CVE-2026-10001', products: ['pkg:oci/one'], status }],
    });
  const give = async (fileName: string, status: string) => {
    const { errors } = await app.graph(IMPORT, { input: { fileName, content: vex(status) } }, admin);
    assert.deepEqual(errors ?? [], []);
  };
  const count = async () =>
    (await app.module.corpus.summary(toTenantId('acme'))).map(({ documentCount }) => documentCount);
  await give('one.json', 'fixed');
  await give('two.json', 'fixed');
  assert.deepEqual(await count(), [2]);
  await give('two.json', 'affected');
  assert.deepEqual(await count(), [2]);
});

test('the same key imports once; names of the platform’s own, unknown formats and long files are refused', async () => {
  await using app = await open();
  const input = { idempotencyKey: 'once', fileName: 'a.json', content: advisory('A-1') };
  const [one, other] = [await app.graph(IMPORT, { input }, admin), await app.graph(IMPORT, { input }, admin)];
  assert.deepEqual(JSON.stringify(one.data), JSON.stringify(other.data));
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ source: 'platform' }, 'VAL_INVALID_VALUE'],
    [{ source: '../x' }, 'VAL_INVALID_VALUE'],
    [{ format: 'xml' }, 'VAL_INVALID_VALUE'],
    [{ content: 'x'.repeat(900_001) }, 'VAL_'],
    [{ fileName: ' ' }, 'VAL_'],
    // Others may share the format's source.
    [{ replace: true }, 'VAL_INVALID_VALUE'],
  ];
  for (const [input, code] of cases) {
    const { errors } = await app.graph(
      IMPORT,
      { input: { fileName: 'a.json', content: advisory('A-9'), ...input } },
      admin,
    );
    assert.match(String(errors?.[0]?.extensions?.code), new RegExp(`^${code}`), JSON.stringify(input).slice(0, 80));
  }
  const denied = await app.graph(IMPORT, { input }, operator);
  assert.equal(denied.errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
  assert.deepEqual(app.bugs, []);
});
