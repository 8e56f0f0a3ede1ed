import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createOrchestrator } from '../../index.ts';
import type { CatalogueApp } from '../../testing/catalogue-app.ts';
import { killAt, MINUTE, once, outcome, prepare, sourcesApp, work } from './sources-crash.fixture.ts';

let app: CatalogueApp;
before(async () => {
  app = await sourcesApp();
});
after(() => app[Symbol.asyncDispose]());

// The other failpoints are in the full run.
test('a server that is killed at sources.resolved leaves a set from which another makes one release', () =>
  killAt(app, 'sources.resolved'));

test('two servers at work make one release of each set', async () => {
  const other = createOrchestrator(app.deps, {
    platformDomain: 'landfall.example',
    agentUrl: 'https://127.0.0.1:4002',
    deploymentLogDays: 30,
    signingKeys: createSigningKeys(app.deps),
  });
  const prepared = await Promise.all(Array.from({ length: 6 }, (_, index) => prepare(app, `shared-${index}`)));
  for (let round = 0; round < 4; round++) {
    await Promise.all([work(app.module), work(other), work(app.module), work(other)]);
    await app.clock.advance(4 * MINUTE);
  }
  for (const { product } of prepared) assert.deepEqual(await outcome(app, product.id), once);
});
