import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { test } from 'node:test';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { migrationScenario } from './artifacts-migrate.fixture.ts';

test('a migration that is killed and run again ends as one that was not', async () => {
  const states: (readonly string[])[] = [];
  for (const failpoint of [
    undefined,
    'artifacts.migrate.stored',
    'artifacts.migrate.placed',
    'artifacts.migrate.verified',
  ]) {
    await using site = await migrationScenario();
    for (let index = 0; index < 9; index++) await site.add(`evidence/${index}.json`, { index });
    if (failpoint)
      await runToFailpoint({
        program: new URL('./artifacts-migrate-crash.fixture.ts', import.meta.url),
        arguments: site.args('--copy=false'),
        failpoint,
        env: { ...site.env, LANDFALL_FAILPOINT_HITS: '5' },
      });
    const { code, err } = await site.migrate('--copy=false');
    assert.equal(code, 0, err);
    assert.deepEqual(await site.tree(), []);
    const objects = (await site.files('objects')).map((path) => relative(site.objectsDirectory, path));
    states.push([...(await site.records()), ...objects]);
  }
  assert.equal(states[0]?.length, 18);
  for (const state of states) assert.deepEqual(state, states[0]);
});
