import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testDeps } from '@landfall/kernel/testing/app';
import { MODULES } from '@landfall/rest-compat/modules';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { type PriceList, readPriceList } from '../graph/price-list.ts';
import { supergraphSdl } from '../graph/supergraph.ts';
import { createModules } from '../modules/modules.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { graphFields } from '../testing/graph-operations.ts';

/** GraphQL field with the same operation, by route. */
const FIELDS: Readonly<Record<string, string>> = {
  '/v1/search/query': 'search',
  '/v1/search/index/rebuild': 'rebuildSearchIndex',
  '/v1/advisory-ai/index/rebuild': 'rebuildSearchIndex',
  '/v1/search/suggestions/evaluate': 'searchSuggestions',
  '/v1/advisory-ai/search': 'search',
  '/api/v1/release-orchestrator/releases/:releaseId/deploy-preflight': 'preflight',
  '/api/v1/release-orchestrator/releases/:releaseId/deploy-plan': 'strategyPlan',
  '/api/v1/rekor/verify': 'verifyAttestation',
  '/api/v1/scans/:scanId/score/replay': 'replayScore',
  '/api/v1/scans/:scanId/score/verify': 'verifyScore',
  '/api/v1/score/:scanId/replay': 'replayScore',
  '/api/v1/score/:scanId/verify': 'verifyScore',
  '/api/v1/vex/sources/:source/documents': 'importVexDocument',
  '/api/v1/scans/:scanId/vex': 'Scan.openVex',
  '/api/v1/artifacts': 'putArtifact',
  '/system/airgap/verify': 'verifyAirGap',
};

/** Weight of a field: of the query, else of the mutations, else of the type that is named before a dot. */
const weightsIn = (list: PriceList) => (name: string) => {
  const [type = '', field = ''] = name.includes('.') ? name.split('.') : ['Query', name];
  return (list.get(type)?.get(field) ?? list.get('Mutation')?.get(name))?.weight;
};

test('the same work has the same price through both doors', () => {
  const weightOf = weightsIn(readPriceList(supergraphSdl()));
  const priced = publishedRoutes().flatMap(({ path, cost }) => (cost === undefined ? [] : [[path, cost] as const]));
  const both = priced.filter(([path]) => path in FIELDS);
  assert.deepEqual(both.length, Object.keys(FIELDS).length);
  for (const [path, cost] of both) assert.equal(cost, weightOf(FIELDS[path] ?? ''), path);
  // A route without a field in the graph has a price all the same.
  assert.deepEqual(
    priced.filter(([path]) => !(path in FIELDS)).map(([path]) => path),
    [
      '/api/v1/scans/:scanId/score/bundle',
      '/api/v1/score/:scanId/bundle',
      '/api/v1/score/explain/:digest',
      '/v1/search/synthesize',
    ],
  );
});

/** Fields below the root that call a priced operation, by operation. */
const BELOW_ROOT: Readonly<Record<string, string>> = {
  'product.measureDelivery': 'Product.delivery',
  'triage.exportVex': 'Scan.openVex',
};

/** Operations that only REST has. */
const REST_ALONE = [
  'artifact.receive',
  'knowledge.rebuild',
  'knowledge.search',
  'release.previewPlan',
  'score.bundle',
  'score.explain',
  'search.synthesize',
];

test('what waits for somebody states a price, and the graph has the same', async () => {
  await using base = await testDeps();
  const modules = createModules(MODULES, base.deps, loadSettings(gatewaySettings, { env: {} }));
  const specs = modules.flatMap(({ operations }) => operations.map(({ spec }) => spec));
  const waiting = specs.filter((spec) => 'prepare' in spec || 'isDetached' in spec);
  assert.ok(waiting.length > 30, String(waiting.length));
  assert.deepEqual(
    waiting.filter(({ cost }) => cost === undefined).map(({ name }) => name),
    [],
  );
  const weightOf = weightsIn(readPriceList(supergraphSdl()));
  const expensive = specs.filter(({ cost }) => cost !== undefined && cost > 0);
  const fields = (await Promise.all(modules.map(graphFields))).flat();
  for (const { field, spec } of fields)
    if (spec.cost !== undefined && spec.cost > 0) assert.equal(weightOf(field.name), spec.cost, spec.name);
  for (const [name, field] of Object.entries(BELOW_ROOT))
    assert.equal(weightOf(field), specs.find((spec) => spec.name === name)?.cost, name);
  const inGraph = new Set([...fields.map(({ spec }) => spec.name), ...Object.keys(BELOW_ROOT)]);
  const names = expensive.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !inGraph.has(name)).toSorted(), REST_ALONE.toSorted());
  // An operation that waits for the network has a price, and so a bound for each tenant.
  for (const { name, cost } of specs.filter(({ isRemote }) => isRemote)) assert.ok(cost, name);
});
