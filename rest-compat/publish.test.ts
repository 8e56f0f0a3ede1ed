import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stale } from '@landfall/schema/output.ts';
import { repository } from '@landfall/schema/sdl.ts';
import { allRoutes, publish } from './publish.ts';
import { publishedRoutes } from './published.ts';

test('schema/rest.json and docs/errors.md are what the routes, operations and source say', () => {
  assert.deepEqual(stale(repository, publish().files), [], 'stale; `npm run codegen` writes them anew');
});

test('the published routes can be read back', () => {
  assert.deepEqual(
    publishedRoutes().map(({ method, path }) => `${method} ${path}`),
    allRoutes().map(({ method, path }) => `${method} ${path}`),
  );
});

test('no two routes of a listener answer the same requests', () => {
  const keys = allRoutes().map(({ module, method, path }) => {
    const listener = module === 'authority' ? 'authority' : 'web';
    return `${listener} ${method} ${path.replace(/:\w+/g, ':')}`;
  });
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
});
