import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from './postgres.ts';
import { checkStatements } from './prepare.ts';

const fixture = new URL('./prepare.fixture.ts', import.meta.url);

test('each way in which a statement can be wrong is told, and nothing of those that are right', async () => {
  await using cloned = await testDatabase();
  const { problems } = await checkStatements([fixture], cloned.connection);
  const path = 'subgraphs/kernel/testing/prepare.fixture.ts';
  assert.deepEqual(problems.map((problem) => problem.replaceAll(path, 'here')).toSorted(), [
    'here fixture.forbidden: landfall_app: permission denied for table events',
    'here fixture.forbidden: landfall_system: permission denied for table events',
    'here fixture.good: the name is taken by here',
    'here fixture.hidden: no exported function sends it',
    'here fixture.names: fixture.total has tokens, the result has not',
    'here fixture.names: nobody reads total',
    'here fixture.neverNull: jti is never null, fixture.tooCareful says it can be',
    'here fixture.noColumn: column "nothing" does not exist',
    'here fixture.nobodys: landfall_app: syntax error at or near "drop"',
    'here fixture.nobodys: landfall_system: syntax error at or near "drop"',
    'here fixture.nullable: last_run_at can be null, fixture.tooTrusting says never',
    'here fixture.onlyWhenFiltered: column "misspelt" does not exist',
    'here fixture.type: jti is text, fixture.wrongType says int4',
    'here: a statement without a name: select 1',
  ]);
});
