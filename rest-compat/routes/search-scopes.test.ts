import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedRoutes } from '../published.ts';

const VIEW = ['advisory-ai:view', 'advisory-ai:operate', 'advisory-ai:admin'];
const OPERATE = ['advisory-ai:operate', 'advisory-ai:admin'];
const ADMIN = ['advisory-ai:admin'];

/** The table of spec 4.7; synthesis asks for `search:synthesize` beside it. */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/search/query': OPERATE,
  'POST /v1/search/suggestions/evaluate': OPERATE,
  'POST /v1/search/synthesize': OPERATE,
  'POST /v1/search/index/rebuild': ADMIN,
  'GET /v1/search/adapters': OPERATE,
  'POST /v1/advisory-ai/search/analytics': OPERATE,
  'GET /v1/advisory-ai/search/history': VIEW,
  'DELETE /v1/advisory-ai/search/history': OPERATE,
  'DELETE /v1/advisory-ai/search/history/:historyId': OPERATE,
  'POST /v1/advisory-ai/search/feedback': VIEW,
  'GET /v1/advisory-ai/search/quality/metrics': ADMIN,
  'GET /v1/advisory-ai/search/quality/alerts': ADMIN,
  'PATCH /v1/advisory-ai/search/quality/alerts/:alertId': ADMIN,
  'POST /v1/advisory-ai/search': OPERATE,
  'POST /v1/advisory-ai/index/rebuild': ADMIN,
};

// spec: 5/policies
test('each route of search asks for the policy of its row, and a stronger policy meets a weaker one', () => {
  const routes = publishedRoutes().filter(({ module }) => module === 'search');
  const found = routes.map(({ method, path, scope }) => [`${method} ${path}`, scope] as const);
  assert.deepEqual(Object.fromEntries(found), REQUESTS);
  assert.deepEqual([...new Set(routes.map(({ dialect }) => dialect))], ['plain']);
});
