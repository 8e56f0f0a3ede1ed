import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testApp } from '@landfall/kernel/testing/app';
import { createNotifier } from '@landfall/notifier';
import { createDirectories } from '@landfall/notifier/testing/directories';
import fastify from 'fastify';
import { readinessOf, registerHealth } from './health.ts';

const app = await testApp({
  createModule: (deps) =>
    createNotifier(deps, { ...createDirectories(), baseUrl: 'https://landfall.example', connectors: {} }),
});
after(() => app[Symbol.asyncDispose]());

// spec: 4.8/readyz, 4.8/healthz, rulings/39
test('readiness is 503 with the names of the connectors that are missing, while the process is healthy', async () => {
  const listener = fastify();
  registerHealth(listener, readinessOf([app.module]));
  const ready = await listener.inject('/readyz');
  assert.deepEqual(
    [ready.statusCode, ready.json()],
    [503, { status: 'unready', missing: ['slack', 'teams', 'email', 'webhook', 'pagerduty'] }],
  );
  const health = await listener.inject('/healthz');
  assert.deepEqual([health.statusCode, health.body], [200, 'Healthy']);
});
