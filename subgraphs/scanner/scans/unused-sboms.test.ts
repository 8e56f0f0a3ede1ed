import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { people } from '@landfall/kernel/testing/callers';
import { bodyOf, bomThrough } from '../testing/bom.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const HOUR_MS = 3_600_000;
const who = people['scan-operator'];
const digests = table('scanner.documents digests', { digest: text });

/** The scanner with bills that were received, some of which have a scan. */
const sbomApp = async () => {
  const app = await scannerApp();
  const { scans, removeUnusedSboms } = app.module;
  const receive = async (name: string, as: typeof who = who) =>
    (await scans.receive(as, bodyOf(bomThrough(name)))).digest;
  return {
    ...app,
    removeUnusedSboms,
    receive,
    request: (sbomDigest: string) => scans.create(who, { sbomDigest }),
    pass: (hours: number) => app.clock.advance(hours * HOUR_MS),
    stored: async (tenant = 'acme') =>
      (await app.rows(digests, sql`/* test */ select distinct digest from scanner.documents`, tenant)).map(
        ({ digest }) => digest,
      ),
  };
};

test('a bill whose scan was never requested is deleted after a day, of every tenant, and one with a scan stays', async () => {
  await using app = await sbomApp();
  const [used, unused] = [await app.receive('wall'), await app.receive('fence')];
  await app.receive('fence', people['other-scan-operator']);
  await app.request(used);
  await app.pass(23);
  await app.removeUnusedSboms();
  assert.deepEqual((await app.stored()).toSorted(), [used, unused].toSorted());
  await app.pass(2);
  await app.removeUnusedSboms();
  assert.deepEqual(await app.stored(), [used]);
  assert.deepEqual(await app.stored('globex'), []);
  await app.module.runScans();
  assert.equal((await app.request(used)).scan.status, 'completed');
});

test('a bill that is received again waits for its scan for another day, and may come back after it was deleted', async () => {
  await using app = await sbomApp();
  const digest = await app.receive('wall');
  await app.pass(20);
  await app.receive('wall');
  await app.pass(20);
  await app.removeUnusedSboms();
  assert.deepEqual(await app.stored(), [digest]);
  await app.pass(20);
  await app.removeUnusedSboms();
  assert.deepEqual(await app.stored(), []);
  await assert.rejects(app.request(digest), { code: 'RES_NOT_FOUND' });
  await app.receive('wall');
  await app.request(digest);
  await app.module.runScans();
  assert.equal((await app.request(digest)).scan.status, 'completed');
});

test('a hundred and more bills without a scan are deleted in one run', async () => {
  await using app = await sbomApp();
  for (let n = 0; n < 101; n++) await app.receive(`wall-${n}`);
  await app.pass(25);
  await app.removeUnusedSboms();
  assert.deepEqual(await app.stored(), []);
});
