import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { exampleKnowledge, legacyApp } from '@landfall/search/legacy/legacy.fixture';
import { searchLegacyRoutes } from './search-legacy.ts';

const SEARCH = '/v1/advisory-ai/search';
const REBUILD = '/v1/advisory-ai/index/rebuild';

const HEADERS = {
  deprecation: 'true',
  sunset: '2026-04-30T00:00:00Z',
  link: '</v1/search/query>; rel="successor-version"',
  warning: '299 - "Deprecated API: use /v1/search/query"',
} as const;

const assertDeprecated = (headers: Headers): void => {
  for (const [name, value] of Object.entries(HEADERS)) assert.equal(headers.get(name), value);
};

// spec: 4.7/legacy-search, 2.8/legacy-diagnostics, 6/legacy-headers, 9/legacy-sunset
test('legacy search finds what the installation says of itself, in its own words, with its four headers', async () => {
  await using app = await legacyApp(searchLegacyRoutes);
  await app.rest('POST', REBUILD, { as: 'search-admin' });
  await app.settled();
  const { status, headers, body } = await app.rest('POST', SEARCH, {
    as: 'searcher',
    body: { q: 'rotating the signing key', k: 3, unknown: true },
  });
  assert.equal(status, 200);
  assertDeprecated(headers);
  assert.deepEqual(Object.keys(body), ['query', 'topK', 'results', 'diagnostics']);
  assert.deepEqual([body.query, body.topK], ['rotating the signing key', 3]);
  const [best] = body.results;
  assert.deepEqual(Object.keys(best), ['id', 'title', 'snippet', 'kind', 'score', 'href']);
  assert.equal(best.id, 'docs:docs/keys.md#rotating');
  assert.equal(best.kind, 'document');
  assert.equal(best.href, 'docs/keys.md#rotating');
  assert.match(best.snippet, /rotated by the operator/);
  assert.deepEqual(Object.keys(body.diagnostics), ['mode', 'usedVector', 'activeEncoder', 'durationMs']);
  assert.ok(['hash', 'onnx', 'onnx-fallback', 'hash-fallback'].includes(body.diagnostics.activeEncoder));
});

// spec: 4.7/legacy-rebuild, 2.8/legacy-rebuild-response
test('a legacy rebuild answers its figures in their order, is in the trail, and what is said no more vanishes', async () => {
  await using app = await legacyApp(searchLegacyRoutes);
  const { status, headers, body } = await app.rest('POST', REBUILD, { as: 'search-admin' });
  assert.equal(status, 200);
  assertDeprecated(headers);
  const { durationMs, ...counts } = body;
  assert.deepEqual(Object.entries(counts), [
    ['documentCount', 2],
    ['chunkCount', 4],
    ['apiSpecCount', 2],
    ['apiOperationCount', 1],
    ['doctorProjectionCount', 1],
  ]);
  assert.ok(durationMs >= 0);
  assert.equal(Object.keys(body).at(-1), 'durationMs');
  const types = table('events', { type: text });
  const trail = await app.rows(types, sql`select type from kernel.events where entity = 'SearchIndex'`);
  assert.deepEqual(trail, [{ type: 'knowledge.rebuild' }]);

  app.say({ documents: exampleKnowledge.documents.slice(0, 1) });
  assert.equal((await app.rest('POST', REBUILD, { as: 'search-admin' })).body.documentCount, 1);
  await app.settled();
  const found = await app.rest('POST', SEARCH, { as: 'searcher', body: { q: 'losing the root key' } });
  assert.ok(!JSON.stringify(found.body.results).includes('losing'));
});

test('refusals carry the headers too: no query, too long a one, a number of results that nobody gets, no scope', async () => {
  await using app = await legacyApp(searchLegacyRoutes);
  const refused = async (path: string, as: 'searcher' | 'search-reader', body: object) => {
    const { status, headers, body: answer } = await app.rest('POST', path, { as, body });
    assertDeprecated(headers);
    return [status, answer];
  };
  const tooFew = await refused(SEARCH, 'searcher', { q: 'a', k: 0 });
  assert.deepEqual(tooFew, [400, { error: 'VAL_INVALID_VALUE: k must be >= 1' }]);
  const blank = await refused(SEARCH, 'searcher', { q: ' \u0007 ' });
  assert.deepEqual(blank, [400, { error: 'advisoryai.validation.query_required' }]);
  const long = await refused(SEARCH, 'searcher', { q: 'x'.repeat(1_001) });
  assert.deepEqual(long, [400, { error: 'advisoryai.validation.query_too_long' }]);
  const reader = await refused(SEARCH, 'search-reader', { q: 'a' });
  assert.deepEqual(reader, [403, { error: 'Missing required scope: advisory-ai:operate' }]);
  const operator = await refused(REBUILD, 'searcher', {});
  assert.deepEqual(operator, [403, { error: 'Missing required scope: advisory-ai:admin' }]);
  const unknownCaller = await app.rest('POST', SEARCH, { body: { q: 'a' }, as: 'nobody' });
  assert.equal(unknownCaller.status, 403);
});

test('everybody’s documents are found by every tenant', async () => {
  await using app = await legacyApp(searchLegacyRoutes);
  await app.rest('POST', REBUILD, { as: 'search-admin' });
  await app.settled();
  const { body } = await app.rest('POST', SEARCH, { as: 'other-searcher', body: { q: '/v1/search/query' } });
  assert.equal(body.results[0]?.kind, 'operation');
});
