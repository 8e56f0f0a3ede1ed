import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { isOnAuthority } from '@landfall/rest-compat/route-listener';
import { codes } from '@landfall/schema/codes';
import Fastify from 'fastify';
import { registerDocs } from './docs.ts';

const routes = publishedRoutes();

const budget = { perRequest: 1_234, perSecond: 5_678, burst: 9_012 };

const docs = (now = '2026-11-20T00:00:00Z') => {
  const app = Fastify();
  registerDocs(app, { routes, budget, clock: { now: () => new Date(now) }, baseUrl: 'http://127.0.0.1:4000' });
  return async (url: string) => (await app.inject(url)).body;
};

test('every published route is on the page, with the schemas that are published for it', async () => {
  const get = docs();
  const page = await get('/docs');
  for (const route of routes) {
    const { method, path, schemas } = route;
    const name = `${method} ${isOnAuthority(route) ? '{authority}' : ''}${path}`;
    const [, at] = new RegExp(`<a href="([^"]+)" aria-label="Schemas of ${RegExp.escape(name)}"`).exec(page) ?? [];
    assert.deepEqual(JSON.parse(await get(at ?? '/')), { method, path, schemas });
  }
});

test('a sunset that has passed is said to have passed', async () => {
  assert.match(await docs()('/docs'), /deprecated: announced sunset 1 May 2026, still served; use <code>/);
  const before = await docs('2026-03-01T00:00:00Z')('/docs');
  assert.match(before, /deprecated: sunset 1 May 2026; use <code>/);
  assert.doesNotMatch(before, /still served/);
});

test('every scope that a route asks for, and every error code, has its line', async () => {
  const get = docs();
  const scopes = await get('/docs/scopes');
  for (const scope of routes.flatMap((route) => route.scope))
    assert.ok(scopes.includes(`<code>${scope}</code>`), scope);
  const errors = await get('/docs/errors');
  for (const code of Object.keys(codes)) assert.ok(errors.includes(`<code>${code}</code>`), code);
});

test('programs read the same in OpenAPI, each route under its path', async () => {
  const { openapi, servers, paths } = JSON.parse(await docs()('/docs/openapi.json'));
  assert.deepEqual([openapi, servers], ['3.1.0', [{ url: 'http://127.0.0.1:4000' }]]);
  for (const route of routes.filter((each) => !isOnAuthority(each))) {
    const { method, path } = route;
    assert.ok(method.toLowerCase() in paths[path.replace(/:(\w+)/g, '{$1}')], `${method} ${path}`);
  }
});

test('the page of the graph says what costs more than 1, the limits, and how a refusal reads', async () => {
  const page = await docs()('/docs/graph');
  for (const field of ['Query.search', 'Query.preflight', 'POST /v1/search/query'])
    assert.ok(page.includes(`<td><code>${field}</code></td><td>500</td>`), field);
  assert.doesNotMatch(page, /Query\.releases</);
  for (const limit of ['1,234', '5,678', '9,012', 'cost_limit_exceeded', 'cost_budget_exhausted', 'Retry-After'])
    assert.ok(page.includes(limit), limit);
});
