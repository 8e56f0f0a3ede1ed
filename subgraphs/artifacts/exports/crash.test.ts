import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caller } from '@landfall/kernel/testing/callers';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { until } from '@landfall/kernel/testing/until';
import { artifactApp, billOf, operator, RELEASE } from '../testing/artifact-app.ts';
import { verifyExport } from './verification.ts';

const program = new URL('./crash.fixture.ts', import.meta.url);

const FAILPOINTS = ['artifacts.export.leased', 'artifacts.export.sealed', 'artifacts.export.completing'];

test('an export whose worker is killed at any point stays under way, and the next worker makes it whole', async () => {
  await using app = await artifactApp();
  await app.put(billOf());
  const { id: bundleId } = await app.module.bundles.create(operator, { subject: { kind: 'release', id: RELEASE } });
  const viewer = caller({ subject: 'vera', scopes: ['export.viewer'] });
  const given = { connection: app.connection, objects: app.objectsDirectory, rootKey: app.rootKey.toString('hex') };
  for (const failpoint of FAILPOINTS) {
    const { id: exportId } = await app.module.exports.request(operator, { bundleId });
    const { output } = await runToFailpoint({ program, failpoint, arguments: [JSON.stringify(given)] });
    assert.equal(output, '', 'it was killed before its end');
    const key = { bundleId, exportId };
    assert.equal((await app.module.exports.get(viewer, key)).status, 'running', failpoint);
    assert.equal(await app.module.makeExport(), 0, 'the lease lasts');
    await app.clock.advance(700_000);
    // PostgreSQL keeps the row of the killed worker locked until it sees that its connection ended.
    await until(async () => (await app.module.makeExport()) === 1);
    const { status, version } = await app.module.exports.get(viewer, key);
    assert.deepEqual([status, version], ['complete', 4], 'two leases and one end');
    await verifyExport((await app.module.exports.download(viewer, key)).gzip, await app.documentSeal.trust());
  }
});
