import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@landfall/agent/testing/free-port';
import type { CatalogueApp } from '../../testing/catalogue-app.ts';
import { serverProcess } from '../../testing/server-processes.ts';
import { killAt, MINUTE, once, outcome, prepare, sourcesApp, work } from './sources-crash.fixture.ts';

let app: CatalogueApp;
before(async () => {
  app = await sourcesApp();
});
after(() => app[Symbol.asyncDispose]());

for (const at of ['sources.polled', 'sources.drafted', 'sources.finalized'])
  test(`a server that is killed at ${at} leaves a set from which another makes one release`, () => killAt(app, at));

test('a candidate that outlives its lease is finished by another server, and the first changes nothing', async () => {
  await using server = serverProcess();
  await server.holdAt('sources.resolved');
  await server.serve({ connection: app.connection, rootKey: app.rootKey.toString('base64'), port: await freePort() });
  const { product } = await prepare(app, 'held');
  while ((await outcome(app, product.id)).length === 0) await sleep(50);
  while ((await outcome(app, product.id))[0]?.status === 'draft') {
    // The server may lease the candidate again, and stops at the failpoint again.
    await app.clock.advance(4 * MINUTE);
    await work(app.module);
    await sleep(50);
  }
  assert.deepEqual(await outcome(app, product.id), once);
  await server.release('sources.resolved');
  await app.clock.advance(4 * MINUTE);
  await work(app.module);
  assert.deepEqual(await outcome(app, product.id), once);
});
