import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { readPriceList } from '../graph/price-list.ts';
import { supergraphSdl } from '../graph.ts';

/** The field that does what a route does. */
const FIELDS: Readonly<Record<string, string>> = {
  '/v1/search/query': 'search',
  '/v1/search/index/rebuild': 'rebuildSearchIndex',
  '/v1/advisory-ai/index/rebuild': 'rebuildSearchIndex',
  '/v1/search/suggestions/evaluate': 'searchSuggestions',
  '/v1/advisory-ai/search': 'search',
  '/api/v1/release-orchestrator/releases/:releaseId/deploy-preflight': 'preflight',
  '/api/v1/release-orchestrator/releases/:releaseId/deploy-plan': 'strategyPlan',
};

test('the same work has the same price through both doors', () => {
  const list = readPriceList(supergraphSdl());
  const weightOf = (field: string) => (list.get('Query')?.get(field) ?? list.get('Mutation')?.get(field))?.weight;
  const priced = publishedRoutes().flatMap(({ path, cost }) => (cost === undefined ? [] : [[path, cost] as const]));
  const both = priced.filter(([path]) => path in FIELDS);
  assert.deepEqual(both.length, Object.keys(FIELDS).length);
  for (const [path, cost] of both) assert.equal(cost, weightOf(FIELDS[path] ?? ''), path);
  // What the graph has no field for is still no gift.
  assert.deepEqual(
    priced.filter(([path]) => !(path in FIELDS)).map(([path]) => path),
    ['/v1/search/synthesize'],
  );
});
