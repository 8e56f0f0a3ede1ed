import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { documentText } from '../roots/signed-document.ts';
import { airgapApp, operator } from '../testing/airgap-app.ts';
import { deliverBundle, entryOf, stampAt, syncSite } from '../testing/sync-sites.ts';

const program = new URL('./crash.fixture.ts', import.meta.url);

test('an import that is killed leaves nothing of its bundle, and the next one imports it whole', async () => {
  await using app = await airgapApp();
  const { sync, bundleInbox } = app.module;
  const site = syncSite();
  await sync.addSite(operator, { siteId: site.siteId, name: 'Plant 7', siteKey: site.publicKey });
  const bundle = await site.next([entryOf(stampAt(1), 'a', 'x'), entryOf(stampAt(2), 'a', 'y')]);
  const given = JSON.stringify({ connection: app.connection, bundle: documentText(bundle) });
  await runToFailpoint({ program, failpoint: 'sync.merged', arguments: [given] });

  assert.deepEqual((await sync.jobs(operator, {})).items, []);
  assert.deepEqual(await sync.conflicts(operator, {}), []);
  assert.equal((await sync.sites(operator, {}))[0]?.sequence, 0);
  const file = await deliverBundle(bundleInbox(operator.tenant), bundle);
  assert.partialDeepStrictEqual(await sync.import(operator, { file }), { isNew: true, entries: 2, conflicts: 1 });
  assert.partialDeepStrictEqual(await sync.import(operator, { file }), { isNew: false });
});
