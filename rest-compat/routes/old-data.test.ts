import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startUpgrade } from '@landfall/kernel/testing/upgrade';
import { askAll, folders, paths, plansWithoutTargets, writeOldData } from './old-data.fixture.ts';

/**
 * Status and body of each path as the last version without products answered them over the same data. That version
 * recorded them with the fixture of this test; they never change.
 */
const recorded: Readonly<Record<string, string>> = JSON.parse(
  await readFile(new URL('./old-data.json', import.meta.url), 'utf8'),
);

test('data of the version before products answer the same bytes after the upgrade, but plans for targets of another name', async () => {
  await using upgrade = await startUpgrade(folders);
  await upgrade.migrateTo({ orchestrator: 20 });
  await writeOldData(upgrade);
  await upgrade.migrateTo();
  const answers = await askAll(upgrade.connection);
  assert.deepEqual(Object.keys(recorded), paths);
  const plans = paths.filter((path) => plansWithoutTargets.has(path));
  assert.equal(plans.length, 7);
  // A target carries one product (decision 051): a release of another name does not take its place any more.
  for (const path of plans) assert.match(answers[path] ?? '', /^200 .*"targetCount":0,.*There is no target/);
  for (const path of paths) if (!plansWithoutTargets.has(path)) assert.equal(answers[path], recorded[path], path);
});
